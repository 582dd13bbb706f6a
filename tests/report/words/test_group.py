"""Doubts about the figures of a group, in words."""

from __future__ import annotations

from dataclasses import replace

from support.orders_service import orders_snapshot

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.group.input_doubt import InputDoubt
from equilag.planner.facts.group import group_facts
from equilag.report.words.group import group_title

ALL = (
    InputDoubt("claimed_twice", 1, (("orders-3", "c-1", "c-2"),)),
    InputDoubt("dropped_claim", 9, (("a-1", "c", "no such topic"), ("b-2", "c", "x")) * 2),
    InputDoubt("lags_and_offsets", 2, (("orders",), ("pay\nments",))),
    InputDoubt("missing_topic", 1, (("c-1", "audti"),)),
)


def test_each_kind_in_words() -> None:
    group = replace(load_snapshot(orders_snapshot()), doubts=ALL)
    words = [*group_title(group_facts(group)).notes]
    assert words == [
        (
            "1 partition claimed by two members of one generation, so nobody owns it:"
            " orders-3 (c-1, c-2)"
        ),
        (
            "9 claims dropped: a-1 of c (no such topic), b-2 of c (x), a-1 of c (no such topic)"
            " and 6 more"
        ),
        "2 topics have both lags and offsets; the lags count: orders, pay\\nments",
        "1 subscription to a topic that does not exist: c-1 to audti",
    ]


def test_claims_dropped_without_names_are_counted() -> None:
    group = replace(load_snapshot(orders_snapshot()), doubts=(), dropped_claims=2)
    (found,) = group_title(group_facts(group)).notes
    assert found.startswith("2 claims dropped: the partition is gone, or")
