"""Figures and names in templates."""

from __future__ import annotations

import pytest

from equilag.report.page.page_filters import FILTERS, cell, figure, name, number, option


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (12, "number", "12"),
        (12.0, "number", "12"),
        (1234.5, "number", "1,234"),
        (0.25, "share", "25.0 %"),
        (None, "number", "-"),
        (90, "seconds", "1 min 30 s"),
        (1.5, "ms", "1.500 ms"),
        (True, "yes", "yes"),
        ("a\nb", "text", "a\\nb"),
    ],
)
def test_figures(value, form, text) -> None:
    assert figure(value, form) == text


def test_names_are_escaped_and_cut_in_their_middle() -> None:
    assert name("<b>") == "<bdi>&lt;b&gt;</bdi>"
    assert number(1.0) == "1"
    long = "a" * 100 + '"9'
    assert name(long, 10) == f'<bdi title="{"a" * 100}&#34;9">aaaaaa…a&#34;9</bdi>'
    assert "\u202e" not in name("a\u202eb")


def test_cells_of_objects_and_of_lists() -> None:
    assert cell({"lag": 1000}, {"key": "lag", "form": "number"}, 5) == "1,000"
    assert cell(["x", 1000], {"key": "lag", "form": "number"}, 1) == "1,000"
    assert cell(["<i>"], {"key": "id", "form": "name"}, 0) == "<bdi>&lt;i&gt;</bdi>"
    assert cell([None], {"key": "id", "form": "name"}, 0) == "-"
    assert cell(["a"], {"key": "id"}, 0) == "a"


def test_words() -> None:
    assert option("max_moves") == "--max-moves"
    assert FILTERS["listed"](["a", "b\t"]) == "a, b\\t"
