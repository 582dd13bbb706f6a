"""The plan for a group that changes: even counts and the fewest moves, at once."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from support.live_loads import loads_of
from support.membership_changes import ChangingGroup

import equilag.planner.solve
from equilag.domain.group.group import Group, Member
from equilag.domain.plan.assignment import by_name
from equilag.domain.plan.metrics import count_moves, member_counts
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.setting import OVERRIDES
from equilag.live.rebalance import sticky_plan
from equilag.live.rebalance.decision import Decision, PlanSettings, decide, decide_within
from equilag.live.rebalance.joined_members import JoinedMember, group_of
from equilag.live.rebalance.live_policy import live_policy
from equilag.live.rebalance.measured import Measured
from equilag.live.rebalance.sticky_plan import (
    cheaper_plan,
    gain_of_plan,
    repaired,
    sticky_decision,
    sticky_policy,
    with_move_prices,
)
from equilag.planner.assign import assign
from equilag.planner.simulation.rebalance_price import Pace
from equilag.planner.worth.group_loads import group_loads

SETTINGS = PlanSettings(Policy(weight="lag"), time_limit=20.0)
"""The counted work ends a plan long before."""


def test_a_repair_is_as_good_as_a_search() -> None:
    """The same counts and moves, and loads nearly as even, in 60 random groups."""
    rng, repairs, searches = np.random.default_rng(0), 0.0, 0.0
    for number in range(60):
        n_members, size = int(rng.integers(1, 8)), int(rng.integers(1, 30))
        owner = rng.integers(-1, n_members, size) if number % 2 else np.arange(size) % n_members
        speeds = rng.integers(1, 6, n_members).astype(float) if number % 3 else [None] * n_members
        names = [f"m{m}" for m in range(n_members)]
        lags = rng.lognormal(3, 1, size).astype(int)
        group = Group.build(
            name="g",
            topics={"t": size},
            members=[Member(m, capacity=c) for m, c in zip(names, speeds, strict=True)],
            subscriptions={name: ["t"] for name in names},
            owned={name: {"t": np.flatnonzero(owner == m)} for m, name in enumerate(names)},
            lags={"t": lags.tolist()},
        )
        policy = sticky_policy(Policy(weight="lag"))
        plan = repaired(group, policy)
        assert plan is not None
        other = equilag.solve(group, policy, effort=0.01)
        assert count_moves(group, plan.assigned) == count_moves(group, other.assigned)
        if number % 3 == 0:
            counts = [sorted(member_counts(one.assigned, n_members)) for one in (plan, other)]
            assert counts[0] == counts[1]
        loads = group_loads(group, policy)
        repairs += float(np.ptp(loads.of(plan.assigned)))
        searches += float(np.ptp(loads.of(other.assigned)))
    assert repairs < 1.25 * searches


def test_a_repair_is_not_made_for_rules_or_several_subscriptions() -> None:
    a, b = JoinedMember("a", ("t",)), JoinedMember("b", ("t", "u"))
    policy, sizes = sticky_policy(SETTINGS.policy_for(group_of("g", [a], {"t": 2}))), {"t": 2}
    assert repaired(group_of("g", [a], sizes), policy) is not None
    assert repaired(group_of("g", [a], sizes), replace(policy, pin={("t", 0): "a"})) is None
    assert repaired(group_of("g", [a, b], {"t": 2, "u": 2}), policy) is None


def test_a_late_plan_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()
    monkeypatch.setattr(equilag.planner.solve, "solve", lambda *_, **__: gate.wait(30))
    monkeypatch.setattr(sticky_plan, "repaired", lambda *_: None)
    group = group_of("g", [JoinedMember("a", ("t",))], {"t": 2})
    began = time.monotonic()
    decisions = [
        sticky_decision(group, replace(SETTINGS, time_limit=0.05)),
        sticky_decision(group, SETTINGS, patience=0.1),
        decide_within(group, replace(SETTINGS, time_limit=0.1)),
    ]
    assert time.monotonic() - began < 10
    gate.set()
    reasons = [f"no plan within {seconds} s" for seconds in (0.55, 0.1, 0.5)]
    assert [one.fallback_reason for one in decisions] == reasons
    assert all((one.plan.assigned == 0).all() for one in decisions)


def test_without_time_the_last_resort_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sticky_plan, "repaired", lambda *_: None)
    members = [JoinedMember("a", ("t",), {"t": [0, 1, 2]}), JoinedMember("b", ("t",))]
    for make in (sticky_decision, decide):
        decision = make(group_of("g", members, {"t": 3}), replace(SETTINGS, time_limit=0.0))
        assert decision.fallback_reason == "no time for a plan within 0 s"
        assert sorted(member_counts(decision.plan.assigned, 2)) == [1, 2]


def test_a_sticky_policy_keeps_the_rules() -> None:
    given = Policy("kip-169", tolerance=3, max_moves=1, weight="rate", horizon=9.0)
    found = sticky_policy(given)
    assert (found.name, found.balance) == ("fair-yet-sticky", "per-topic")
    assert (found.max_moves, sticky_policy(Policy(fresh=True)).fresh) == (None, False)
    assert (found.weight, found.horizon) == ("rate", 9.0)
    pinned = Policy(pin={("t", 0): "b"}, co_partition=[["t", "u"]], rack_aware=True)
    assert sticky_policy(pinned).only(*OVERRIDES) == pinned.only(*OVERRIDES)
    assert sticky_policy(pinned).rack_aware
    assert sticky_policy(Policy("sticky-yet-fair")).name == "sticky-yet-fair"


@pytest.mark.parametrize("mixed", [False, True])
def test_never_more_moves_than_kafka(mixed: bool) -> None:
    """Than sticky and constrained-sticky, in the same change from the same start; in groups of
    mixed subscriptions but for counts that are more even than theirs."""
    for seed in range(4):
        changing = ChangingGroup(np.random.default_rng(seed), mixed)
        change = changing.now()
        for _ in range(4):
            group = group_of("g", change.members, change.sizes, Measured(changing.lags()))
            ours = sticky_decision(group, SETTINGS)
            kafkas = assign(group, "constrained-sticky").assigned
            assert ours.fallback_reason is None
            counts, theirs = (
                np.sort(member_counts(assigned, group.n_members))
                for assigned in (ours.plan.assigned, kafkas)
            )
            assert (counts**2).sum() <= (theirs**2).sum()
            if counts.tolist() == theirs.tolist():
                assert len(ours.plan.moves) <= count_moves(group, kafkas)
            else:
                assert not change.uniform
            changing.settle(by_name(group, ours.plan.assigned))
            change = changing.change()


def test_what_a_member_left_behind_goes_where_the_work_is_least() -> None:
    """However uneven the load is, nobody else gives anything away."""
    members = [
        JoinedMember("a", ("t",), {"t": [0, 1]}),
        JoinedMember("b", ("t",), {"t": [2, 3]}),
        JoinedMember("c", ("t",), {"t": [4, 5]}),
    ]
    lags = Measured({"t": [900, 800, 500, 400, 0, 0, 300, 200, 100]})
    plan = sticky_decision(group_of("g", members, {"t": 9}, lags), SETTINGS).plan
    assert plan.assigned.tolist() == [0, 0, 1, 1, 2, 2, 2, 1, 0]


def test_without_anything_to_weigh_each_topic_is_dealt_evenly() -> None:
    """So that little moves when a topic is deleted."""
    names = [f"m{number}" for number in range(8)]
    sizes, nothing = {"t": 30, "u": 18}, Measured({"t": [0] * 30, "u": [0] * 18})
    group = group_of("g", [JoinedMember(name, ("t", "u")) for name in names], sizes, nothing)
    plan = sticky_decision(group, SETTINGS).plan
    members = [JoinedMember(name, ("t",), held) for name, held in plan.assignment.items()]
    group = group_of("g", members, {"t": 30})
    kept = sticky_decision(group, SETTINGS).plan
    assert sorted(member_counts(kept.assigned, 8)) == [3, 3, 4, 4, 4, 4, 4, 4]
    assert count_moves(group, kept.assigned) <= 1


@pytest.mark.parametrize(
    ("capacities", "policy"),
    [({"a": 30.0, "b": 10.0}, Policy(weight="lag")), ({}, Policy(capacity={"a": 3.0, "b": 1.0}))],
)
def test_counts_are_in_proportion_to_capacities(
    capacities: dict[str, float], policy: Policy
) -> None:
    members = [JoinedMember("a", ("t",)), JoinedMember("b", ("t",))]
    group = group_of("g", members, {"t": 4}, Measured({"t": [0] * 4}, capacities=capacities))
    plan = sticky_decision(group, replace(SETTINGS, policy=policy)).plan
    assert member_counts(plan.assigned, 2).tolist() == [3, 1]


POLICY = live_policy()
PACE = Pace(10.0, 3, 5.0, "cooperative")
SPEEDS = {"a": 40.0, "b": 100.0, "c": 100.0}
OWNER = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
LOADS = loads_of([0] * 12, list(SPEEDS), OWNER, [15.0] * 12, None, SPEEDS, True, POLICY)


def of(assigned: list[int]) -> Decision:
    plan = repaired(LOADS.group, sticky_policy(POLICY))
    assert plan is not None
    return Decision(replace(plan, assigned=np.array(assigned, dtype=np.int32)))


def test_moves_have_the_price_of_what_is_produced() -> None:
    loads = loads_of([0] * 4, ["a", "b"], [0, 0, 1, 1], [1.0, 3.0, 0.0, 4.0], policy=POLICY)
    assert with_move_prices(loads, POLICY).move_weights.tolist() == [12, 20, 8, 24]  # type: ignore[union-attr]
    for policy in (live_policy(move_weight="rate"), live_policy("kip-169")):
        assert with_move_prices(loads, policy) is loads.group
    still = loads_of([5] * 4, ["a", "b"], [0, 0, 1, 1], policy=POLICY)
    assert with_move_prices(still, POLICY) is still.group


def test_a_plan_that_moves_nearly_everything_is_replaced() -> None:
    """By one that takes two partitions from the slow member, and nothing else."""
    weigh = partial(gain_of_plan, LOADS, PACE, 300.0)
    whole = of([1, 2, 1, 2, 2, 0, 2, 1, 1, 0, 1, 2])
    gain = weigh(whole)
    assert gain is not None
    group = with_move_prices(LOADS, POLICY)
    better, gain_then = cheaper_plan(group, POLICY, weigh, whole, gain)
    assert (gain.moves, gain_then.moves) == (10, 2)
    assert np.bincount(better.plan.assigned).tolist() == [2, 5, 5]
    assert cheaper_plan(group, POLICY, weigh, better, gain_then) == (better, gain_then)
    few = of([1, *OWNER[1:]])  # as many moves as are left
    gain_few = weigh(few)
    assert gain_few is not None
    assert cheaper_plan(group, POLICY, weigh, few, gain_few)[0] is few
    assert weigh(replace(whole, fallback_reason="late")) is None


def test_a_cheaper_plan_nets_surely_more() -> None:
    """What gains are not known by is no reason to leave a member with a third too much."""
    rates = [14.0] * 4 + [20.0] * 4 + [6.0] * 4
    loads = loads_of(
        [400, *[0] * 11], list(SPEEDS), OWNER, rates, None, SPEEDS, True, POLICY
    )  # fmt: skip
    weigh = partial(gain_of_plan, loads, Pace(12.0, 2, 5.0, "cooperative"), 300.0)
    even = of([1, 2, 0, 0, 1, 1, 2, 1, 2, 2, 2, 2])
    plan = repaired(loads.group, sticky_policy(POLICY))
    gain = weigh(even)
    assert plan is not None
    cheap = weigh(Decision(plan))
    assert gain is not None
    assert cheap is not None
    assert gain.weighed is not None
    assert cheap.weighed is not None
    assert 0 < cheap.weighed.net - gain.weighed.net < 0.01 * gain.weighed.gain
    assert (round(gain.heaviest_percent_planned), round(cheap.heaviest_percent_planned)) == (
        116,
        135,
    )
    assert cheaper_plan(loads.group, POLICY, weigh, even, gain) == (even, gain)
