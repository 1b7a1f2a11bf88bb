"""The matched study of evidence recall ([E] §4–5): what does the entity–memory graph add, and which part of it?

Reading order: `texts` (what stands for a turn), `vectors` and `kept` (computed once), `graphs` (the two graphs),
`conditions` (what is switched), `ranking` (lists, and the control that must hold), `families` (what is compared),
`report`, `markdown`, `plots` (what is written), `published` (what [E] printed), `run` (all of it).
"""

from .ranking import ControlFailed
from .report import Study
from .run import run_study

__all__ = ["ControlFailed", "Study", "run_study"]
