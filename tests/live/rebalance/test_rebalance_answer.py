"""The answer to a rebalance: sticky, and fuller only where that is worth it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.membership_changes import ChangingGroup

import equilag.planner.solve
from equilag.domain.group.group import Group
from equilag.domain.plan.assignment import by_name
from equilag.domain.plan.metrics import count_moves, member_counts
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.setting import OVERRIDES
from equilag.live.rebalance.decision import PlanSettings
from equilag.live.rebalance.joined_members import JoinedMember, group_of
from equilag.live.rebalance.measured import Measured
from equilag.live.rebalance.rebalance_answer import (
    FULL_EFFORT,
    answer_of,
    sticky_decision,
    sticky_policy,
)
from equilag.planner.assign import assign
from equilag.planner.worth.gain import Gain

SETTINGS = PlanSettings(Policy(weight="lag"), time_limit=20.0)
"""The counted work ends a plan long before."""


def always(_: Gain) -> bool:
    return True


def never(_: Gain) -> bool:
    return False


def unevenly_loaded() -> Group:
    """Two members with two partitions each; all lag is with the first."""
    members = [JoinedMember("a", ("t",), {"t": [0, 1]}), JoinedMember("b", ("t",), {"t": [2, 3]})]
    return group_of("g", members, {"t": 4}, Measured({"t": [900, 800, 0, 0]}))


def test_without_a_gain_nothing_moves() -> None:
    decision = answer_of(unevenly_loaded(), SETTINGS, never)
    assert decision.is_sticky
    assert len(decision.plan.moves) == 0


def test_what_is_worth_it_is_handed_out() -> None:
    asked: list[Gain] = []

    def worth_it(gain: Gain) -> bool:
        asked.append(gain)
        return True

    decision = answer_of(unevenly_loaded(), SETTINGS, worth_it)
    assert not decision.is_sticky
    assert decision.plan.lag.spread == 100
    assert [gain.saved for gain in asked] == [800.0, 800.0]
    assert [gain.moves for gain in asked] == [0, 2]


def test_by_work_nothing_more_moves_before_rates_are_known() -> None:
    by_work = replace(SETTINGS, policy=Policy())
    assert answer_of(unevenly_loaded(), by_work, always).is_sticky


def test_capacities_of_the_policy_count() -> None:
    """Shares are in proportion to the capacities, so that the first member has its share."""
    policy = Policy(weight="lag", capacity={"a": 3.0, "b": 1.0})
    group = group_of(
        "g",
        [JoinedMember("a", ("t",), {"t": [0, 1, 2]}), JoinedMember("b", ("t",), {"t": [3]})],
        {"t": 4},
        Measured({"t": [100, 100, 100, 100]}),
    )
    gains: list[float] = []

    def noted(gain: Gain) -> bool:
        gains.append(gain.saved)
        return False

    decision = answer_of(group, replace(SETTINGS, policy=policy), noted)
    assert gains == [0.0]
    assert len(decision.plan.moves) == 0


def without_search(monkeypatch: pytest.MonkeyPatch, fails: Callable[[Any], bool]) -> None:
    """Let those calls of `solve` fail whose effort meets a condition."""
    solve = equilag.planner.solve.solve

    def some(*args: Any, effort: float | None = None, **settings: Any) -> Plan:
        if fails(effort):
            raise RuntimeError("made to fail")
        return solve(*args, effort=effort, **settings)

    monkeypatch.setattr(equilag.planner.solve, "solve", some)


def test_if_the_full_plan_fails_the_sticky_one_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    without_search(monkeypatch, lambda effort: effort == FULL_EFFORT)
    decision = answer_of(unevenly_loaded(), SETTINGS, always)
    assert decision.is_sticky
    assert decision.fallback_reason is None


def test_a_late_sticky_plan_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equilag.live.rebalance.rebalance_answer.GRACE_S", 0.05)
    monkeypatch.setattr(equilag.planner.solve, "solve", lambda *_, **__: time.sleep(1))
    began = time.monotonic()
    decision = sticky_decision(unevenly_loaded(), replace(SETTINGS, time_limit=0.05))
    assert time.monotonic() - began < 0.9
    assert decision.fallback_reason == "no plan within 0.1 s"


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


def test_without_anything_to_weigh_each_topic_is_dealt_evenly() -> None:
    """So that little moves when a topic is deleted."""
    names = [f"m{number}" for number in range(8)]
    sizes, nothing = {"t": 30, "u": 18}, Measured({"t": [0] * 30, "u": [0] * 18})
    group = group_of("g", [JoinedMember(name, ("t", "u")) for name in names], sizes, nothing)
    plan = answer_of(group, SETTINGS, never).plan
    members = [JoinedMember(name, ("t",), held) for name, held in plan.assignment.items()]
    group = group_of("g", members, {"t": 30})
    kept = answer_of(group, SETTINGS, never).plan
    assert sorted(member_counts(kept.assigned, 8)) == [3, 3, 4, 4, 4, 4, 4, 4]
    assert count_moves(group, kept.assigned) <= 1


def test_capacities_are_kept_without_anything_to_weigh() -> None:
    members = [JoinedMember("a", ("t",)), JoinedMember("b", ("t",))]
    measured = Measured({"t": [0] * 4}, capacities={"a": 30.0, "b": 10.0})
    plan = answer_of(group_of("g", members, {"t": 4}, measured), SETTINGS, never).plan
    assert member_counts(plan.assigned, 2).tolist() == [3, 1]
