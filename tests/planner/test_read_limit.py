"""Limits on moves and on reads across racks, against all assignments; the cause of a refusal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from support.extended_groups import ExtendedShape, extended_snapshot
from support.groups import snapshot_of, with_members
from support.oracle_optima import all_optima
from support.oracle_snapshots import Snapshot, read_group

import equilag
from equilag.domain.errors import InputError
from equilag.domain.group.extended_columns import MoveUnit
from equilag.domain.policy.objective import Objective
from equilag.domain.policy.policy import Policy
from equilag.planner.solving.read_limit import check_found

SHAPE = ExtendedShape(members=3, units=6, fields=frozenset({"rack", "subscriptions"}))


def drawn(seed: int) -> Snapshot:
    return extended_snapshot(Random(seed), SHAPE)


@pytest.mark.parametrize("make", [equilag.solve, equilag.frontier])
def test_fewer_reads_than_the_counts_force_are_refused(make: Callable[..., object]) -> None:
    snapshot = drawn(5)
    least = next(n for n in range(9) if all_optima(read_group(snapshot), most_across=n) is not None)
    assert least > 0
    group = equilag.load_snapshot(dict(snapshot))
    with pytest.raises(equilag.InputError, match=f"the {least} partitions that have to be read"):
        make(group, max_cross_rack=least - 1)


def test_a_cost_of_moves_is_in_no_claim_where_fewer_moves_come_first() -> None:
    snapshot = snapshot_of([1, 3], [[0, 1], [0, 1]], [1, 1, 1, -1], [20, 0, 10, 10])
    snapshot["members"][1]["rack"] = "c"
    snapshot["racks"] = {"t01": [["c", "d"], ["b", "c"], ["b"]]}
    group = equilag.load_snapshot(snapshot)
    plan = equilag.solve(
        group, "fair-yet-sticky", max_cross_rack=6, move_cost=50, effort=0.05, time_limit=60
    )
    assert equilag.verify(group, plan) == []


@pytest.mark.parametrize("seed", range(3))
def test_every_point_of_the_frontier_keeps_to_the_limit(seed: int) -> None:
    snapshot = drawn(seed)
    limit = 2 + seed % 3
    oracle = read_group(snapshot)
    optima = all_optima(oracle, most_across=limit)
    group = equilag.load_snapshot(dict(snapshot))
    settings = {"max_cross_rack": limit, "effort": 0.2, "time_limit": 60}
    points = [(point.moves, point.spread) for point in equilag.frontier(group, **settings)]
    assert points[0][0] >= optima.front[0][0]
    assert points[-1][1] == optima.front[-1][1]
    for moves, spread in points:
        assert spread >= min(best for fewest, best in optima.front if fewest <= moves)


@pytest.mark.parametrize("number", [4, pytest.param(60, marks=pytest.mark.long)])
def test_both_limits_are_met_exactly_and_refused_only_where_nothing_meets_them(number: int) -> None:
    seen, settings = 0, {"effort": 0.1, "time_limit": 60, "tolerance": 0}
    for seed in range(100, 100 + number):
        snapshot, limit = drawn(seed), seed % 4
        oracle, group = read_group(snapshot), equilag.load_snapshot(dict(snapshot))
        optima = all_optima(oracle, most_across=limit)
        if optima is None:
            with pytest.raises(equilag.InputError):
                equilag.solve(group, max_cross_rack=limit, **settings)
            continue
        fewest = optima.front[0][0]
        if fewest:
            with pytest.raises(equilag.InputError):
                equilag.solve(group, max_cross_rack=limit, max_moves=fewest - 1, **settings)
        for moves, spread in (*optima.front, (None, optima.front[-1][1])):
            plan = equilag.solve(group, max_cross_rack=limit, max_moves=moves, **settings)
            got, seen = oracle.figures(oracle.placed(plan.assignment)), seen + 1
            assert got.cross <= limit
            assert moves is None or got.moves <= moves
            assert (got.members, got.spread) == (optima.figures.members, spread)
            assert equilag.verify(group, plan) == []
    assert seen >= number // 2


@pytest.mark.parametrize("number", [12, pytest.param(300, marks=pytest.mark.long)])
def test_the_fewest_moves_within_the_limit_are_bounded(number: int) -> None:
    """By flows that price moves and reads, exactly but for a few; forged prices prove nothing."""
    exact, binding, seed = 0, 0, 0
    while binding < number:
        seed += 1
        snapshot = drawn(seed)
        oracle = read_group(snapshot)
        free, limit = all_optima(oracle).front[0][0], seed % 3
        optima = all_optima(oracle, most_across=limit)
        if optima is None or (fewest := optima.front[0][0]) == free:
            continue
        group = equilag.load_snapshot(dict(snapshot))
        plan = equilag.solve(
            group, "fair-yet-sticky", max_cross_rack=limit, effort=0.02, time_limit=60
        )
        assert len(plan.moves) == fewest
        assert free <= plan.moves_lower_bound <= fewest
        exact, binding = exact + (plan.moves_lower_bound == fewest), binding + 1
        assert equilag.verify(group, plan) == []
        claim = next(c for c in plan.to_dict()["certificate"]["claims"] if "prices" in c["data"])
        move, read = claim["data"]["prices"]
        for prices in ([move, read + 1], [move + 1, 0], [0, read], [move, -read], [2**40, read], 3):
            forged = plan.to_dict()
            for one in forged["certificate"]["claims"]:
                if "prices" in one["data"]:
                    one["data"] = one["data"] | {"prices": prices}
                    one["value"] = fewest + (type(prices) is list and prices[:1] == [move])
            assert equilag.verify(group, forged), (seed, prices)
    assert exact > 0.9 * number


def test_both_limits_at_once() -> None:
    """One move or more where nothing may be read across racks, none where one read is allowed."""
    snapshot = snapshot_of([2], [[0], [0]], [1, 0]) | {"racks": {"t00": [["a"], ["b"]]}}
    group = equilag.load_snapshot(with_members(snapshot, rack="ab"))
    assert equilag.solve(group, max_cross_rack=2, max_moves=0).moves == ()
    assert len(equilag.solve(group, max_cross_rack=0).moves) == 2
    with pytest.raises(equilag.InputError, match="fewer than the 2 moves"):
        equilag.solve(group, max_cross_rack=0, max_moves=1)
    with pytest.raises(equilag.InputError, match="fewer than the 2 moves") as caught:
        equilag.frontier(group, max_cross_rack=0, max_moves=1)
    assert caught.value.place == "max_moves"


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        ([(9, 1), (3, 7), (5, 2)], None),
        ([(9, 1), (3, 7)], "max_move_weight: .* 1 reads across racks and 2 moves .* less than 9"),
        ([(9, 3), (3, 7)], "max_moves: .* 1 reads across racks was found that moves fewer than 3"),
    ],
)
def test_one_plan_has_to_keep_both_limits_on_moves(
    found: list[tuple[int, int]], problem: str | None
) -> None:
    """Each plan found is a moved weight and a number of moves."""
    unit = MoveUnit(moves=100)
    policy = Policy(max_cross_rack=1, max_moves=2, max_move_weight=5)
    moves = [SimpleNamespace(moves=unit.price(*one)) for one in found]
    extended = SimpleNamespace(moved_partitions=unit.count, moved_weight=unit.weight)
    asked = SimpleNamespace(
        objective=Objective(policy, unit=unit), group=SimpleNamespace(extended=extended)
    )
    state: Any = SimpleNamespace(problem=asked, front=SimpleNamespace(candidates=moves))
    with pytest.raises(InputError, match=problem) if problem else nullcontext():
        check_found(state, policy)


SNAPSHOT: dict[str, Any] = {
    "format": "equilag/snapshot/1",
    "group": "g",
    "topics": {"a": 6, "b": 6},
    "members": [
        {"id": "m0", "subscription": ["a", "b"], "rack": "x",
         "owned": {"a": list(range(6)), "b": list(range(6))}},
        {"id": "m1", "subscription": ["a", "b"], "rack": "y"},
    ],
}  # fmt: skip
RACKS = {"racks": {"a": [["x"]] * 6, "b": [["y"]] * 6}}
HINT = "; with balance none fewer may do"
TWO = "2 of them from owners that may not keep theirs"
READS = "the fewest reads across racks"
ALLOWED = {"allowed": {"a": {"3": ["m1"], "4": ["m1"]}}}


@pytest.mark.parametrize(
    ("fields", "settings", "problem"),
    [
        ({}, {}, f"6 moves that even counts force{HINT}"),
        (RACKS, {"rack_aware": True}, f"6 moves that even counts and {READS} force{HINT}"),
        ({}, {"rack_aware": True}, f"6 moves that even counts force{HINT}"),
        (ALLOWED, {}, f"6 moves that even counts and restrictions force ({TWO}){HINT}"),
        (ALLOWED, {"balance": "none"}, f"2 moves that restrictions force ({TWO})"),
        (
            ALLOWED,
            {"policy": "sticky-yet-fair"},
            "2 moves that owners that may not keep theirs force",
        ),
        ({}, {"max_partitions": 10, "balance": "none"}, "2 moves that room forces"),
    ],
)
def test_the_cause_is_named(fields, settings, problem: str) -> None:
    group = equilag.load_snapshot({**SNAPSHOT, **fields})
    with pytest.raises(InputError) as caught:
        equilag.solve(group, max_moves=1, effort=0.01, time_limit=60, **settings)
    assert str(caught.value) == f"max_moves: 1 is fewer than the {problem}"
