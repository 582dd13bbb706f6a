"""The figures of live runs, from events that are written down here; no broker."""

from __future__ import annotations

from support.live_holdings import (
    ChangeFigures,
    Overlap,
    change_figures,
    holdings_of,
    overlaps_of,
)
from support.live_members import OffsetsRead

from benchmarks.live.assignment_log import Event, gaps_of

P, Q = ("t", 0), ("t", 1)


def test_a_member_hands_a_partition_over() -> None:
    events = [
        Event(1.0, "a", "assign", (P, Q)),
        Event(5.0, "a", "revoke", (Q,)),
        Event(5.5, "b", "assign", (Q,)),
    ]
    assert change_figures(events, 4.0, 8.0, {}) == ChangeFigures(1, 1, 0.5, 0.5, 0, 0.0)


def test_two_owners() -> None:
    events = [
        Event(1.0, "a", "assign", (P,)),
        Event(3.0, "b", "assign", (P, Q)),
        Event(3.5, "a", "lost", (P,)),
    ]
    holdings = holdings_of(events, 9.0)
    assert overlaps_of(holdings) == [Overlap(P, ("a", "b"), 3.0, 3.5)]
    figures = change_figures(events, 2.0, 9.0, {})
    assert (figures.two_owners, figures.longest_two_owners_s, figures.moves) == (1, 0.5, 1)
    assert change_figures(events, 4.0, 9.0, {}).two_owners == 0


def test_a_frozen_member_holds_nothing() -> None:
    events = [
        Event(1.0, "a", "assign", (P,)),
        Event(2.0, "a", "frozen"),
        Event(8.0, "b", "assign", (P,)),
        Event(9.0, "a", "lost", (P,)),
    ]
    assert overlaps_of(holdings_of(events, 10.0)) == []
    assert gaps_of(events, 10.0) == {P: [(2.0, 8.0)]}


def test_offsets_are_merged_into_runs() -> None:
    read = OffsetsRead()
    for first, last in ((0, 4), (10, 12), (5, 6), (3, 5), (20, 20)):
        read.add(P, first, last)
    assert read.unread({P: 21}) == 21 - 7 - 3 - 1
    assert read.unread({P: 7}) == 0
    read.add(P, 7, 19)
    assert read.unread({P: 21}) == 0
    assert read.unread({P: 23, Q: 2}) == 4
    assert read.records == 5 + 3 + 2 + 3 + 1 + 13
