"""Claims about counts and moves of extended groups: what is forced is proved, more is found out."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from support.altered_plans import document

import equilag

GROUP: Final[dict[str, Any]] = {
    "format": "equilag/snapshot/1",
    "group": "g",
    "topics": {"t": 6},
    "members": [
        {"id": "a", "subscription": ["t"], "instance": "x", "max_partitions": 2},
        {"id": "b", "subscription": ["t"], "instance": "x", "owned": {"t": [0, 1, 2]}},
        {"id": "c", "subscription": ["t"], "instance": "y", "capacity": 4},
    ],
    "allowed": {"t": {"0": ["a"]}},
}


def forged(plan: equilag.Plan, claim: str, more: int) -> dict[str, Any]:
    """The plan's JSON with a larger value in one claim."""
    copy: dict[str, Any] = json.loads(json.dumps(document(plan)))
    (row,) = [row for row in copy["certificate"]["claims"] if row["claim"] == claim]
    row["value"] += more
    return copy


@pytest.mark.parametrize("policy", ["lag-aware", "fair-yet-sticky", "sticky-yet-fair"])
@pytest.mark.parametrize("balance", ["total", "none"])
def test_a_pin_away_from_the_owner_is_a_forced_move(policy: str, balance: str) -> None:
    group = equilag.load_snapshot(GROUP)
    plan = equilag.solve(group, policy, balance=balance, time_limit=2)
    assert plan.status == "optimal"
    assert plan.moves_lower_bound >= 1
    assert equilag.verify(group, plan) == []
    assert equilag.verify(group, forged(plan, "fewest_moves", 1)) != []
