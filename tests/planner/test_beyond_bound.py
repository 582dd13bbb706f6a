"""For which assignments the bound of a plan holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from support.groups import group_of, small_groups, snapshot_of, with_members
from support.oracles import Assignments

import equilag
from equilag.domain.group.group import NOBODY
from equilag.domain.policy.policy import Policy
from equilag.planner.compare import compare
from equilag.planner.comparison_figures import BoundScope

GROUP = group_of([4, 2], [[0, 1]] * 3, [0, 0, 1, 1, 2, 2], [9, 8, 7, 1, 30, 2])


def reasons(policy: Policy, assigned: list[int]) -> tuple[str, ...]:
    plan = equilag.solve(GROUP, policy, effort=0.05, time_limit=20.0)
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
    plan = equilag.solve(GROUP, Policy(), effort=0.05, time_limit=20.0)
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


def test_rows_of_a_comparison_have_the_reasons() -> None:
    found = compare(GROUP, "fair-yet-sticky", effort=0.05, time_limit=20.0)
    rows = {row["assignor"]: row for row in found.to_dict()["rows"]}
    moving = {name for name, row in rows.items() if (row["moves"] or 0) > 0}
    assert (
        moving == {name for name, row in rows.items() if "moves" in row["beyond_reasons"]} != set()
    )
    assert not rows["equilag"]["beyond_bound"]
    for row in rows.values():
        assert row["beyond_bound"] == bool(row["beyond_reasons"])
