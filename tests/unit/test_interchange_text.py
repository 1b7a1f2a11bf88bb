"""Bytes to text to JSON: encodings, truncation, offsets, oversized records."""

from __future__ import annotations

import codecs
import json
from pathlib import Path

import pytest

from qgmem.interchange import detect, json_stream, read, text_source
from qgmem.types import ImportProblem, ImportRecord

ONE = '{"role": "user", "content": "Žofie – 東京 🌊"}'
ARRAY = f"[{ONE},\n {ONE}]"
MARKS = {
    "utf-8": b"",
    "utf-8-sig": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
}
FILES = {
    "messages": (ARRAY, 2),
    "jsonl": (f"{ONE}\r\n{ONE}\n", 2),
    "transcript": ("Žofie: Ahoj\r\nlidi\r\n東京：はい\n\u0a0a: \u0a0a\u0a0a\n", 3),
}


def split(path: Path) -> tuple[list[ImportRecord], list[ImportProblem]]:
    entries = list(read(path))
    return (
        [entry for entry in entries if isinstance(entry, ImportRecord)],
        [entry for entry in entries if isinstance(entry, ImportProblem)],
    )


@pytest.mark.parametrize("encoding", sorted(MARKS))
@pytest.mark.parametrize("format", sorted(FILES))
def test_byte_order_marks_decide_the_encoding(format: str, encoding: str, tmp_path: Path) -> None:
    r"""U+0A0A holds the byte of a line end twice: UTF-16 lines must be cut at whole code units."""
    text, count = FILES[format]
    path = tmp_path / "f"
    path.write_bytes(MARKS[encoding] + text.encode(encoding.removesuffix("-sig")))
    plain = tmp_path / "g"
    plain.write_text(text, "utf-8", newline="")
    assert detect(path) == format
    assert [record.message for record in split(path)[0]] == [record.message for record in split(plain)[0]]
    assert (len(split(path)[0]), split(path)[1]) == (count, [])


@pytest.mark.parametrize("cut", range(1, len(ARRAY.encode())))
def test_json_cut_anywhere_yields_what_came_before_and_the_offset(cut: int, tmp_path: Path) -> None:
    """The first message ends at byte 1 + len(ONE); the second is whole only with its last brace."""
    data = ARRAY.encode()[:cut]
    path = tmp_path / "cut.json"
    path.write_bytes(data)
    entries = list(read(path, "messages"))
    records = [entry for entry in entries if isinstance(entry, ImportRecord)]
    whole = len(ONE.encode())
    assert len(records) == (cut >= 1 + whole) + (cut >= len(ARRAY.encode()) - 1)
    assert isinstance(entries[-1], ImportProblem)
    assert entries[-1].where == str(path)
    offset = int(entries[-1].field.removeprefix("byte "))
    last_character = next(n for n in range(1, 5) if data[-n] & 0xC0 != 0x80)
    assert cut - last_character <= offset <= cut


def test_a_fault_in_the_middle_names_its_byte(tmp_path: Path) -> None:
    """`é` takes two bytes: the faulty `x` is character 36 and byte 37."""
    path = tmp_path / "m.json"
    path.write_bytes('[{"role": "user", "content": "é"}, [x], {}]'.encode())
    at = path.read_bytes().index(b"x")
    records, problems = split(path)
    assert len(records) == 1
    assert problems == [ImportProblem(str(path), f"byte {at}", "not JSON: Expecting value")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the file is empty"),
        (" \n", "the file is empty"),
        ("7", "expected a JSON array or object"),
        ("[1 2]", "expected ',', got '2'"),
        ("[]]", "more text after the JSON document"),
        ("[" * 100_000, "nested too deeply"),
        ('{"messages": [], 5: 1}', "expected a member name in double quotes"),
        ('{"messages" []}', "expected ':', got '['"),
        ('{"messages": []', "expected ',', got the end of the file"),
        ("[", "the file ends before the closing ]"),
    ],
)
def test_what_is_no_json_document_is_said(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(text)
    entries = list(read(path, "messages"))
    assert isinstance(entries[-1], ImportProblem)
    assert entries[-1].reason == reason


def test_an_integer_of_thousands_of_digits_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(f"[{ONE}, {'9' * 5000}]", "utf-8")
    records, problems = split(path)
    assert (len(records), len(problems)) == (1, 1)


def test_nan_reads_as_no_value(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text('[{"role": "user", "content": "hi", "name": NaN}]')
    records, problems = split(path)
    assert (records[0].message, problems) == ({"role": "user", "content": "hi"}, [])


def test_bad_bytes_in_json_name_the_offset_and_what_came_before_stays(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    head = f"[{ONE}, ".encode()
    path.write_bytes(head + b'{"role": "user", "content": "\xff"}]')
    records, problems = split(path)
    assert len(records) == 1
    offset = len(head) + len('{"role": "user", "content": "')
    assert [(p.field, p.reason) for p in problems] == [(f"byte {offset}", "not UTF-8 text: invalid start byte")]


def test_bad_bytes_in_lines_spoil_their_line_only(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    head = f"{ONE}\n".encode()
    path.write_bytes(head + b"\x80\n" + f"{ONE}\n".encode())
    records, problems = split(path)
    assert len(records) == 2
    assert [(p.where, p.reason) for p in problems] == [
        (f"{path} line 2", f"not UTF-8 text at byte {len(head)}: invalid start byte")
    ]


@pytest.mark.parametrize("chunk", [*range(1, 33), 64])
def test_chunk_borders_change_nothing(chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values: list[object] = [0, -1.5e-7, True, None, "é\\\n🌊\u2028", [], {}, {"a": [{"b": "c"}]}, 123456789012]
    path = tmp_path / "v.json"
    path.write_text(json.dumps(values) + "\n")
    monkeypatch.setattr(text_source, "CHUNK", chunk)
    monkeypatch.setattr(json_stream, "CHUNK", chunk)
    monkeypatch.setattr(text_source.TextSource.fill, "__defaults__", (chunk,))
    found = list(json_stream.json_elements(path))
    assert [e.value for e in found if isinstance(e, json_stream.Element)] == values


def test_a_record_beyond_the_limit_is_refused_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON cannot be resumed inside an element, lines and turns go on behind it."""
    for module in ("text_source", "json_stream", "transcript"):
        monkeypatch.setattr(f"qgmem.interchange.{module}.MAX_RECORD", 1 << 19)
    long = "x" * (1 << 21)
    path = tmp_path / "m.json"
    path.write_text(f'[{ONE}, {{"role": "user", "content": "{long}"}}]', "utf-8")
    records, problems = split(path)
    assert (len(records), problems[0].reason) == (1, "one record is longer than 524288 characters")
    path.write_text(f'{ONE}\n{{"role": "user", "content": "{long}"}}\n{ONE}\n', "utf-8")
    records, problems = split(path)
    assert [p.where for p in problems] == [f"{path} line 2"]
    assert [record.where for record in records] == [f"{path} line 1", f"{path} line 3"]
    path.write_text("Ada: hi\n" + ("y" * 1000 + "\n") * 2000 + "Bo: hello\n")
    records, problems = split(path)
    assert (problems[0].field, records[0].message["content"]) == ("text", "hello")
