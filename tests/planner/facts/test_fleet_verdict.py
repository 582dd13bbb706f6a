"""The verdict on a fleet: what every group is counted under, and the line of words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.fleet_rows import FAILED, KEPT, ROW, fleet_report

from equilag.planner.facts.fleet_run import GroupRow, fleet_verdict
from equilag.report.words.fleet import NEEDS, fleet_headline, need_note


def kept(verdict: str, action: str, **changes: Any) -> GroupRow:
    """A group that is even, and whose members keep up or not."""
    return replace(EVEN, action=action, throughput=replace(KEPT, verdict=verdict, **changes))


EVEN = replace(ROW, max_now=1010.0, excess_now=12.6, action="leave")
FREE = replace(ROW, max_now=None, spread_now=None, excess_now=None, action="assign")


@pytest.mark.parametrize(
    ("rows", "failures", "weight", "words"),
    [
        ((ROW, EVEN, kept("members", "add-members"), *[kept("hot", "repartition")] * 2), 1, "work",
         ("Rebalance 1 of 5 groups: 7 moves take 1,487 records off their heaviest members;"
          " 1 is overloaded, 2 have a hot partition, 1 was not planned; begin with orders")),
        ((ROW,), 0, "bytes", "1,487 bytes off"),
        ((ROW,), 0, "rate", "1,487 records per hour off"),
        ((EVEN, EVEN), 0, "work", "None of 2 groups is worth a rebalance"),
        ((FREE,), 0, "work", "Nobody reads 12 partitions of 1 of 1 group; begin with orders"),
        ((ROW, FREE, replace(FREE, group="most", unowned=9)), 0, "work",
         ("Nobody reads 21 partitions of 2 of 3 groups; rebalance 1: 7 moves take 1,487 records"
          " off their heaviest members; begin with most")),
        ((), 2, "work", "None of 2 groups was planned"),
    ],
)  # fmt: skip
def test_the_headline_says_what_to_do_first(
    rows: tuple[GroupRow, ...], failures: int, weight: str, words: str
) -> None:
    report = fleet_report(*rows, failures=(FAILED,) * failures, settings={"weight": weight})
    assert words in fleet_headline(fleet_verdict(report))


def test_what_to_look_at_is_named() -> None:
    rows = (replace(EVEN, action="look", cause=one) for one in ("one-partition", "all-behind"))
    run = fleet_report(*rows, FREE)
    found = fleet_verdict(run)
    assert (found.unread, found.rebalance, found.look) == (1, 0, 2)
    notes = {need.action: need_note(need, run, found) for need in NEEDS}
    assert notes["look"] == "one-partition, all-behind"
