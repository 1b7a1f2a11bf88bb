"""What people and programs touch: the command line. Thin over the facade; decides nothing about memory.

Reading order: `cli` (which commands there are), `options` (what they share), `screen`, `encode` and `render` (how
answers look), `guard` (how failures look), `commands/` (one file a group).
"""
