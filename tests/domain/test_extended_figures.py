"""The figures of plans of extended groups, and the rules they keep, against a reading of the
snapshot that shares no code with equilag."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from support.extended_groups import ExtendedShape, extended_snapshot, field_sets
from support.oracle_groups import OracleGroup
from support.oracle_snapshots import read_group

import equilag
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import reduce_group

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
