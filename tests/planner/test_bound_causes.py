"""What bounds a plan: every cause is held against all assignments of small groups."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from support.groups import group_of, restricted, small_groups, snapshot_of, with_members
from support.oracles import Assignments

import equilag
from equilag.domain.group.group import Group
from equilag.domain.plan.plan import Plan
from equilag.planner.explaining.bound_causes import BoundCause, bound_causes


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
