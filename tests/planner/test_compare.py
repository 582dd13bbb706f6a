"""compare and assign: heuristics beside the optimum; for which of them a bound holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.groups import ODD, group_of, odd_cases, small_groups, snapshot_of, with_members
from support.oracles import Assignments

import equilag
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY
from equilag.domain.policy.policy import Policy
from equilag.heuristics import assignor_names
from equilag.planner.compare import Comparison, compare
from equilag.planner.comparison_figures import BoundScope

GROUP = group_of([4, 3], [[0, 1], [0], [0, 1]], [0, 0, 0, 0, 2, 2, -1], [9, 8, 7, 1, 30, 2, 2])


def rows_of(found: Comparison) -> dict[str, dict[str, object]]:
    return {row["assignor"]: row for row in found.to_dict()["rows"]}


def test_figures_are_those_of_the_assignments() -> None:
    found = compare(GROUP, time_limit=20.0)
    assert [row.assignor for row in found.rows] == ["current", *assignor_names(), "equilag"]
    for name, row in rows_of(found).items():
        if name == "current":
            assigned = GROUP.owner
        elif name == "equilag":
            assigned = found.plan.assigned
        else:
            assigned = equilag.assign(GROUP, name).assigned
        one = Assignments(GROUP, assigned[None, :])
        counts = one.counts()[0]
        assert row["count_spread"] == counts.max() - counts.min()
        assert row["moves"] == (0 if name == "current" else one.moves[0])
        assert row["lag_max"] == one.highest[0]
        assert row["lag_spread"] == one.spread[0]
        above = one.loads[0] - one.loads[0].mean()
        assert row["lag_excess"] == pytest.approx(above[above > 0].sum())
        assert float(str(row["wall_ms"])) >= 0


def test_the_gap_is_measured_from_the_proved_bound() -> None:
    found = compare(GROUP, time_limit=20.0)
    truth = Assignments.all(GROUP).balanced("total")
    assert found.spread_lower_bound == truth.spread.min()
    mean = 59 / 3
    for row in found.rows:
        gap = 100 * (row.lag_spread - found.spread_lower_bound) / mean
        assert row.gap_percent_of_mean == pytest.approx(gap)
    assert rows_of(found)["equilag"]["gap_percent_of_mean"] == 0


@pytest.mark.parametrize(("name", "time_limit"), odd_cases([0, 0.1]))
def test_odd_groups(name: str, time_limit: float) -> None:
    group = ODD[name]()
    found = compare(group, time_limit=time_limit)
    assert (found.rows[0].assignor == "current") == bool((group.owner != NOBODY).any())
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["group"] == group.name
    if time_limit == 0:
        assert found.spread_lower_bound == 0


def test_the_optimum_follows_the_policy_that_is_asked_for() -> None:
    for settings in (
        {"policy": "kip-169"},
        {"policy": Policy("kip-169")},
        {"balance": "per-topic"},
    ):
        found = compare(GROUP, time_limit=20.0, **settings)
        assert found.plan.policy.balance == "per-topic"
        truth = Assignments.all(GROUP).balanced("per-topic")
        assert found.rows[-1].lag_spread == truth.spread.min()
    still = compare(GROUP, "sticky-yet-fair", time_limit=20.0)
    assert rows_of(still)["equilag"]["moves"] == 0
    with pytest.raises(InputError, match="move_cost"):
        compare(GROUP, move_cost=-1)


# One heuristic alone.


@pytest.mark.parametrize("name", assignor_names())
def test_one_heuristic_as_a_plan(name: str) -> None:
    plan = equilag.assign(GROUP, name)
    assert plan.status == "feasible"
    assert plan.algorithm == name
    assert plan.settings == {"name": name, "balance": "none"}
    assert plan.moves_lower_bound == 0
    assert plan.time_limit is None
    assert equilag.verify(GROUP, plan) == []
    assert {claim.claim for claim in plan.claims} == {
        "max_load_at_least", "min_load_at_most", "spread_at_least",
    }  # fmt: skip


def test_without_members_there_is_nothing_to_claim() -> None:
    assert equilag.assign(ODD["no members"](), "sticky").claims == ()


@pytest.mark.parametrize("way_in", [equilag.solve, lambda group: equilag.assign(group, "sticky")])
def test_a_group_that_is_none(way_in: Callable[[Any], object]) -> None:
    with pytest.raises(InputError, match="dict is no group"):
        way_in({"group": "g"})


def test_what_is_in_force_may_be_incomplete() -> None:
    group = group_of([3], [[0]] * 2, owners=[0, 0, -1], lags=[5, 5, 100])
    current = compare(group, time_limit=20.0).rows[0]
    assert (current.assignor, current.count_spread, current.lag_max) == ("current", 2, 10)
    assert np.count_nonzero(group.owner == NOBODY) == 1


def test_extended_groups_have_their_figures_and_what_a_row_breaks() -> None:
    members = [
        {"id": "a", "subscription": ["t", "u"], "capacity": 4, "instance": "p", "rack": "x"},
        {"id": "b", "subscription": ["t", "u"], "capacity": 4, "instance": "p", "rack": "x"},
        {"id": "c", "subscription": ["t", "u"], "capacity": 1, "max_partitions": 1, "rack": "y"},
    ]
    group = equilag.load_snapshot(
        {
            "format": "equilag/snapshot/1",
            "group": "real",
            "topics": {"t": 6, "u": 6},
            "members": members,
            "co_partitioned": [["t", "u"]],
            "allowed": {"t": {"0": ["b"]}},
            "lags": {"t": [9, 8, 7, 6, 5, 4], "u": [3, 1, 1, 2, 2, 2]},
            "racks": {"t": [["x"], ["y"]] * 3},
        }
    )
    rows = {row["assignor"]: row for row in compare(group, time_limit=1.0).to_dict()["rows"]}
    own, fair = rows["equilag"], rows["range"]
    assert (own["torn_units"], own["misplaced"], own["overfull"]) == (0, 0, 0)
    # range: two partitions of each topic for each member, a first; so c has two units.
    assert (fair["torn_units"], fair["misplaced"], fair["overfull"]) == (0, 1, 1)
    assert (fair["load_max"], fair["count_per_capacity"]) == (13.0, 2.0)
    assert (fair["instance_count_per_capacity"], own["instance_count_per_capacity"]) == (2.0, 1.0)
    assert (fair["instance_count_spread"], fair["cross_rack"]) == (4, 3)
    assert fair["gap_percent_of_mean"] > own["gap_percent_of_mean"] >= 0
    assert rows["lag-aware"]["torn_units"] > 0
    assert fair["beyond_reasons"] == ["rules"] == rows["lag-aware"]["beyond_reasons"]
    assert own["beyond_reasons"] == []


IN_PAIRS = group_of([4, 2], [[0, 1]] * 3, [0, 0, 1, 1, 2, 2], [9, 8, 7, 1, 30, 2])


def reasons(policy: Policy, assigned: list[int]) -> tuple[str, ...]:
    plan = equilag.solve(IN_PAIRS, policy, effort=0.05, time_limit=20.0)
    return BoundScope(plan).beyond(np.array(assigned, dtype=np.int32), breaks_rules=False)


def test_even_counts_are_those_that_enumeration_finds() -> None:
    found = set()
    for group in small_groups(seed=131, n=8):
        for balance in ("total", "per-topic", "both"):
            plan = equilag.solve(group, balance=balance, tolerance=0, effort=0.05, time_limit=20.0)
            if plan.status == "fallback":
                continue
            scope, best = BoundScope(plan), Assignments.all(group).balanced(balance)
            for name in ("range", "round-robin", "fair", "sticky", "lag-aware"):
                assigned = equilag.assign(group, name).assigned
                expected = () if assigned in best else ("counts",)
                assert scope.beyond(assigned, breaks_rules=False) == expected
                found.add(expected)
    assert len(found) == 2


def test_without_a_balance_counts_are_no_reason() -> None:
    everything = [0] * 6
    assert reasons(Policy(), everything) == ("counts",)
    assert reasons(Policy(balance="none"), everything) == ()


def test_moves_beyond_the_limit() -> None:
    swapped = [1, 0, 0, 1, 2, 2]  # two moves
    assert reasons(Policy(), swapped) == ()
    assert reasons(Policy(max_moves=2), swapped) == ()
    assert reasons(Policy(max_moves=1), swapped) == ("moves",)
    assert reasons(Policy("fair-yet-sticky"), swapped) == ("moves",)
    assert reasons(Policy("sticky-yet-fair"), swapped) == ("moves",)
    assert reasons(Policy("fair-yet-sticky", fresh=True), swapped) == ()
    assert reasons(Policy(max_moves=1), [0] * 6) == ("counts", "moves")


def test_partitions_left_out() -> None:
    assert reasons(Policy(), [0, 0, 1, 1, 2, NOBODY]) == ("partial",)


def test_without_a_search_the_bound_asks_for_no_counts() -> None:
    plan = equilag.solve(IN_PAIRS, Policy(), effort=0.05, time_limit=20.0)
    everything = np.zeros(6, dtype=np.int32)
    uneven = replace(plan, assigned=np.array([0, 0, 0, 0, 1, 1], dtype=np.int32))
    assert BoundScope(uneven).beyond(everything, breaks_rules=False) == ()
    nothing = replace(plan, policy=None)
    assert BoundScope(nothing).beyond(everything, breaks_rules=False) == ()


def test_reads_across_racks() -> None:
    snapshot = snapshot_of([4], [[0], [0]], lags=[4, 3, 2, 1])
    snapshot["racks"] = {"t00": [["x"], ["x"], ["y"], ["y"]]}
    group = equilag.load_snapshot(with_members(snapshot, rack="xy"))
    across = np.array([0, 1, 1, 0], dtype=np.int32)
    for policy, expected in (
        (Policy(), ()),
        (Policy(rack_aware=True), ("racks",)),
        (Policy(max_cross_rack=1), ("racks",)),
        (Policy(max_cross_rack=2), ()),
    ):
        plan = equilag.solve(group, policy, effort=0.05, time_limit=20.0)
        assert BoundScope(plan).beyond(across, breaks_rules=False) == expected
