"""A decision in a rebalance: the solver's plan, or a heuristic's whatever fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import equilag.certificate.verify
import equilag.planner.solve
from equilag.domain.group.group import Group
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.decision import Decision, PlanSettings, decide
from equilag.live.rebalance.joined_members import JoinedMember, group_of
from equilag.live.rebalance.measured import Measured

MEMBERS = [JoinedMember("a", ("t",)), JoinedMember("b", ("t",))]
MADE_TO_FAIL = "planning failed: RuntimeError: made to fail"


def two_members() -> Group:
    return group_of("g", MEMBERS, {"t": 3}, Measured({"t": [3, 2, 1]}))


def fails(*_: Any, **__: Any) -> None:
    raise RuntimeError("made to fail")


def let_solve_fail(
    monkeypatch: pytest.MonkeyPatch, when: Callable[[Mapping[str, Any]], bool]
) -> None:
    """Let those calls of `solve` fail whose settings meet a condition."""
    solve = equilag.planner.solve.solve

    def some(*args: Any, **settings: Any) -> Plan:
        if when(settings):
            fails()
        return solve(*args, **settings)

    monkeypatch.setattr(equilag.planner.solve, "solve", some)


def counts_of(decision: Decision) -> list[int]:
    found: list[int] = sorted(np.bincount(decision.plan.assigned).tolist())
    return found


@pytest.mark.parametrize(
    ("module", "does", "reason"),
    [
        (equilag.planner.solve, fails, MADE_TO_FAIL),
        (equilag.certificate.verify, fails, MADE_TO_FAIL),
        (equilag.certificate.verify, lambda *_: ["it is wrong"],
         "the plan does not hold: it is wrong"),
    ],
)  # fmt: skip
def test_a_failure_costs_the_plan_only(
    monkeypatch: pytest.MonkeyPatch, module: Any, does: Any, reason: str
) -> None:
    monkeypatch.setattr(module, module.__name__.rpartition(".")[2], does)
    decision = decide(two_members(), PlanSettings())
    assert decision.fallback_reason == reason
    assert decision.plan.algorithm == "constrained-sticky"
    assert counts_of(decision) == [1, 2]


RULES = Policy(co_partition=[["t", "u"]], pin={("t", 0): "b", ("t", 3): "b"}, rack_aware=True)


def with_rules(owned: dict[str, list[int]] | None = None) -> Group:
    held = owned or {}
    members = [
        JoinedMember(name, ("t", "u"), rack=f"r-{name}", hints=held if name == "a" else {})
        for name in ("a", "b")
    ]
    racks = {topic: [["r-a"], ["r-a"], ["r-b"], ["r-b"]] for topic in ("t", "u")}
    return group_of("g", members, {"t": 4, "u": 4}, Measured({"t": [9, 8, 7, 6]}, racks))


def keeps_rules(decision: Decision) -> bool:
    """The pins are kept, and the topics together."""
    assigned = decision.plan.assigned.tolist()
    return assigned[:4] == assigned[4:] and assigned[0] == assigned[3] == 1


def test_a_plan_with_rules() -> None:
    decision = decide(with_rules(), PlanSettings(RULES))
    assert (decision.fallback_reason, decision.left_out) == (None, ())
    assert keeps_rules(decision)
    assert counts_of(decision) == [4, 4]


def test_the_last_resort_keeps_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    let_solve_fail(monkeypatch, lambda settings: settings["effort"] is None)
    group = with_rules({"t": [0, 1, 2, 3], "u": [0, 1, 2, 3]})
    decision = decide(group, PlanSettings(RULES))
    assert decision.fallback_reason == MADE_TO_FAIL
    assert keeps_rules(decision)
    assert len(decision.plan.moves) == 4
    assert counts_of(decision) == [4, 4]
    assert decision.left_out == ()


def test_the_last_resort_leaves_out_what_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    let_solve_fail(monkeypatch, lambda settings: settings["effort"] is None)
    policy = Policy(pin={("t", 0): "b", ("t", 3): "b", ("t", 1): "c"}, max_partitions=1)
    decision = decide(with_rules(), PlanSettings(policy))
    assert decision.fallback_reason == MADE_TO_FAIL
    assert [line.split(": ")[1] for line in decision.left_out] == ["pin", "max_partitions"]
    assert decision.plan.assigned[[0, 3]].tolist() == [1, 1]


def test_without_exact_counts_the_structure_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    let_solve_fail(monkeypatch, lambda settings: settings["time_limit"] > 0)
    decision = decide(with_rules(), PlanSettings(RULES))
    assert keeps_rules(decision)
    (line,) = decision.left_out
    assert line.startswith("capacities, room, instances and racks are left out for now: ")


def test_if_nothing_keeps_the_rules_a_heuristic_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equilag.planner.solve, "solve", fails)
    decision = decide(with_rules(), PlanSettings(RULES))
    assert decision.fallback_reason == MADE_TO_FAIL
    assert decision.plan.algorithm == "constrained-sticky"
    assert decision.left_out == (f"pins and co-partitioned topics are not kept: {MADE_TO_FAIL}",)


def test_a_plan_that_leaves_partitions_to_nobody_is_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = equilag.planner.solve.solve(two_members())
    left = replace(plan, assigned=np.full_like(plan.assigned, -1))
    monkeypatch.setattr(equilag.planner.solve, "solve", lambda *_, **__: left)
    monkeypatch.setattr(equilag.certificate.verify, "verify", lambda *_: [])
    decision = decide(two_members(), PlanSettings())
    assert decision.fallback_reason == "the plan leaves partitions without an owner"
    assert counts_of(decision) == [1, 2]
