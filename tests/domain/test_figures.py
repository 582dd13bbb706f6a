"""Numbers, plural forms, and names made printable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from equilag.domain.figures import (
    FIGURES,
    FORMS,
    Change,
    cell,
    in_units,
    listed,
    natural_key,
    number,
    percent,
    printable,
    short_number,
    short_span,
    time_span,
)


@pytest.mark.parametrize(
    ("shown", "texts"),
    [
        (printable, {"plain é 漢": "plain é 漢", "a\nb\x1b[0m": "a\\nb\\x1b[0m",
                     "\udc80": "\\udc80", "\u202e": "\\u202e"}),
        (percent, {0: "0 %", 0.00001: "under 0.01 %", -0.00001: "over -0.01 %", 0.5: "0.5 %",
                   9.99: "9.99 %", 12.34: "12.3 %", -12.34: "-12.3 %", 100: "100 %",
                   12345.6: "12.3k %"}),
        (short_number, {9_999: "9,999", -9_999: "-9,999", 10_000: "10k", 99_949: "99.9k",
                        99_950: "100k", 999_499: "999k", 999_500: "1M", 9_994_999: "9.99M",
                        9_995_000: "10M", -2_345_678: "-2.35M", 2**63 - 1: "9.22E"}),
        # Whole numbers as they are, others with four digits.
        (number, {0: "0", 7.0: "7", 1234567: "1,234,567", 12.345: "12.35", 11.4: "11.4",
                  281_310.4: "281,300", 0.00012345: "0.0001234", 1e18: "1e+18",
                  4.50359e12 + 0.5: "4,504,000,000,000", -0.5: "-0.5"}),
    ],
)  # fmt: skip
def test_values_as_texts(shown: Callable[[Any], str], texts: dict[Any, str]) -> None:
    assert {value: shown(value) for value in texts} == texts


def test_lists_of_names() -> None:
    assert listed(["a", "b"], 2) == "a, b"
    assert listed(["a", "b\n", "c", "d"], 2) == "a, b\\n, … and 2 more"


@pytest.mark.parametrize(
    ("seconds", "long", "short"),
    [
        (0, "0 s", "0 s"), (0.01, "10 ms", "10 ms"), (0.000123, "0.12 ms", "0.12 ms"),
        (2.3, "2.3 s", "2.3 s"), (9.96, "10 s", "10 s"), (59.4, "59 s", "59 s"),
        (59.99, "1 min", "1 min"), (200, "3 min 20 s", "3.3 min"), (3599.9, "1 h", "1 h"),
        (5400, "1 h 30 min", "1.5 h"), (86_400, "1 d", "1 d"),
        (2_000_000, "23 d 3 h", "23 d"), (1e9, "11,574 d 1 h", "11,574 d"),
    ],
)  # fmt: skip
def test_durations_as_people_say_them(seconds: float, long: str, short: str) -> None:
    assert time_span(seconds) == long
    assert short_span(seconds) == short


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (None, "number", "-"), (0.25, "share", "25 %"), (90, "seconds", "1 min 30 s"),
        (1.25, "ms", "1.2 ms"), (2.5, "times", "2.50 ×"), (25, "times", "25.0 ×"),
        (2.6, "whole", "3"),
        ("a\nb", "name", "a\\nb"), (Change(7, 8.25), "number", "7 → 8.25"),
        ("open", "number", "open"),
    ],
)  # fmt: skip
def test_cells(value: object, form: str, text: str) -> None:
    assert cell(value, form) == text


def test_figures_have_a_short_form() -> None:
    assert cell(123_456_789, "number", True) == "123M"
    assert FORMS.keys() > FIGURES


def test_units() -> None:
    assert in_units("1", "records per unit") == "1 record per unit"
    assert in_units("2", "seconds of work") == "2 seconds of work"
    assert in_units("1", "weight") == "1 weight"


def test_numbers_in_names_order_by_their_value() -> None:
    names = ["worker-10", "worker-2", "worker-1", "w", "10", "9", "a1b10", "a1b9", ""]
    assert sorted(names, key=natural_key) == [
        "", "9", "10", "a1b9", "a1b10", "w", "worker-1", "worker-2", "worker-10",
    ]  # fmt: skip


def test_names_that_differ_have_an_order() -> None:
    assert sorted(["a1", "a01", "a001"], key=natural_key) == ["a001", "a01", "a1"]
    assert natural_key("9" * 5000) < natural_key("1" + "0" * 5000)
