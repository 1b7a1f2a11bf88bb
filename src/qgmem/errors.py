"""Every error this package raises.

QgmemError
├── InvalidInput          a value handed in by the caller; names the field, the value's shape, the way out
├── NotFound              an id that this namespace does not hold
├── MissingExtra          an optional dependency is not installed
├── StoreError            the truth on disk
│   ├── StoreUnavailable  cannot be opened, locked, or written (read-only, full disk)
│   ├── StoreDamaged      the file is not what was written
│   └── EmbedderMismatch  vectors were made by another embedder
└── ModelError            a model answered wrongly or not at all
    ├── ModelUnavailable  timeouts, 429, 5xx after the retries
    ├── ModelRefused      the endpoint says no: a wrong key, model or request
    ├── ModelMisbehaved   an answer that is not what was asked for
    └── AnswerFailed      no answer to a question; holds the evidence that was found for it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .generation.answer import Answer


class QgmemError(Exception):
    """Root of all errors of this package."""


class InvalidInput(QgmemError, ValueError):
    """A value the caller gave cannot be used. `field` names it."""

    def __init__(self, field: str, problem: str, hint: str = "") -> None:
        self.field, self.problem, self.hint = field, problem, hint
        super().__init__(f"{field}: {problem}" + (f"; {hint}" if hint else ""))


class NotFound(QgmemError, KeyError):
    """The namespace holds no such id."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else "not found"


class MissingExtra(QgmemError, ImportError):
    """An optional part is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an extra: pip install 'qgmem[{extra}]'")


class StoreError(QgmemError):
    """Something about the files of a namespace."""


class StoreUnavailable(StoreError):
    """The store cannot be opened or written now; nothing was changed."""


class StoreDamaged(StoreError):
    """A file is not what was written; `qgmem doctor` names it."""


class EmbedderMismatch(StoreError):
    """The stored vectors belong to another embedder."""

    def __init__(self, stored: str, stored_dimension: int, given: str, given_dimension: int) -> None:
        super().__init__(
            f"embedder: this memory was built with {stored} ({stored_dimension} dimensions), "
            f"opened with {given} ({given_dimension} dimensions); open it with the former, "
            f"or run `qgmem reembed`"
        )


class ModelError(QgmemError):
    """A model did not do its part."""


class ModelUnavailable(ModelError):
    """No answer after the retries; trying later may help."""


class ModelRefused(ModelError):
    """The endpoint understood and said no (4xx): a wrong key, model or request. `status` is HTTP's."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status

    @property
    def hopeless(self) -> bool:
        """True if no other request to this endpoint will fare better: key, permission or address are wrong."""
        return self.status in (401, 402, 403, 404, 405)


class ModelMisbehaved(ModelError):
    """An answer of the wrong shape; trying again is not known to help."""


class AnswerFailed(ModelError):
    """The answerer gave nothing that can be used; the cause says why. `evidence` is an `Answer` without an answer."""

    def __init__(self, message: str, evidence: Answer) -> None:
        super().__init__(message)
        self.evidence = evidence


def gone(error: ModelError) -> ModelError | None:
    """The endpoint's fault, this error or its cause, by which no other request will fare better; else None.

    A refusal of one request, or an answer that cannot be read, is none.
    """
    for each in (error, error.__cause__):
        if isinstance(each, ModelUnavailable) or (isinstance(each, ModelRefused) and each.hopeless):
            return each
    return None
