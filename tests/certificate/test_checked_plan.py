"""A plan that comes from its JSON, and where two JSON values differ."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.orders_service import orders_snapshot
from support.paths import SAMPLES

import equilag
from equilag.certificate.plan_document import differences
from equilag.certificate.verify import checked_plan
from equilag.domain.errors import InputError


@pytest.mark.parametrize("name", ["token-indexer", "slow-member", "real-group", "overloaded"])
def test_the_plan_is_the_same(name) -> None:
    group = equilag.load_snapshot(SAMPLES / f"{name}.snapshot.json")
    plan = equilag.solve(group, effort=0.05, max_moves=12)
    document = json.loads(json.dumps(plan.to_dict()))
    assert document.pop("verdict") == json.loads(json.dumps(plan.verdict.document()))
    again = checked_plan(group, document)  # the verdict on it is made anew
    # A plan that names no weight spreads the lag, whatever the group knows.
    policy = {**document["policy"], "weight": document["policy"].get("weight", "lag")}
    assert again.to_dict() == {**document, "policy": policy}
    assert again.evidence == plan.evidence


def test_an_assignors_plan() -> None:
    group = equilag.load_snapshot(orders_snapshot())
    plan = equilag.assign(group, "range")
    document = plan.to_dict()
    assert {**checked_plan(group, document).to_dict(), "verdict": document["verdict"]} == document


def test_a_plan_that_does_not_hold() -> None:
    group = equilag.load_snapshot(orders_snapshot())
    document = equilag.solve(group).to_dict()
    with pytest.raises(InputError, match=r"the plan does not hold: status: "):
        checked_plan(group, {**document, "status": "perfect"})
    with pytest.raises(InputError, match="does not hold"):
        checked_plan(group, {**document, "policy": {}})


@pytest.mark.parametrize(
    ("want", "got", "lines"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, ["x.a: 2, should be 1"]),
        ({"a": 1}, {}, ["x.a: missing"]),
        ({}, {"a": 1}, ["x.a: unexpected"]),
        ({"a": {}}, {"a": []}, ["x.a: a list, not an object"]),
        ([], {}, ["x: an object, not a list"]),
        ([1, 2], [1, 2], []),
        ([1, 2], [1], ["x: length 1, should be 2"]),
        ([1, 2], [1, 3], ["x[1]: 3, should be 2"]),
        ([1, 2], [True, 2], ["x[0]: true, should be 1"]),
        ([1, 2], [1.0, 2], ["x[0]: 1.0, should be 1"]),
        ([{"a": "b"}], [{"a": "c"}], ['x[0].a: "c", should be "b"']),
        (0, False, ["x: false, should be 0"]),
        (0, None, ["x: null, should be 0"]),
        (0.5, 0.5 + 1e-12, []),
        (0.5, 0.6, ["x: 0.6, should be 0.5"]),
        (2.0, 2, []),
        (2.0, True, ["x: true, should be 2.0"]),
        (2.0, "2", ['x: "2", should be 2.0']),
        (2.0, 10**400, ["x: an integer of 1329 bits, should be 2.0"]),
        (1e30, 1e30, []),
        (1e30, 2e30, ["x: 2e+30, should be 1e+30"]),
        (2.0, float("nan"), ["x: NaN, should be 2.0"]),
        ({"a": 1, "b": 2}, {"a": 3, "b": 4}, ["x.a: 3, should be 1", "x.b: 4, should be 2"]),
    ],
    ids=str,
)
def test_one_line_for_each_place(want: Any, got: Any, lines: list[str]) -> None:
    assert list(differences(want, got, "x")) == lines
