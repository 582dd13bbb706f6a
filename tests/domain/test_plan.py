"""The plan and other results as JSON; figures of extended groups against a reading of their own."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from support.extended_groups import ExtendedShape, extended_snapshot, field_sets
from support.groups import group_of
from support.oracle_groups import OracleGroup
from support.oracle_snapshots import read_group

import equilag
from equilag.domain.document import to_document
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import reduce_group


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


Placed = list[int]


def planned(snapshot: dict[str, Any], rng: Random) -> tuple[Plan, OracleGroup, Placed] | None:
    """A plan by hand in which each unit is with any member that may take it; None where a unit has
    nobody, or a member no room for what it got."""
    oracle, group = read_group(snapshot), equilag.load_snapshot(snapshot)
    try:
        reduction = reduce_group(group, Policy())
    except InputError:
        return None
    if not all(unit.takers for unit in oracle.units):
        return None
    placed = [rng.choice(unit.takers) for unit in oracle.units]
    if any(placed.count(m) > room for m, room in enumerate(oracle.room)):
        return None
    assigned = np.full(group.n_partitions, NOBODY, dtype=np.int32)
    for unit, member in zip(oracle.units, placed, strict=True):
        for topic, number in unit.partitions:
            assigned[group.topic_start[group.topics.index(topic)] + number] = member
    plan = Plan(group, Policy(), "fallback", "by hand", assigned, reduction=reduction)
    return plan, oracle, placed


def plans(seed: int, n: int) -> Iterator[tuple[dict[str, Any], Plan, OracleGroup, Placed]]:
    rng = Random(seed)
    found = 0
    for fields in field_sets(rng):
        snapshot = extended_snapshot(rng, ExtendedShape(fields=fields))
        made = planned(snapshot, rng)
        if made is not None:
            yield snapshot, *made
            found += 1
        if found == n:
            return


def test_figures_are_those_of_the_oracle() -> None:
    seen = {"load": 0, "cross_rack": 0, "instances": 0, "units": 0, "none": 0}
    for snapshot, plan, oracle, placed in plans(seed=5, n=160):
        document = plan.to_dict(reasons=False)
        figures = oracle.figures(placed)
        assert document["moves"]["count"] == figures.moves
        for name in seen:
            seen[name] += name in document
        assert ("load" in document) == _is_extended(snapshot)
        if "load" not in document:
            seen["none"] += 1
            continue
        _check_load(document, oracle, placed)
        _check_instances(document, snapshot, oracle, placed)
        assert ("cross_rack" in document) == _knows_racks(snapshot)
        if "cross_rack" in document:
            fewest = sum(
                min(unit.cross[m] for m in unit.takers) for unit in oracle.units if unit.takers
            )
            assert document["cross_rack"]["count"] == figures.cross
            assert 0 <= document["cross_rack"]["lower_bound"] <= fewest
        assert ("units" in document) == ("co_partitioned" in snapshot)
        if "units" in document:
            counts = {m: placed.count(number) for number, m in enumerate(oracle.members)}
            assert document["units"]["count"] == len(oracle.units)
            assert document["units"]["counts"]["by_member"] == counts
    assert min(seen.values()) > 20


def _is_extended(snapshot: dict[str, Any]) -> bool:
    fields = {"capacity", "max_partitions", "instance"}
    given = (member.get(name) for member in snapshot["members"] for name in fields)
    lists = snapshot.get("allowed") or snapshot.get("co_partitioned")
    return bool(lists) or _knows_racks(snapshot) or any(one is not None for one in given)


def _knows_racks(snapshot: dict[str, Any]) -> bool:
    replicas = [racks for topic in snapshot.get("racks", {}).values() for racks in topic]
    return any(replicas) and any("rack" in member for member in snapshot["members"])


def _check_load(document: dict[str, Any], oracle: OracleGroup, placed: Placed) -> None:
    weights = [0] * len(oracle.members)
    for unit, member in zip(oracle.units, placed, strict=True):
        weights[member] += unit.weight
    each = [float(w / c) for w, c in zip(weights, oracle.capacity, strict=True)]
    active = [each[m] for m in oracle.active]
    capacity = sum(oracle.capacity[m] for m in oracle.active)
    mean = float(sum(weights) / capacity) if capacity else 0.0
    load = document["load"]
    assert load["by_member"] == pytest.approx(dict(zip(oracle.members, each, strict=True)))
    assert load["max"] == pytest.approx(max(active, default=0.0))
    assert load["min"] == pytest.approx(min(active, default=0.0))
    assert load["spread"] == load["gap"] == pytest.approx(float(oracle.figures(placed).spread))
    assert load["mean"] == pytest.approx(mean)
    assert load["excess"] == pytest.approx(sum(max(0.0, one - mean) for one in active))
    assert document["weight"] == {"kind": "lag", "horizon_s": None, "unit": "records"}


def _check_instances(
    document: dict[str, Any], snapshot: dict[str, Any], oracle: OracleGroup, placed: Placed
) -> None:
    named = any("instance" in member for member in snapshot["members"])
    assert ("instances" in document) == named
    if not named:
        return
    rows = document["instances"]["by_instance"]
    assert sum(len(row["members"]) for row in rows) == len(oracle.members)
    for row in rows:
        members = [oracle.members.index(m) for m in row["members"]]
        assert len({oracle.instance[m] for m in members}) == 1
        held = [u for u, m in zip(oracle.units, placed, strict=True) if m in members]
        assert row["partitions"] == sum(len(unit.partitions) for unit in held)
        capacity = sum(oracle.capacity[m] for m in members)
        assert row["load"] == pytest.approx(float(sum(u.weight for u in held) / capacity))
