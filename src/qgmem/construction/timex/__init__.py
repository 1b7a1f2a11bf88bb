"""Time expressions in running text → intervals with granularity (SPEC §2.3, "fact times")."""

from .finder import TimeMention, fact_times, find_times

__all__ = ["TimeMention", "fact_times", "find_times"]
