"""From dialogue turns to memory units ([Q] III-A, [E] 3.2)."""
