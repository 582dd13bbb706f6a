"""The verdict on a fleet: what every group is counted under, and the line of words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.fleet_rows import FAILED, KEPT, ROW, fleet_report

from equilag.domain.document import to_document
from equilag.planner.diagnosis.fleet_verdict import fleet_verdict
from equilag.planner.facts.fleet_run import ACTIONS, GroupRow, GroupVerdict
from equilag.report.words.fleet import fleet_headline


def kept(verdict: str, **changes: Any) -> GroupRow:
    """A group that is even, and whose members keep up or not."""
    return replace(EVEN, throughput=replace(KEPT, verdict=verdict, **changes))


EVEN = replace(ROW, max_now=1010.0, excess_now=12.6)
FREE = replace(ROW, max_now=None, spread_now=None, excess_now=None)


@pytest.mark.parametrize(
    ("row", "action"),
    [
        (ROW, "move"),
        (EVEN, "leave"),
        (replace(ROW, moves=0), "leave"),
        (FREE, "assign"),
        (replace(EVEN, unowned=2), "assign"),
        (kept("keeps_up"), "leave"),
        (kept("moves"), "move"),
        (kept("uneven"), "move"),
        (kept("members", members_short=2), "add-members"),
        (kept("members", members_short=0), "loosen"),
        (kept("hot", hot=("t-1",)), "repartition"),
    ],
)
def test_what_to_do_with_a_group_of_an_older_run(row: GroupRow, action: str) -> None:
    assert row.action == action
    assert action in ACTIONS


def test_the_plans_own_verdict_comes_first() -> None:
    row = replace(ROW, judged=GroupVerdict("leave", "Leave it: …", 3.5))
    assert (row.action, row.relief_percent) == ("leave", 3.5)
    assert to_document(row)["headline"] == "Leave it: …"
    assert to_document(ROW)["headline"] is None


def test_the_relief_is_that_of_the_heaviest_member_or_the_mean_one() -> None:
    assert ROW.relief_percent == pytest.approx(100 * (2500 - 1010) / 1000)
    hidden = replace(ROW, max_planned=2500.0, excess_now=5000.0, excess_planned=4000.0)
    assert hidden.relief_percent == pytest.approx(100 * 1000 / 2 / 1000)
    assert replace(ROW, load_mean=0.0).relief_percent == 0
    assert FREE.relief_percent is None


def test_every_group_is_counted_once() -> None:
    rows = (
        ROW, EVEN, replace(FREE, moves=3), kept("moves", short=0.0), kept("keeps_up", short=0.0),
        kept("members", members_short=1, short=2.0), kept("hot", short=1.0),
    )  # fmt: skip
    found = fleet_verdict(fleet_report(*rows, failures=(FAILED,)))
    assert (found.groups, found.planned) == (8, 7)
    assert (found.rebalance, found.leave, found.failed) == (3, 2, 1)
    assert (found.overloaded, found.hot, found.loosen) == (1, 1, 0)
    counts = found.rebalance, found.leave, found.overloaded, found.hot, found.loosen
    assert sum(counts) == found.planned
    assert (found.behind_now, found.behind_planned) == (3, 2)
    assert found.moves == 7 + 3 + 7
    assert found.saved == pytest.approx(1487.4)
    assert found.above == pytest.approx(1500 + 5 * 12.6)


@pytest.mark.parametrize(
    ("rows", "failures", "weight", "words"),
    [
        ((ROW, EVEN, kept("members", members_short=1), kept("hot"), kept("hot")), 1, "work",
         ("Rebalance 1 of 5 groups: 7 moves take 1,487 records off their heaviest members;"
          " 1 is overloaded, 2 have a hot partition, 1 was not planned")),
        ((ROW,), 0, "bytes", "1,487 bytes off"),
        ((ROW,), 0, "rate", "1,487 records per hour off"),
        ((EVEN, EVEN), 0, "work", "None of 2 groups is worth a rebalance"),
        ((FREE,), 0, "work", "Rebalance 1 of 1 group: 7 moves"),
        ((), 2, "work", "None of 2 groups was planned"),
    ],
)  # fmt: skip
def test_the_headline_says_what_to_do_first(
    rows: tuple[GroupRow, ...], failures: int, weight: str, words: str
) -> None:
    report = fleet_report(*rows, failures=(FAILED,) * failures, settings={"weight": weight})
    assert words in fleet_headline(fleet_verdict(report))
