"""Timelines: every state is there, bars stand where their days are, nothing in a text can break the picture."""

from __future__ import annotations

from datetime import date, datetime
from xml.etree import ElementTree

from qgmem.construction.traces import Claim, states, timeline, timeline_svg
from qgmem.types import Granularity, Interval

SVG = "{http://www.w3.org/2000/svg}"
YEAR_2021 = Interval(date(2021, 1, 1), date(2021, 12, 31), Granularity.YEAR)


def trace(first: str = "Turin", last: str = "Porto"):  # type: ignore[no-untyped-def]
    """Oslo told late, then `first`, then `last` by hearsay, and Lagos taken back."""

    def said(number: int, value: str, day: str, kind: str = "state", **more: object) -> Claim:
        stamp = datetime.fromisoformat(f"{day}T12:00")
        return Claim(
            f"u{number}", "ana", "Ana", "lives in", value, kind, utterance_time=stamp, sequence=number, **more
        )  # type: ignore[arg-type]

    return states(
        [
            said(1, first, "2022-01-01"),
            said(2, last, "2023-01-01", source="Bo"),
            said(3, "Oslo", "2023-06-01", fact_time=YEAR_2021),
            said(4, "Lagos", "2023-07-01"),
            said(5, "Lagos", "2023-07-20", "retraction"),
        ]
    )


def test_text_rows_follow_each_other() -> None:
    """Each bar begins where the one before ends; the last is open; what was taken back has no bar."""
    lines = timeline(trace(), 90).splitlines()
    assert lines[0] == "Ana · home"
    bars = {line.split("|")[0].strip(): line.split("|")[1] for line in lines if "|" in line}
    assert list(bars) == ["Oslo", "Turin", "Porto", "Lagos"]
    ends = {name: max(i for i, c in enumerate(bar) if c in "━>") for name, bar in bars.items() if name != "Lagos"}
    assert bars["Oslo"].startswith("━")
    assert bars["Turin"].index("•") == ends["Oslo"] + 1, "Turin was said on its first day, which ends Oslo's bar"
    assert bars["Porto"].endswith(">")
    assert "━" not in bars["Lagos"]
    assert "•" in bars["Lagos"]
    assert all(len(line) <= 100 for line in lines)


def test_svg_has_a_bar_a_name_and_a_mark_for_every_state() -> None:
    """Bars in order of time, one dot a claim that says a value (four), hollow for hearsay."""
    root = ElementTree.fromstring(timeline_svg(trace()))
    rows = root.findall(f"{SVG}g")
    assert [row.findall(f".//{SVG}text")[0].text for row in rows] == ["Oslo", "Turin", "Porto", "Lagos"]
    spans = [(float(r.get("x", "")), float(r.get("width", ""))) for row in rows for r in row.findall(f"{SVG}rect")]
    for (start, width), (following, _) in ((spans[0], spans[1]), (spans[1], spans[2])):
        assert abs(start + width - following) < 0.2, "each begins where the one before ends"
    dots = [c.get("fill") for row in rows for c in row.findall(f"{SVG}circle")]
    assert dots == ["#1f2933", "#1f2933", "#ffffff", "#1f2933"]
    assert len(rows[2].findall(f"{SVG}polygon")) == 1, "the open end has an arrow"
    assert "u3" in (rows[0].find(f"{SVG}title").text or "")  # type: ignore[union-attr]


def test_svg_escapes_what_people_say() -> None:
    """Tags, quotes and ampersands stay text; long values are cut."""
    root = ElementTree.fromstring(timeline_svg(trace("<script>alert('x')</script> & \"co\"", "x" * 300)))
    assert root.find(f".//{SVG}script") is None
    assert max(len(t.text or "") for t in root.iter(f"{SVG}text")) <= 30


def test_without_any_day_the_states_are_still_listed() -> None:
    """Nothing to draw on an axis; no error."""
    undated = states([Claim("u1", "ana", "Ana", "lives in", "Oslo", sequence=1)])
    assert "Oslo" in timeline(undated)
    assert "Oslo" in timeline_svg(undated)
