"""Our own export: JSON Lines that carry a memory whole, so that export → import → export is byte-identical.

    {"qgmem":1,"user_id":"ada"}                      the header: version, then what the writer adds
    {"kind":"turn","id":"t1","session_id":…}         one record a line, kind first
    {"kind":"history","turn_id":"t1",…}              kinds beyond turn and unit are the store's own
    {"kind":"end","records":2}                       a file without it was cut short

UTF-8, LF, no spaces, non-ASCII as it is. The bodies of turns and units are `export_codec.py`'s.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from qgmem.errors import InvalidInput
from qgmem.types import ImportProblem, ImportRecord, JsonValue, MemoryUnit, Turn

from .checks import JsonObject, as_object, optional_text, problem, shape, text
from .export_codec import canonical, turn_from_json, turn_to_json, unit_from_json, unit_to_json
from .jsonl import json_lines

VERSION = 1
_RESERVED = frozenset(("end", "header"))
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ExportHeader:
    """First line: whose memory this is, and whatever else the writer wants to keep about the whole."""

    user_id: str | None = None
    extra: Mapping[str, JsonValue] | None = None


@dataclass(frozen=True, slots=True)
class ExportRecord:
    """One line of the body: its kind and its fields.

    `turn` and `unit` decode the fields of those kinds; history and others are read by whoever wrote them.
    """

    kind: str
    body: Mapping[str, JsonValue]
    where: str = ""

    @classmethod
    def of_turn(cls, turn: Turn) -> ExportRecord:
        """A line of kind `turn`. Raises InvalidInput for metadata that JSON cannot hold."""
        return cls("turn", turn_to_json(turn))

    @classmethod
    def of_unit(cls, unit: MemoryUnit) -> ExportRecord:
        """A line of kind `unit`. Raises InvalidInput for metadata that JSON cannot hold."""
        return cls("unit", unit_to_json(unit))

    def turn(self) -> Turn:
        """The turn of a line of that kind. Raises InvalidInput naming the field."""
        return turn_from_json(self.body)

    def unit(self) -> MemoryUnit:
        """The unit of a line of that kind. Raises InvalidInput naming the field."""
        return unit_from_json(self.body)

    def text_of(self, name: str) -> str:
        """A field that holds text. Raises InvalidInput naming it."""
        return text(self.body, name)


def write_export(records: Iterable[ExportRecord], handle: BinaryIO, header: ExportHeader | None = None) -> int:
    """Writes header, records and end line; returns the number of records.

    The same records give the same bytes. Raises InvalidInput for what JSON cannot hold.
    """
    head: JsonObject = {"qgmem": VERSION}
    if header is not None and header.user_id is not None:
        head["user_id"] = header.user_id
    for key, value in (header.extra or {}).items() if header is not None else ():
        if key in ("qgmem", "user_id"):
            raise InvalidInput("extra", f"{key!r} is the header's own")
        head[key] = value
    handle.write(_line(head))
    count = 0
    for record in records:
        if record.kind in _RESERVED or "kind" in record.body:
            raise InvalidInput("kind", f"{record.kind!r}: `end`, `header` and a field `kind` are reserved")
        handle.write(_line({"kind": record.kind, **record.body}))
        count += 1
    handle.write(_line({"kind": "end", "records": count}))
    return count


def read_export(path: Path) -> Iterator[ExportHeader | ExportRecord | ImportProblem]:
    """The header, then every record, streaming; turns and units have been checked to decode.

    A bad line is a problem and the rest goes on; so is a missing end. Nothing follows a wrong header.
    Raises InvalidInput when the file cannot be opened.
    """
    lines = json_lines(path)
    yield (header := _header(lines, path))
    if isinstance(header, ImportProblem):
        return
    count, problems = 0, 0
    for line, value in lines:
        where = f"{path} line {line.number}"
        entry = value if isinstance(value, ImportProblem) else _record(value, where)
        if isinstance(entry, ExportRecord) and entry.kind == "end":
            if entry.body.get("records") != count + problems:
                yield ImportProblem(where, "records", f"{count + problems} lines came before the end line")
            return
        count += isinstance(entry, ExportRecord)
        problems += isinstance(entry, ImportProblem)
        yield entry
    reason = f"the file was cut short: no end line after {count + problems} records"
    yield ImportProblem(str(path), "end", reason)


def read(path: Path) -> Iterator[ImportRecord | ImportProblem]:
    """The turns of an export as plain messages, for adding them to any memory.

    Units and history are not messages: `read_export` carries them. Raises InvalidInput when the file
    cannot be opened.
    """
    user_id = None
    for entry in read_export(path):
        if isinstance(entry, ImportProblem):
            yield entry
        elif isinstance(entry, ExportHeader):
            user_id = entry.user_id
        elif entry.kind == "turn":
            turn = entry.turn()
            yield ImportRecord(turn.session_id, _message(turn), entry.where, user_id)


def _header(lines: Iterator[tuple[object, JsonValue | ImportProblem]], path: Path) -> ExportHeader | ImportProblem:
    where = f"{path} line 1"
    _, value = next(lines, (None, None))
    if isinstance(value, ImportProblem):
        return value
    try:
        head = dict(as_object(value, "header"))
        version = head.pop("qgmem", None)
        if version != VERSION or isinstance(version, bool):
            got = version if isinstance(version, int) else shape(version)
            raise InvalidInput("qgmem", f"expected version {VERSION}, got {got}", "use a newer qgmem")
        user_id = optional_text(head, "user_id")
    except InvalidInput as error:
        return problem(where, error)
    head.pop("user_id", None)
    return ExportHeader(user_id, head or None)


def _record(value: JsonValue, where: str) -> ExportRecord | ImportProblem:
    try:
        body = dict(as_object(value, "record"))
        record = ExportRecord(text(body, "kind"), body, where)
        del body["kind"]
        if record.kind == "turn":
            record.turn()
        elif record.kind == "unit":
            record.unit()
    except InvalidInput as error:
        return problem(where, error)
    return record


def _message(turn: Turn) -> dict[str, object]:
    optional: dict[str, object | None] = {
        "timestamp": turn.utterance_time,
        "caption": turn.caption,
        "caption_query": turn.caption_query,
        "metadata": turn.metadata or None,
    }
    message: dict[str, object] = {
        "role": turn.role,
        "name": turn.speaker,
        "content": turn.text,
        "id": turn.id,
    }
    return message | {key: value for key, value in optional.items() if value is not None}


def _line(fields: JsonObject) -> bytes:
    for key, value in fields.items():
        _check(value, key)
    written = json.dumps(fields, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # A lone surrogate has no UTF-8; JSON can still spell it.
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", written).encode() + b"\n"


def _check(value: JsonValue, field: str) -> None:
    """Raises InvalidInput for what JSON cannot hold."""
    canonical(value, field)
