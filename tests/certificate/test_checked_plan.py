"""A plan that comes from its JSON."""

from __future__ import annotations

import json

import pytest
from support.orders_service import orders_snapshot
from support.paths import SAMPLES

import equilag
from equilag.certificate.checked_plan import checked_plan
from equilag.domain.errors import InputError


@pytest.mark.parametrize("name", ["token-indexer", "slow-member", "real-group", "overloaded"])
def test_the_plan_is_the_same(name) -> None:
    group = equilag.load_snapshot(SAMPLES / f"{name}.snapshot.json")
    plan = equilag.solve(group, effort=0.05, max_moves=12)
    document = json.loads(json.dumps(plan.to_dict()))
    again = checked_plan(group, document)
    # A plan that names no weight spreads the lag, whatever the group knows.
    policy = {**document["policy"], "weight": document["policy"].get("weight", "lag")}
    assert again.to_dict() == {**document, "policy": policy}
    assert again.evidence == plan.evidence


def test_an_assignors_plan() -> None:
    group = equilag.load_snapshot(orders_snapshot())
    plan = equilag.assign(group, "range")
    assert checked_plan(group, plan.to_dict()).to_dict() == plan.to_dict()


def test_a_plan_that_does_not_hold() -> None:
    group = equilag.load_snapshot(orders_snapshot())
    document = equilag.solve(group).to_dict()
    with pytest.raises(InputError, match=r"the plan does not hold: status: "):
        checked_plan(group, {**document, "status": "perfect"})
    with pytest.raises(InputError, match="does not hold"):
        checked_plan(group, {**document, "policy": {}})
