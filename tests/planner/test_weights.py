"""Plans by weight and by capacity against all assignments of tiny groups; decimals are exact."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import isclose
from random import Random
from typing import Any, Final

import numpy as np
import pytest
from support.altered_plans import document
from support.extended_groups import FIELDS, ExtendedShape, extended_snapshot
from support.groups import snapshot_of, with_members
from support.oracle_optima import all_optima
from support.oracle_snapshots import KINDS, Snapshot, give_weights, read_group, weights_of

import equilag
from benchmarks.ablation.kinds import unequal
from equilag.domain.group.group import Group
from equilag.domain.plan.plan import Plan

HORIZON: Final = 20.0
MIXTURES: Final = {
    "weights alone": frozenset[str](),
    "capacity": frozenset({"capacity", "subscriptions"}),
    "all": frozenset(FIELDS),
}
MANY: Final = 300
"""Groups of each kind of weight in the long test."""


def differences(snapshot: dict[str, Any], kind: str) -> list[str]:
    """A plan by this weight against the most even of all assignments with the best counts."""
    group = equilag.load_snapshot(snapshot)
    oracle = read_group(snapshot, weights_of(snapshot, kind, HORIZON))
    optima = all_optima(oracle)
    plan = equilag.solve(
        group, weight=kind, horizon=HORIZON, tolerance=0, effort=0.1, time_limit=60
    )
    written = document(plan)
    got = oracle.figures(oracle.placed(written["assignment"]))
    best = optima.front[-1][1]
    load = written.get("load", written["lag"])
    # A mean has no end of digits, and a weight only so many.
    rows = [snapshot["rates"].get(topic, [None]) for topic in snapshot["topics"]]
    unknown = any(None in row for row in rows)
    rounding = 5e-3 * load["mean"] if unknown else 1e-9
    pairs = {
        "status": (written["status"], "optimal"),
        "counts of instances": (got.instances, optima.figures.instances),
        "counts of members": (got.members, optima.figures.members),
        "lag": (written["lag"]["total"], sum(map(sum, snapshot["lags"].values()))),
        "findings": (equilag.verify(group, written), []),
    }
    found = [f"{name}: {one}, not {other}" for name, (one, other) in pairs.items() if one != other]
    spreads = {
        "of the assignment": got.spread,
        "in load": load["spread"],
        "bound": load["spread_lower_bound"],
    }
    for name, spread in spreads.items():
        if not isclose(spread, best, rel_tol=1e-9, abs_tol=rounding):
            found.append(f"spread {name}: {spread}, not {best}")
    return found


def snapshots(kind: str, mixture: str, number: int) -> list[dict[str, Any]]:
    """Tiny groups that have a plan and a known rate; known ones have one decimal, so are exact."""
    rng, found = Random(f"{kind} {mixture}"), list[dict[str, Any]]()
    while len(found) < number:
        snapshot = extended_snapshot(rng, ExtendedShape(3, 7, MIXTURES[mixture]))
        give_weights(rng, snapshot)
        known = any(rate is not None for row in snapshot["rates"].values() for rate in row)
        empty = any(member.get("max_partitions") == 0 for member in snapshot["members"])
        if known and not empty and all_optima(read_group(snapshot)) is not None:
            found.append(snapshot)
    return found


@pytest.mark.parametrize("mixture", MIXTURES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [2, pytest.param(MANY // len(MIXTURES), marks=pytest.mark.long)])
def test_plans_are_as_even_in_weight_as_any_assignment(
    number: int, kind: str, mixture: str
) -> None:
    for snapshot in snapshots(kind, mixture, number):
        assert differences(snapshot, kind) == []


CAPACITIES = ("0.1", "2.35", "0.001", "12345.678", "1", "1.0004", "3", "1e6")


def loads_of(group: Group, plan: Plan, capacity: dict[str, float]) -> dict[str, Fraction]:
    """The load of each member by what the plan's JSON assigns to it."""
    start = dict(zip(group.topics, group.topic_start.tolist(), strict=False))
    return {
        member: sum(int(group.lag[start[t] + p]) for t, row in topics.items() for p in row)
        / Fraction(repr(capacity[member]))
        for member, topics in plan.to_dict()["assignment"].items()
    }


