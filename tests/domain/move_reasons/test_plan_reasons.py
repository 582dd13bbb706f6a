"""Why partitions move: the reasons that a plan gives, and the chains that moves are cut into."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import pytest
from support.extended_groups import ExtendedShape, extended_snapshot, field_sets
from support.groups import group_of, small_groups

import equilag
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY
from equilag.domain.move_reasons.unit_reasons import MOVE_REASON_KINDS
from equilag.domain.plan.assignment import read_assignment
from equilag.domain.plan.move import Move
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.report.words.proof import REASONS, reason_words


def planned(group: equilag.Group, *members: int, **settings: Any) -> Plan:
    """A plan by hand."""
    policy = Policy(**settings)
    return Plan(group, policy, "feasible", "by hand", np.array(members, np.int32))


def kinds(plan: Plan) -> dict[str, str]:
    return {f"{move.topic}-{move.partition}": move.reason.kind for move in plan.moves}


def words(plan: Plan) -> dict[str, str]:
    return {f"{move.topic}-{move.partition}": reason_words(move) for move in plan.moves}


def test_an_exchange_relieves_the_member_that_gives_the_heavier_partition() -> None:
    group = group_of([4], [[0], [0]], owners=[0, 0, 1, 1], lags=[90, 50, 10, 20])
    plan = planned(group, 1, 0, 0, 1)
    first, back = plan.moves
    assert (first.reason.kind, first.reason.member) == ("relief", "m00")
    assert (first.reason.before, first.reason.after, first.reason.amount) == (140, 60, 80)
    assert (first.reason.partitions_before, first.reason.partitions_after) == (2, 2)
    assert first.reason.partners == (("t00", 2),)
    assert json.loads(json.dumps(first.reason.to_dict()))["partners"] == [["t00", 2]]
    assert (back.reason.kind, back.reason.member) == ("exchange", "m00")
    assert back.reason.partners == (("t00", 0),)
    assert words(plan) == {"t00-0": "relieves m00", "t00-2": "in exchange for t00-0"}


def test_a_cyclic_exchange_names_the_move_that_it_is_for() -> None:
    group = group_of([6], [[0]] * 3, owners=[0, 0, 1, 1, 2, 2], lags=[90, 5, 40, 5, 10, 5])
    plan = planned(group, 1, 0, 2, 1, 0, 2)
    assert words(plan) == {
        "t00-0": "relieves m00", "t00-2": "in exchange for t00-0", "t00-4": "in exchange for t00-0",
    }  # fmt: skip
    assert plan.moves[0].reason.partners == (("t00", 4), ("t00", 2))
    assert plan.moves[1].reason.partners == (("t00", 0), ("t00", 4))
    assert plan.reasons.chains == ((("t00", 0), ("t00", 2), ("t00", 4)),)


def test_who_takes_a_heavy_partition_makes_room_for_it() -> None:
    lags = [90, 10, 1, 30, 5, 5]
    group = group_of([6], [[0]] * 3, owners=[0, 0, 1, 1, 2, 2], lags=lags)
    # m01 gets 90 for 1 from m00, and gives 30 for 5 to m02.
    plan = planned(group, 1, 0, 0, 2, 1, 2)
    assert words(plan) == {
        "t00-0": "relieves m00", "t00-2": "in exchange for t00-0",
        "t00-3": "makes room for t00-0", "t00-4": "in exchange for t00-3",
    }  # fmt: skip


def test_a_member_that_gets_new_partitions_makes_room_for_them() -> None:
    group = group_of([3], [[0], [0]], owners=[0, 0, NOBODY], lags=[5, 1, 90])
    plan = planned(group, 1, 0, 0)
    assert words(plan) == {"t00-0": "makes room for new partitions"}


def test_a_path_that_relieves_nobody_much_evens_counts() -> None:
    group = group_of([5], [[0], [0]], owners=[0, 0, 0, 0, 1], lags=[900, 900, 900, 3, 5])
    plan = planned(group, 0, 0, 0, 1, 1)
    reason = plan.moves[0].reason
    assert (reason.kind, reason.member, reason.amount) == ("counts", "m00", 3)
    assert (reason.partitions_before, reason.partitions_after) == (4, 3)
    assert words(plan) == {"t00-3": "evens counts of m00"}
    # Nobody has two partitions more than the other: no counts are evened by a further one.
    group = group_of([5], [[0], [0]], owners=[0, 0, 0, 1, 1], lags=[900, 900, 3, 5, 6])
    assert kinds(planned(group, 0, 0, 1, 1, 1)) == {"t00-2": "relief"}


def test_topics_count_one_by_one_where_the_balance_is_per_topic() -> None:
    lags = [500, 0, 0, 500, 500, 0]
    group = group_of([3, 3], [[0, 1]] * 2, owners=[0, 0, 0, 1, 1, 1], lags=lags)
    moved_apart = (0, 0, 1, 1, 1, 0)
    plan = planned(group, *moved_apart, name="kip-169")
    assert kinds(plan) == {"t00-2": "counts", "t01-2": "counts"}
    plan = planned(group, *moved_apart)  # totals are even as they are
    assert kinds(plan) == {"t00-2": "exchange", "t01-2": "exchange"}
    plan = planned(group, *moved_apart, balance="none")
    assert "counts" not in kinds(plan).values()


def test_a_plan_that_does_not_weigh_moves_gives_no_reasons() -> None:
    group = group_of([2], [[0], [0]], owners=[0, 0], lags=[5, 1])
    plan = planned(group, 0, 1, fresh=True)
    assert kinds(plan) == {"t00-1": "fresh"}
    assert words(plan) == {"t00-1": "planned as if nobody owned it"}
    by_assignor = equilag.assign(group, "round-robin")
    assert words(by_assignor) == {"t00-1": "the assignor's choice"}
    assert by_assignor.moves[0].reason.amount == 1
    assert by_assignor.reasons.chains == plan.reasons.chains == ()


def test_a_partition_that_weighs_nothing_may_have_no_reason_of_its_own() -> None:
    group = group_of([1], [[0], [0]], owners=[0], lags=[0])
    assert words(planned(group, 1)) == {"t00-0": "part of the plan as a whole"}


EXTENDED: dict[str, Any] = {
    "format": "equilag/snapshot/1",
    "group": "real",
    "topics": {"a": 3, "b": 3, "c": 2},
    "subscriptions": {"all": ["a", "b", "c"]},
    "members": [
        {"id": "x", "subscription": "all", "owned": {"a": [0, 1], "b": [0, 2], "c": [0, 1]}},
        {"id": "y", "subscription": "all", "owned": {"a": [2], "b": [1]}},
    ],
    "lags": {"a": [9, 50, 2], "b": [1, 2, 3], "c": [4, 5]},
}


def test_partitions_of_a_unit_go_together() -> None:
    group = equilag.load_snapshot({**EXTENDED, "co_partitioned": [["a", "b"]]})
    plan = equilag.solve(group, max_moves=None)
    assert plan.reduction is not None
    target = {"x": {"a": [1], "b": [1], "c": [0]}, "y": {"a": [0, 2], "b": [0, 2], "c": [1]}}
    assigned = read_assignment(group, target, [])
    assert assigned is not None
    plan = Plan(group, Policy(), "feasible", "by hand", assigned, reduction=plan.reduction)
    found = words(plan)
    assert found["b-1"] == "goes with a-1"  # the unit was torn apart
    assert found["b-2"] == "goes with a-2"
    assert found["b-0"] == "goes with a-0"  # together with its unit
    by_name = {(move.topic, move.partition): move.reason.kind for move in plan.moves}
    assert (by_name["b", 1], by_name["b", 0]) == ("join", "unit")


def test_owners_that_may_not_keep_a_partition_and_members_above_their_room() -> None:
    group = equilag.load_snapshot(EXTENDED)
    plan = equilag.solve(group, pin=["a-1=y"], balance="none")
    found = words(plan)
    assert found["a-1"] == "x may not keep it"
    tight = equilag.solve(group, balance="none", max_partitions=4, max_moves=2)
    assert set(kinds(tight).values()) == {"room"}
    assert set(words(tight).values()) == {"x is above its limit"}


def test_a_read_across_racks_that_ends() -> None:
    racks = {"a": [["r2"]] * 3, "b": [["r1"]] * 3, "c": [["r1", "r2"]] * 2}
    members = [dict(member, rack=rack) for member, rack in
               zip(EXTENDED["members"], ("r1", "r2"), strict=True)]  # fmt: skip
    group = equilag.load_snapshot({**EXTENDED, "racks": racks, "members": members})
    plan = equilag.solve(group, rack_aware=True)
    assert kinds(plan)["a-1"] == "racks"
    assert words(plan)["a-1"] == "ends a read across racks"


def check_figures(plan: Plan) -> None:
    """What each reason says of loads and counts follows from the assignment alone."""
    loads, per_capacity = plan.loads.by_member, plan.loads is not plan.lag
    owned = {f"{move.topic}-{move.partition}": move for move in plan.moves}
    falls: dict[str, float] = defaultdict(float)
    for move in plan.moves:
        reason = move.reason
        assert reason.after == pytest.approx(loads[reason.member])
        assert len(reason.partners) <= 3
        for partner in reason.partners:
            assert f"{partner[0]}-{partner[1]}" in owned or reason.kind == "join"
        if reason.kind in ("relief", "makes-room"):
            assert reason.member == move.source
            assert reason.amount > 0
            assert (reason.after < reason.before) == (reason.kind == "relief")
        if reason.kind == "exchange":
            assert reason.partners
            assert reason.member != move.source or reason.amount <= 0
        if reason.kind == "restriction":
            assert not may_keep(plan, move)
        if not per_capacity and plan.reduction is not None and plan.reduction.unit_of is None:
            falls[move.source] += move.lag
            falls[move.target] -= move.lag
        assert set(reason.to_dict()) - {"partners", "more_partners"} == {
            "kind", "member", "before", "after", "amount", "partitions_before", "partitions_after",
        }  # fmt: skip
    for move in plan.moves:
        reason = move.reason
        if falls and not (plan.group.owner == NOBODY).any():
            assert reason.before - reason.after == pytest.approx(falls[reason.member])


def may_keep(plan: Plan, move: Move) -> bool:
    group = plan.planned.group
    topic = plan.group.topics.index(move.topic)
    partition = int(plan.group.topic_start[topic]) + move.partition
    unit_of = plan.planned.unit_of
    unit = partition if unit_of is None else int(unit_of[partition])
    member = [m.id for m in group.members].index(move.source)
    return bool(group.may_hold(np.array([unit]), member)[0])


def test_reasons_of_random_plans_say_what_is_so() -> None:
    for group in small_groups(5, 14, members=4, size=4):
        for settings in ({"tolerance": 0.0}, {"policy": "kip-169"}, {"balance": "none"}):
            check_figures(equilag.solve(group, effort=0.02, **settings))


def test_reasons_of_random_extended_groups_say_what_is_so() -> None:
    rng, seen = Random(3), set()
    for fields in islice(field_sets(rng), 45):
        group = equilag.load_snapshot(extended_snapshot(rng, ExtendedShape(4, 8, fields)))
        try:
            plan = equilag.solve(group, effort=0.01, rack_aware="rack" in fields)
        except InputError:  # too little room, or a partition that nobody may take
            continue
        check_figures(plan)
        seen |= {move.reason.kind for move in plan.moves}
    assert seen >= {"relief", "exchange", "restriction", "join", "unit", "racks", "counts"}


def test_exactly_the_paths_that_lower_the_sum_of_squares_even_counts() -> None:
    evened = 0
    for group in small_groups(11, 80, members=4, size=5, kind="zero"):
        plan = equilag.solve(group, effort=0.01)
        by_name = {(move.topic, move.partition): move for move in plan.moves}
        counts = dict(plan.counts.by_member)
        for move in plan.moves:
            counts[move.source] += 1
            counts[move.target] -= 1
        for chain in plan.reasons.chains:
            source, target = by_name[chain[0]].source, by_name[chain[-1]].target
            lower = counts[source] - counts[target] > 1
            assert {by_name[move].reason.kind == "counts" for move in chain} == {lower}
            counts[source] -= 1
            counts[target] += 1
            evened += lower
    assert evened > 20


def test_every_kind_has_words() -> None:
    assert set(REASONS) == set(MOVE_REASON_KINDS)


def test_the_heaviest_of_both_sides_change_places() -> None:
    group = group_of([5], [[0], [0]], owners=[0, 0, 1, 1, 0], lags=[5, 9, 2, 3, 1])
    chains = planned(group, 1, 1, 0, 0, 1).reasons.chains
    assert sorted(sorted(p for _, p in chain) for chain in chains) == [[0, 2], [1, 3], [4]]
