"""Figures and names in templates."""

from __future__ import annotations

import pytest
from equilag.report.page.page_filters import FILTERS, cell, figure, name, number, setting, whole


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (12, "number", "12"),
        (12.0, "number", "12"),
        (1234.5, "number", "1,234"),
        (0.25, "share", "25.0 %"),
        (None, "number", "-"),
        (90, "seconds", "1 min 30 s"),
        (1.25, "ms", "1.2 ms"),
        (True, "yes", "yes"),
        ("a\nb", "text", "a\\nb"),
    ],
)
def test_figures(value, form, text) -> None:
    assert figure(value, form) == text


CONTEXT = {
    "labels": {"indexer-1-8f": "indexer-1…"},
    "doc": {"partitions": {"topics": ["orders", "<i>"]}},
}


def test_names_are_escaped_and_cut_in_their_middle() -> None:
    assert name(CONTEXT, "<b>") == "<bdi>&lt;b&gt;</bdi>"
    assert number(1.0) == "1"
    long = "a" * 100 + '"9'
    assert name(CONTEXT, long, 10) == f'<bdi title="{"a" * 100}&#34;9">aaaaaa…a&#34;9</bdi>'
    assert "\u202e" not in name(CONTEXT, "a\u202eb")
    assert name(CONTEXT, "indexer-1-8f") == '<bdi title="indexer-1-8f">indexer-1…</bdi>'


def test_cells_of_objects_and_of_lists() -> None:
    lag = {"key": "lag", "form": "number"}
    assert cell(CONTEXT, {"lag": 1000}, lag, 5) == "1,000"
    assert cell(CONTEXT, ["x", 1000], lag, 1) == "1,000"
    named = {"key": "id", "form": "name"}
    assert cell(CONTEXT, ["<i>"], named, 0) == "<bdi>&lt;i&gt;</bdi>"
    assert cell(CONTEXT, [None], named, 0) == "-"
    assert cell(CONTEXT, ["a"], {"key": "id"}, 0) == "a"
    assert cell(CONTEXT, [1], {**named, "names": "partitions.topics"}, 0) == "<bdi>&lt;i&gt;</bdi>"


def test_words() -> None:
    assert FILTERS["listed"](["a", "b\t"]) == "a, b\\t"
    assert whole(2.6) == "3"
    assert FILTERS["tied"]("29 % above") == "29\u00a0% above"
    assert FILTERS["words"]("equilag plan --fresh") == ["equilag", "plan", "--fresh"]
    assert [*map(setting, [True, False, 1000, 0.5, "a\n"])] == [
        "yes",
        "no",
        "1000",
        "0.5",
        "a\\n",
    ]
    assert setting([["orders", "payments"], "x"]) == "orders, payments, x"
