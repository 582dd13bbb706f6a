"""The plan and other results as JSON, claims made when they are read."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from support.groups import group_of

import equilag
from equilag.domain.document import to_document
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy


def plan_of(group: Group, *members: int) -> Plan:
    return Plan(group, None, "feasible", "by hand", np.array(members, np.int32))


def test_a_plan_of_a_small_group_is_proved_when_it_is_copied() -> None:
    group = group_of([3, 4], [[0], [0, 1], [1]], owners=[0, 0, 0, 1, 1, 1, 2])
    plan = equilag.solve(group, "fair-yet-sticky")
    assert (plan.algorithm, plan.status) == ("min-cost-flow", "optimal")
    copy = pickle.loads(pickle.dumps(plan))
    assert [claim.claim for claim in copy.claims[:2]] == ["counts", "fewest_moves"]
    assert copy.claims == plan.claims
    assert equilag.verify(group, copy) == []


def test_a_plan_as_json() -> None:
    group = group_of([2, 1], [[0], [0]], owners=[0, 0, NOBODY], lags=[5, 1, 2])
    document = json.loads(json.dumps(plan_of(group, 0, 1, NOBODY).to_dict()))
    assert document["format"] == "equilag/plan/1"
    assert document["assignment"] == {"m00": {"t00": [0]}, "m01": {"t00": [1]}}
    assert document["moves"] == {
        "count": 1, "lower_bound": 0,
        "partitions": [{
            "topic": "t00", "partition": 1, "from": "m00", "to": "m01", "lag": 1,
            "reason": {
                "kind": "assignor", "member": "m00", "before": 6, "after": 5, "amount": 1,
                "partitions_before": 2, "partitions_after": 1,
            },
        }],
    }  # fmt: skip
    assert document["phases"] == [
        {"revoke": {"m00": {"t00": [1]}}, "assignment": {"m00": {"t00": [0]}, "m01": {}}},
        {"assignment": document["assignment"]},
    ]
    assert document["unassigned"] == {"t01": [0]}
    assert document["dropped_claims"] == 0
    assert document["timing"] == {"time_limit_s": None, "wall_s": 0.0}
    assert "notes" not in document


class Row(NamedTuple):
    kind: str
    load: float


@dataclass(frozen=True, slots=True)
class Page:
    rows: tuple[Row, ...]
    by_name: dict[str, float | None]

    @property
    def heaviest(self) -> str:
        return max(self.rows, key=lambda row: row.load).kind


def test_fields_and_properties_by_name() -> None:
    page = Page((Row("a", 1.5), Row("b", float("inf"))), {"a": None, "b": float("nan")})
    assert to_document(page) == {
        "rows": [{"kind": "a", "load": 1.5}, {"kind": "b", "load": None}],
        "by_name": {"a": None, "b": None},
        "heaviest": "b",
    }


def test_what_has_a_document_of_its_own() -> None:
    assert to_document([Policy()]) == [Policy().to_dict()]


def test_what_is_no_fact() -> None:
    with pytest.raises(TypeError, match="object has no JSON"):
        to_document({"a": object()})
