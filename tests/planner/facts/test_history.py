"""A group at several moments, and the gaps of assignors over a fleet, against plain computation."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from support.orders_service import orders_group

from equilag.domain.document import to_document
from equilag.planner.facts.fleet_run import BAND_LIMITS, assignor_gaps
from equilag.report.reports.history import GrownPartition, change_facts, in_order, moment_facts

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
    assert (found.minimum, found.p25, found.median, found.p75, found.maximum) == (
        0,
        25,
        50,
        75,
        100,
    )
    assert (found.p5, found.p95) == pytest.approx(tuple(np.percentile(gaps, (5, 95))))
    assert json.loads(json.dumps(to_document(found)))["bands"] == [2, 9, 40, 50, 0]
