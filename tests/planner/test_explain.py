"""explain: its plan, what it loosens, what that buys; causes against all assignments."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from threading import Event
from typing import Any

import numpy as np
import pytest
from support.groups import group_of, restricted, small_groups, snapshot_of, with_members
from support.oracles import Assignments
from support.paths import SAMPLES

import equilag
from equilag.domain.group.group import Group
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.planner.explain import LooserPlan, helps
from equilag.planner.explaining.bound_causes import BoundCause, bound_causes
from equilag.planner.explaining.loosened import loosened

SPLIT = group_of([4, 4], [[0], [0], [1], [1]], lags=[100, 110, 120, 130, 5, 5, 5, 5])


def by_name(found: equilag.Explanation) -> dict[str, LooserPlan]:
    return {one.name: one for one in found.looser}


def names(group: equilag.Group, **settings: Any) -> list[str]:
    return [one.name for one in loosened(group, Policy(**settings))]


def test_it_makes_a_plan_with_the_settings_of_solve() -> None:
    found = equilag.explain(SPLIT, effort=0.1, policy="kip-169", tolerance=0.0)
    assert found.plan.policy == Policy("kip-169", tolerance=0.0, weight="lag") or (
        found.plan.policy is not None and found.plan.policy.name == "kip-169"
    )
    assert equilag.verify(SPLIT, found.plan) == []
    assert [cause.side for cause in found.causes] == ["heaviest", "lightest"]
    assert (found.evidence, found.interrupted) == ("checked", False)


def test_it_takes_a_plan_or_its_json() -> None:
    plan = equilag.solve(SPLIT, effort=0.05)
    document = json.loads(json.dumps(plan.to_dict()))
    one, other = (equilag.explain(SPLIT, given, effort=0.1) for given in (plan, document))
    assert one.plan is plan
    assert other.causes == one.causes
    assert other.plan.loads == plan.loads
    assert [move.reason for move in other.plan.moves] == [move.reason for move in plan.moves]
    document["lag"]["max"] += 1
    with pytest.raises(equilag.InputError, match=r"does not hold: lag\.max"):
        equilag.explain(SPLIT, document)
    with pytest.raises(equilag.InputError, match="no effect beside a plan"):
        equilag.explain(SPLIT, plan, balance="none")
    with pytest.raises(equilag.InputError, match="another group"):
        equilag.explain(equilag.load_snapshot(SAMPLES / "audit.snapshot.json"), plan)


def test_each_setting_is_loosened_where_there_is_something_to_loosen() -> None:
    group = group_of([4], [[0]] * 2, lags=[5, 4, 3, 2])
    assert names(group) == ["tolerance", "balance"]
    assert names(group, tolerance=0.0, balance="none") == []
    assert names(group, max_moves=3, move_cost=5) == ["moves", "tolerance", "move-cost", "balance"]
    assert names(group, name="kip-169") == ["tolerance", "topic-balance", "balance"]
    assert names(group, name="fair-yet-sticky") == ["fewest-moves", "balance"]
    assert names(group, pin=["t00-0=m00"], max_partitions=3) == [
        "tolerance", "balance", "pins", "room",
    ]  # fmt: skip
    assert names(SPLIT) == ["tolerance", "balance", "subscriptions"]
    snapshot: dict[str, Any] = {
        "format": "equilag/snapshot/1", "group": "g", "topics": {"a": 2, "b": 2},
        "members": [
            {"id": "x", "subscription": ["a", "b"], "rack": "r", "max_partitions": 9},
            {"id": "y", "subscription": ["a", "b"], "rack": "s"},
            {"id": "steward", "subscription": []},
        ],
        "racks": {"a": [["r"], ["s"]], "b": [["r"], ["s"]]},
        "co_partitioned": [["a", "b"]], "allowed": {"a": {"0": ["x"]}},
    }  # fmt: skip
    extended = equilag.load_snapshot(snapshot)
    assert names(extended, rack_aware=True) == [
        "tolerance", "balance", "co-partitioning", "racks", "allowed", "room",
    ]  # fmt: skip
    for one in loosened(extended, Policy(rack_aware=True)):
        plan = equilag.solve(one.group, one.policy, effort=0.01)
        assert plan.status in ("optimal", "feasible")


def test_a_member_without_topics_stays_without_any() -> None:
    group = group_of([2, 2], [[0], [1], []], lags=[9, 8, 1, 1])
    wider = next(one for one in loosened(group, Policy()) if one.name == "subscriptions")
    plan = equilag.solve(wider.group, effort=0.01)
    assert plan.assignment["m02"] == {}
    assert plan.loads.spread < 10


def test_a_row_helps_only_if_its_plan_is_better_or_moves_less() -> None:
    helped = 0
    for group in small_groups(31, 20, limit=400, members=4, size=4):
        found = equilag.explain(group, effort=0.05)
        loads, moves = found.plan.loads, len(found.plan.moves)
        for row in found.looser:
            if row.helps:
                other = row.plan.loads
                assert (
                    other.max < loads.max
                    or other.spread < loads.spread
                    or other.excess < loads.excess
                    or len(row.plan.moves) < moves
                )
                helped += 1
            elif row.evidence == "proved" and row.name == "balance":
                every = Assignments.all(group)
                step = 0.011 * loads.mean + 1
                assert every.spread.min() >= loads.spread - step
    assert helped > 10


def test_what_the_tolerance_gives_away_is_no_help() -> None:
    group = group_of([4], [[0]] * 2, lags=[70, 30, 28, 20])
    plan, other = (equilag.solve(group, balance=name, tolerance=0) for name in ("total", "none"))
    assert (plan.loads.spread, other.loads.spread) == (32, 8)
    assert helps(plan, other, "balance")
    assert not helps(other, plan, "balance")
    tolerant = replace(plan, policy=Policy(tolerance=50))
    assert not helps(tolerant, other, "balance")
    assert helps(tolerant, other, "moves")  # which is about the tolerance itself


def test_what_subscriptions_cost_is_found_and_a_floor_is_proved() -> None:
    found = by_name(equilag.explain(SPLIT, effort=0.1))
    assert found["subscriptions"].helps
    assert found["subscriptions"].plan.loads.max < 230
    assert (found["tolerance"].helps, found["tolerance"].evidence) == (False, "proved")
    assert found["tolerance"].plan is None  # proved without a plan


def test_a_looser_setting_that_asks_for_the_impossible_says_so() -> None:
    group = group_of([6], [[0]] * 2, owners=[0] * 6, lags=[1, 2, 3, 4, 5, 6])
    found = by_name(equilag.explain(group, effort=0.1, balance="none", max_moves=1))
    assert found["moves"].helps
    tight = group_of([6], [[0], [0]], owners=[0] * 6, lags=[6, 5, 4, 3, 2, 1])
    row = by_name(equilag.explain(tight, effort=0.1, policy="kip-169", max_moves=3))
    assert set(row) >= {"moves", "topic-balance", "balance"}


def test_no_time_leaves_the_settings_untried_and_a_stop_says_so() -> None:
    group = group_of([6], [[0]] * 2, owners=[0] * 6, lags=[9, 8, 3, 4, 5, 6])
    stop = Event()
    stop.set()
    found = equilag.explain(group, stop=stop)
    assert found.interrupted
    assert {row.evidence for row in found.looser} <= {"not tried", "proved"}


def test_the_plan_of_an_assignor_is_explained_without_bounds() -> None:
    plan = equilag.assign(SPLIT, "range")
    found = equilag.explain(SPLIT, plan, effort=0.01)
    assert (found.causes, found.looser) == ((), ())


def covered(group: Group, plan: Plan, cause: BoundCause) -> Assignments:
    """All assignments that a cause is about, by its scope alone."""
    policy = plan.policy
    every = Assignments.all(group, keep_owned=cause.scope in ("owners",) or policy.pins_owned)
    if cause.scope == "subscriptions":
        every = Assignments.all(group)
    if cause.scope == "counts":
        every = every.balanced(policy.balance)
    if cause.max_moves is not None:
        every = every.where(every.moves <= cause.max_moves)
    return every


def check(group: Group, plan: Plan, cause: BoundCause) -> None:
    every = covered(group, plan, cause)
    if cause.side == "heaviest":
        assert every.highest.min() >= cause.bound
    elif cause.side == "lightest":
        assert every.lowest.max() <= cause.bound
    else:
        assert every.spread.min() >= cause.bound
    weights = {group.partition_name(p): int(group.lag[p]) for p in range(group.n_partitions)}
    if cause.kind in ("partition", "partitions", "members"):
        assert cause.n_partitions == len(cause.partitions)
        assert cause.weight == sum(weights[name] for name in cause.partitions)
    if cause.kind == "partition":
        assert cause.alone == cause.weight
    if cause.kind == "members" and cause.scope == "subscriptions" and cause.members:
        check_members(group, cause)


def check_members(group: Group, cause: BoundCause) -> None:
    """Nobody else reads these partitions, or these members read no others."""
    chosen = [member.id in cause.members for member in group.members]
    for p in range(group.n_partitions):
        readers = group.may_hold(np.array([p]), np.arange(group.n_members))
        named = group.partition_name(p) in cause.partitions
        inside, outside = readers[chosen].any(), readers[np.invert(chosen)].any()
        expected = inside and not outside if cause.side == "heaviest" else inside
        assert named == expected


SETTINGS: list[dict[str, Any]] = [
    {"tolerance": 0.0}, {"policy": "kip-169"}, {"balance": "none"}, {"max_moves": 1},
    {"policy": "fair-yet-sticky"}, {"policy": "sticky-yet-fair"}, {"fresh": True},
]  # fmt: skip


def test_no_assignment_beats_a_cause_in_its_scope() -> None:
    seen: Counter[str] = Counter()
    rng = np.random.default_rng(8)
    for number, plain in enumerate(small_groups(21, 160, limit=600, members=4, size=4)):
        group = restricted(plain, rng) if number % 5 == 4 else plain
        settings = SETTINGS[number % len(SETTINGS)]
        try:
            plan = equilag.solve(group, effort=0.02, **settings)
        except equilag.InputError:  # fewer moves than the counts force
            continue
        for cause in bound_causes(plan):
            check(group, plan, cause)
            seen[f"{cause.kind} {cause.side}"] += 1
            seen[cause.scope] += 1
    assert seen["partition heaviest"] > 5
    assert seen["members heaviest"] > 5
    assert seen["members lightest"] > 5
    assert seen["moves spread"] > 1
    assert seen["subscriptions"] > 20
    assert seen["counts"] > 3


def test_a_hot_partition_is_named_with_its_own_load() -> None:
    group = group_of([6], [[0]] * 3, owners=[0, 0, 1, 1, 2, 2], lags=[900, 10, 10, 10, 10, 10])
    (cause,) = bound_causes(equilag.solve(group))
    assert (cause.kind, cause.partitions, cause.scope) == (
        "partition", (("t00", 0),), "subscriptions",
    )  # fmt: skip
    assert (cause.bound, cause.alone, cause.members) == (900, 900, ())


def test_what_only_some_members_read_is_named_on_both_sides() -> None:
    lags = [100, 110, 120, 120, 5, 5, 5, 5]
    group = group_of([4, 4], [[0], [0], [1], [1]], lags=lags)
    heavy, light = bound_causes(equilag.solve(group))
    assert (heavy.kind, heavy.side, heavy.members) == ("members", "heaviest", ("m00", "m01"))
    assert (heavy.topics, heavy.bound, heavy.n_partitions) == (("t00",), 225, 4)
    assert (light.side, light.members, light.topics) == ("lightest", ("m02", "m03"), ("t01",))
    assert (light.scope, light.bound) == ("subscriptions", 10)


def test_pins_are_a_scope_of_their_own() -> None:
    group = group_of([4], [[0]] * 2, lags=[50, 40, 5, 5])
    plan = equilag.solve(group, pin=["t00-0=m00", "t00-1=m00"])
    causes = bound_causes(plan)
    assert {cause.scope for cause in causes} == {"restrictions"}
    assert causes[0].bound == 90
    assert causes[0].partitions == (("t00", 0), ("t00", 1))


def test_room_and_capacities_bound_too() -> None:
    snapshot = snapshot_of([6], [[0], [0]], lags=[10] * 6)
    with_members(snapshot, capacity=(1, 4), max_partitions=(None, 1))
    plan = equilag.solve(equilag.load_snapshot(snapshot))
    causes = bound_causes(plan)
    assert causes[0].scope == "counts"  # which follow from capacities and room
    assert causes[0].bound == plan.loads.max == 50


def test_a_nearly_even_plan_and_an_assignors_have_no_causes() -> None:
    group = group_of([4], [[0]] * 2, lags=[50, 50, 50, 50])
    assert bound_causes(equilag.solve(group)) == ()
    assert bound_causes(equilag.assign(group, "range")) == ()
    assert bound_causes(equilag.solve(group_of([2], [[0]] * 2))) == ()


def test_a_limit_on_moves_is_the_cause_where_nothing_else_is() -> None:
    group = group_of([4], [[0]] * 2, owners=[0, 0, 1, 1], lags=[50, 50, 1, 1])
    causes = bound_causes(equilag.solve(group, max_moves=0))
    assert [(cause.kind, cause.side, cause.max_moves) for cause in causes] == [
        ("moves", "spread", 0)
    ]
    assert causes[0].bound == 98
