"""Query-aware activation of working memory ([Q] III-B, [E] 3.3)."""