@pytest.mark.parametrize("moved", [None, 0.02])
def test_figures_are_those_of_the_capacities_as_given(moved: float | None) -> None:
    for seed in range(3):
        group, settings = unequal(12, 90, moved, seed)
        plan = equilag.solve(group, effort=0.05, time_limit=60, **settings)
        assert not plan.notes  # of a stage that failed
        loads = loads_of(group, plan, settings["capacity"])
        load = plan.to_dict()["load"]
        spread, total = max(loads.values()) - min(loads.values()), int(group.lag.sum())
        mean = total / sum(Fraction(repr(c)) for c in settings["capacity"].values())
        assert load["by_member"] == {m: float(one) for m, one in loads.items()}
        assert (load["max"], load["min"]) == (
            float(max(loads.values())), float(min(loads.values())),
        )  # fmt: skip
        assert (load["spread"], load["mean"]) == (float(spread), float(mean))
        assert load["excess"] == pytest.approx(
            float(sum(max(Fraction(0), one - mean) for one in loads.values()))
        )
        assert equilag.verify(plan.group, plan.to_dict()) == []


def random_snapshot(rng: np.random.Generator) -> Snapshot:
    """Three members that differ, and up to six partitions that each of them may take."""
    size, large = int(rng.integers(2, 7)), rng.random() < 0.3
    capacities = rng.choice(CAPACITIES, 3, replace=rng.random() < 0.5).tolist()
    owners = np.where(np.arange(size) < rng.integers(0, size + 1), 0, -1)
    lags = rng.integers(0, 2**53 if large else 50, size)
    snapshot = snapshot_of([size], [[0]] * 3, owners, lags)
    return with_members(snapshot, capacity=map(float, capacities))


@pytest.mark.parametrize("number", [16, pytest.param(800, marks=pytest.mark.long)])
def test_bounds_and_optimal_are_true(number: int) -> None:
    rng, solve = np.random.default_rng(3), partial(equilag.solve, balance="none", tolerance=0)
    proved = 0
    for _ in range(number):
        snapshot, limit = random_snapshot(rng), int(rng.integers(0, 4))
        max_moves = None if limit == 3 else limit
        group = equilag.load_snapshot(snapshot)
        plan = solve(group, effort=0.2, time_limit=60, max_moves=max_moves)
        optima = all_optima(read_group(snapshot), counted=False)
        best = min(spread for moves, spread in optima.front if limit == 3 or moves <= limit)
        unit = max(Fraction(repr(member.capacity)) for member in group.members)
        assert plan.proofs.spread <= best * unit <= plan.compared.spread
        optimal = plan.compared.spread == plan.proofs.spread
        assert (plan.status == "optimal") == optimal
        assert equilag.verify(group, plan.to_dict()) == []
        proved += optimal
    assert proved > 0.9 * number


def test_the_excess_of_a_plan_is_no_less_than_a_bound_that_is_a_fraction() -> None:
    idle_and_readers = snapshot_of([0, 1], [[0], [1], [1], [1]], lags=[7])
    group = equilag.load_snapshot(with_members(idle_and_readers, capacity=(1.1, 0.3, 0.2, 0.2)))
    plan = equilag.solve(group, effort=0.1, time_limit=60)
    assert any(claim.claim == "excess_at_least" for claim in plan.claims)
    assert equilag.verify(group, plan.to_dict()) == []


def test_weights_count_by_themselves_where_nothing_else_is_known() -> None:
    snapshot = snapshot_of([4], [[0], [0]], owners=[0, 0, 1, 1])
    snapshot |= {"weights": {"t00": [10, 9, 1, 1]}}
    group = equilag.load_snapshot(snapshot)
    plan = equilag.solve(group, effort=0.1, time_limit=60)
    assert (plan.compared.spread, len(plan.moves), plan.policy.weight) == (1, 2, "given")
    assert equilag.verify(group, plan.to_dict()) == []
    assert equilag.size(group, members=(2, 2), effort=0.1).rows[0].load == 11
    for known, kind in (({"lags": {"t00": [0] * 4}}, None), ({"rates": {"t00": [1] * 4}}, "work")):
        other = equilag.load_snapshot(snapshot | known)
        assert equilag.solve(other, effort=0.1, time_limit=60).policy.weight == kind


def test_capacities_may_be_too_far_apart_for_a_float() -> None:
    snapshot = snapshot_of([2], [[0], [0]], lags=[5, 9])
    group = equilag.load_snapshot(with_members(snapshot, capacity=(1e18, 1.0)))
    plan = equilag.solve(group, effort=0.1, time_limit=60)
    assert not plan.notes  # of a stage that failed
    assert equilag.verify(group, plan.to_dict()) == []
