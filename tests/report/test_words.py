"""Numbers, plural forms, and names made printable."""

from __future__ import annotations

import pytest
from equilag.report.wording.words import (
    listed,
    percent,
    printable,
    short_number,
    short_span,
    time_span,
)


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


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (9_999, "9,999"),
        (-9_999, "-9,999"),
        (10_000, "10.0k"),
        (99_949, "99.9k"),
        (99_950, "100k"),
        (999_499, "999k"),
        (999_500, "1.00M"),
        (9_994_999, "9.99M"),
        (9_995_000, "10.0M"),
        (-2_345_678, "-2.35M"),
        (2**63 - 1, "9.22E"),
    ],
)
def test_short_numbers(value: int, text: str) -> None:
    assert short_number(value) == text


def test_lists_of_names() -> None:
    assert listed(["a", "b"], 2) == "a, b"
    assert listed(["a", "b\n", "c", "d"], 2) == "a, b\\n, … and 2 more"


@pytest.mark.parametrize(
    ("seconds", "long", "short"),
    [
        (0, "0 s", "0 s"),
        (0.01, "<0.1 s", "<0.1 s"),
        (2.3, "2.3 s", "2.3 s"),
        (9.96, "10 s", "10 s"),
        (59.4, "59 s", "59 s"),
        (59.99, "1 min", "1 min"),
        (200, "3 min 20 s", "3.3 min"),
        (3599.9, "1 h", "1 h"),
        (5400, "1 h 30 min", "1.5 h"),
        (86_400, "1 d", "1 d"),
        (2_000_000, "23 d 3 h", "23 d"),
        (1e9, "11,574 d 1 h", "11,574 d"),
    ],
)
def test_durations_as_people_say_them(seconds: float, long: str, short: str) -> None:
    assert time_span(seconds) == long
    assert short_span(seconds) == short
