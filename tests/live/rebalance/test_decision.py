"""A decision in a rebalance: the solver's plan, or a heuristic's whatever fails."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import equilag.certificate.verify
import equilag.planner.solve
from equilag.group import Group
from equilag.live.rebalance.decision import PlanSettings, decide, decide_within
from equilag.live.rebalance.joined_members import JoinedMember, group_of

MEMBERS = [JoinedMember("a", ("t",)), JoinedMember("b", ("t",))]


def two_members() -> Group:
    return group_of("g", MEMBERS, {"t": 3}, {"t": [3, 2, 1]})


def fails(*_: Any, **__: Any) -> None:
    raise RuntimeError("made to fail")


def test_a_plan_that_holds() -> None:
    decision = decide(two_members(), PlanSettings())
    assert decision.fallback_reason is None
    assert decision.plan.lag.spread == 0


@pytest.mark.parametrize(
    ("module", "name"),
    [(equilag.planner.solve, "solve"), (equilag.certificate.verify, "verify")],
)
def test_a_failure_costs_the_plan_only(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str
) -> None:
    monkeypatch.setattr(module, name, fails)
    decision = decide(two_members(), PlanSettings())
    assert decision.fallback_reason == "planning failed: RuntimeError: made to fail"
    assert decision.plan.algorithm == "constrained-sticky"


def test_a_plan_that_does_not_hold_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equilag.certificate.verify, "verify", lambda *_: ["it is wrong"])
    decision = decide(two_members(), PlanSettings())
    assert decision.fallback_reason == "the plan does not hold: it is wrong"
    assert sorted(np.bincount(decision.plan.assigned).tolist()) == [1, 2]


def test_without_time_a_heuristic_answers() -> None:
    decision = decide(two_members(), PlanSettings(time_limit=0))
    assert decision.fallback_reason == "no time for a plan within 0 s"


@pytest.mark.parametrize("function", [decide, decide_within])
def test_with_a_fallback_reason_nothing_is_solved(
    monkeypatch: pytest.MonkeyPatch, function: Any
) -> None:
    monkeypatch.setattr(equilag.planner.solve, "solve", fails)
    assert function(two_members(), PlanSettings(), "no lag").fallback_reason == "no lag"


def test_within_the_limit_the_plan_is_the_same() -> None:
    decision = decide_within(two_members(), PlanSettings())
    assert decision.fallback_reason is None
    assert decision.plan.assignment == decide(two_members(), PlanSettings()).plan.assignment


def test_a_late_plan_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equilag.planner.solve, "solve", lambda *_, **__: time.sleep(3))
    began = time.monotonic()
    decision = decide_within(two_members(), PlanSettings(time_limit=0.1))
    assert time.monotonic() - began < 2
    assert decision.fallback_reason == "no plan within 0.6 s"
