"""Handing working memory to a reader ([Q] III-C)."""
