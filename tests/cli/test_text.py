"""Names made safe and short, numbers, tables and bars."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilag.cli.text import (
    Style,
    abbreviate,
    columns,
    duration,
    listed,
    middle,
    percent,
    printable,
    table,
)


@given(st.text(st.characters(exclude_categories=())))
def test_printable_is_printable_and_one_line(text) -> None:
    shown = printable(text)
    assert shown.isprintable()
    shown.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢", "plain é 漢"),
        ("a\nb\x1b[0m", "a\\nb\\x1b[0m"),
        ("\udc80", "\\udc80"),
        ("\u202e", "\\u202e"),
    ],
)
def test_printable(text, shown) -> None:
    assert printable(text) == shown


@given(st.lists(st.text(max_size=60), unique=True, max_size=20), st.integers(8, 40))
def test_short_forms_differ_wherever_the_names_do(names, width) -> None:
    short = abbreviate(names, width)
    assert list(short) == names
    assert len(set(short.values())) == len({printable(name) for name in names})


def test_members_of_kafka_lose_most_of_their_uuid() -> None:
    tail = "4613-9bc2-97cee50c653a"
    assert abbreviate([f"c-1-e9d00e9f-e0e0-{tail}"], 40) == {
        f"c-1-e9d00e9f-e0e0-{tail}": "c-1-e9d0…"
    }
    alike = [f"c-e9d00e9f-e0e0-{tail}", f"c-e9d0ffff-e0e0-{tail}"]
    assert len(set(abbreviate(alike, 40).values())) == 2


@given(st.text(max_size=80), st.integers(4, 60))
def test_middle_keeps_front_and_width(text, width) -> None:
    cut = middle(text, width)
    assert len(cut) <= width
    assert cut == text or (cut[0] == text[0] and "…" in cut)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 %"),
        (0.00001, "under 0.01 %"),
        (-0.00001, "over -0.01 %"),
        (0.5, "0.50 %"),
        (9.99, "9.99 %"),
        (12.34, "12.3 %"),
        (-12.34, "-12.3 %"),
        (100, "100 %"),
        (12345.6, "12,346 %"),
    ],
)
def test_percent(value, text) -> None:
    assert percent(value) == text


def test_duration() -> None:
    assert [duration(s) for s in (0.0021, 0.41, 12.34)] == ["2.1 ms", "0.41 s", "12.3 s"]


def test_bars() -> None:
    style = Style()
    assert style.bar(0, 100, 4) == "    "
    assert style.bar(1, 100, 4) == "▏   "
    assert style.bar(50, 100, 4) == "██  "
    assert style.bar(100, 100, 4) == "████"
    assert style.bar(0, 0, 4) == "    "
    assert Style(ascii=True).bar(1, 100, 4) == "#   "


@given(st.integers(0, 2**62), st.integers(0, 2**62), st.integers(1, 20))
def test_bars_fill_their_column(value, more, cells) -> None:
    for style in (Style(), Style(ascii=True)):
        bar = style.bar(value, value + more, cells)
        assert len(bar) == cells
        assert (bar.strip() == "") == (value == 0)


def test_tables_align() -> None:
    rows = [["name", "n"], ["漢字", "1"], ["x", "1,000"]]
    assert table(rows, "<>") == ["name      n", "漢字      1", "x     1,000"]
    assert {columns(line) for line in table(rows, "<>")} == {11}
    assert table([], "<>") == []


def test_lists_of_names() -> None:
    assert listed(["a", "b"], 2) == "a, b"
    assert listed(["a", "b\n", "c", "d"], 2) == "a, b\\n, … and 2 more"
