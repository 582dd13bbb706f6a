"""From joined members to a decision: the plan, or a heuristic whatever fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import equilag.certificate.verify
import equilag.planner.solve
from equilag.group import QUALITY
from equilag.live.rebalance.joined_group import JoinedMember, Settings, decide, group_of

TWO = [JoinedMember("a", ("t",)), JoinedMember("b", ("t",))]


def fails(*_: Any, **__: Any) -> None:
    raise RuntimeError("made to fail")


def test_the_group() -> None:
    members = [
        JoinedMember("a", ("t", "gone"), {"t": [0]}, 7, "static", "rack"),
        JoinedMember("b", ("t",), hints={"t": [1]}),
    ]
    group = group_of("g", members, {"t": 3, "u": 1}, {"t": [5, None, 0], "u": [1, 2]})
    assert group.topics == ("t", "u")
    assert group.owner.tolist() == [0, 1, -1, -1]
    assert group.lag.tolist() == [5, 0, 0, 0]
    marks = [QUALITY[mark] for mark in group.quality.tolist()]
    assert marks == ["given", "unknown", "given", "unknown"]
    assert (group.members[0].instance_id, group.members[0].rack) == ("static", "rack")
    assert group.members[0].generation == 7


def test_a_plan_that_holds() -> None:
    decision = decide(group_of("g", TWO, {"t": 3}, {"t": [3, 2, 1]}), Settings())
    assert decision.doubt is None
    assert decision.plan.lag.spread == 0


@pytest.mark.parametrize(
    ("module", "name", "said"),
    [
        (equilag.planner.solve, "solve", "planning failed: RuntimeError: made to fail"),
        (equilag.certificate.verify, "verify", "planning failed: RuntimeError: made to fail"),
    ],
)
def test_what_fails_costs_the_plan_only(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, said: str
) -> None:
    monkeypatch.setattr(module, name, fails)
    decision = decide(group_of("g", TWO, {"t": 3}, {"t": [3, 2, 1]}), Settings())
    assert decision.doubt == said
    assert decision.plan.algorithm == "constrained-sticky"


def test_a_plan_that_does_not_hold_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equilag.certificate.verify, "verify", lambda *_: ["it is wrong"])
    decision = decide(group_of("g", TWO, {"t": 3}, {"t": [3, 2, 1]}), Settings())
    assert decision.doubt == "the plan does not hold: it is wrong"
    assert sorted(np.bincount(decision.plan.assigned).tolist()) == [1, 2]


def test_no_time_is_a_doubt() -> None:
    decision = decide(group_of("g", TWO, {"t": 3}, {"t": [3, 2, 1]}), Settings(time_limit=0))
    assert decision.doubt == "no time for a plan within 0 s"


def test_a_doubt_from_outside_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equilag.planner.solve, "solve", fails)
    decision = decide(group_of("g", TWO, {"t": 3}), Settings(), "no lag")
    assert decision.doubt == "no lag"
