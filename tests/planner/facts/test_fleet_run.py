"""A fleet: what groups are counted under, gaps of assignors; and a group at several moments."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from support.fleet_rows import FAILED, KEPT, ROW, fleet_report
from support.orders_service import orders_group

from equilag.domain.document import to_document
from equilag.planner.facts.fleet_run import BAND_LIMITS, GroupRow, assignor_gaps, fleet_verdict
from equilag.report.reports.history import GrownPartition, change_facts, in_order, moment_facts
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


BOTH = ["orders", "payments"]


def later(**fields: Any) -> Any:
    members = [
        {"id": "a", "subscription": BOTH, "owned": {"orders": [0, 1]}},
        {"id": "d", "subscription": BOTH, "owned": {"orders": [2, 3, 5]}},
        {"id": "c", "subscription": BOTH, "owned": {"payments": [0, 1]}},
    ]
    lags = {"orders": [900, 2, 30, 400, 5, 7], "payments": [60, 800]}
    topics = {"orders": 6, "payments": 2}
    return orders_group(**{"topics": topics, "members": members, "lags": lags, **fields})


def test_what_changed() -> None:
    found = change_facts(orders_group(), later())
    assert (found.joined, found.left) == (("d",), ("b",))
    assert found.changed_hands == 2  # orders-2 from a to d, orders-3 from b to d
    assert (found.new_partitions, found.gone_partitions) == (1, 2)
    assert found.lag == 2204 - 2286
    assert found.grown == (
        GrownPartition("payments", 1, 7, 800), GrownPartition("orders", 2, 3, 30),
    )  # fmt: skip
    same = change_facts(later(), later())
    assert (same.joined, same.left, same.changed_hands, same.lag, same.grown) == ((), (), 0, 0, ())


def test_a_moment() -> None:
    found = moment_facts(later(taken_at="2026-11-20T08:30:00Z"))
    assert (found.members, found.partitions, found.unowned) == (3, 8, 1)
    assert (found.total_lag, found.heaviest) == (2204, "a")
    assert found.heaviest_percent == pytest.approx(100 * 902 / (2204 / 3))
    quiet = moment_facts(later(lags={}))
    assert (quiet.heaviest, quiet.heaviest_percent, quiet.taken_at) == (None, None, "")


def test_the_order_is_that_of_the_times_if_all_are_known() -> None:
    times = "2026-11-20T10:00:00+02:00", "2026-11-20T08:30:00Z", "2026-11-19t23:00:00z"
    groups = [later(taken_at=at) for at in times]
    assert [groups.index(one) for one in in_order(groups)] == [2, 0, 1]
    unknown = [*groups, later()]
    assert in_order(unknown) == tuple(unknown)


def test_a_gap_at_a_limit_is_below_it() -> None:
    gaps = [-4.0, 0.0, 1.0, 1.01, 10.0, 10.5, 50.0, 99.0, 100.0, 100.1, 5000.0]
    found = assignor_gaps("range", gaps)
    assert BAND_LIMITS == (1, 10, 50, 100)
    assert found.bands == (3, 2, 2, 2, 2)
    assert sum(found.bands) == found.groups == len(gaps)


def test_quartiles() -> None:
    gaps = [float(gap) for gap in range(101)]
    found = assignor_gaps("fair", gaps)
    percentiles = found.minimum, found.p5, found.p25, found.median, found.p75, found.p95
    assert (*percentiles, found.maximum) == (0, 5, 25, 50, 75, 95, 100)
    assert json.loads(json.dumps(to_document(found)))["bands"] == [2, 9, 40, 50, 0]
