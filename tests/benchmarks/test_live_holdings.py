"""The figures of live runs, from events that are written down here; no broker."""

from __future__ import annotations

from support.live_holdings import (
    ChangeFigures,
    Overlap,
    change_figures,
    gaps_of,
    holdings_of,
    overlaps_of,
)
from support.live_lines import LineNotes
from support.live_log import Event, Log
from support.live_offsets import OffsetsRead

P, Q = ("t", 0), ("t", 1)


def test_a_member_hands_a_partition_over() -> None:
    events = [
        Event(1.0, "a", "assign", (P, Q)),
        Event(5.0, "a", "revoke", (Q,)),
        Event(5.5, "b", "assign", (Q,)),
    ]
    assert change_figures(events, 4.0, 8.0, {}) == ChangeFigures(1, 1, 0.5, 0.5, 0, 0.0)


def test_who_left_loses_nothing() -> None:
    events = [
        Event(1.0, "a", "assign", (P, Q)),
        Event(5.0, "a", "revoke", (P, Q)),
        Event(5.2, "b", "assign", (P, Q)),
        Event(5.3, "a", "closed"),
    ]
    figures = change_figures(events, 4.0, 8.0, {"a": 4.9})
    assert (figures.moves, figures.owner_changes) == (0, 2)


def test_eager_members_keep_what_they_get_back() -> None:
    events = [
        Event(1.0, "a", "assign", (P,)),
        Event(1.0, "b", "assign", (Q,)),
        Event(5.0, "a", "revoke", (P,)),
        Event(5.0, "b", "revoke", (Q,)),
        Event(5.25, "a", "assign", (P,)),
        Event(5.25, "b", "assign", (Q,)),
    ]
    assert change_figures(events, 4.0, 8.0, {}) == ChangeFigures(0, 0, 0.5, 0.25, 0, 0.0)


def test_a_partition_without_an_owner_until_the_end() -> None:
    events = [Event(1.0, "a", "assign", (P, Q)), Event(2.0, "a", "lost", (P,))]
    assert change_figures(events, 4.0, 8.0, {}).unowned_partition_s == 4.0
    assert change_figures(events, 4.0, 8.0, {}, gone=["t"]) == ChangeFigures(0, 0, 0.0, 0.0, 0, 0.0)


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
    holdings = holdings_of(events, 10.0)
    assert overlaps_of(holdings) == []
    assert gaps_of(holdings, 10.0) == {P: [(2.0, 8.0)]}


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


def test_lines_of_other_processes() -> None:
    log, read = Log(), OffsetsRead()
    LineNotes(log, read).add_all(
        [
            b"1000 m assign a-b-0,a-b-11\n",
            b"2000 m read a-b-0:0:4,a-b-11:0:9\n",
            b"3000 m revoke a-b-0\n",
            b"4000 n failed Some_error\n",
            b"5000 m revo",
        ]
    )
    assert log.events == [
        Event(1.0, "m", "assign", (("a-b", 0), ("a-b", 11))),
        Event(3.0, "m", "revoke", (("a-b", 0),)),
        Event(4.0, "n", "failed"),
    ]
    assert read.unread({("a-b", 0): 5, ("a-b", 11): 12}) == 2
    LineNotes(log).add("6000 m read a-b-0:0:4")
    assert len(log.events) == 3
