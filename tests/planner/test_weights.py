"""Plans by lag, rate, work and given weights against all assignments of tiny groups."""

from __future__ import annotations

from math import isclose
from random import Random
from typing import Any, Final

import pytest
from support.altered_plans import document
from support.extended_groups import FIELDS, ExtendedShape, extended_snapshot
from support.oracle_optima import all_optima
from support.oracle_snapshots import KINDS, give_weights, read_group, weights_of

import equilag

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
    assert optima is not None
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
def test_plans_are_as_even_in_weight_as_any_assignment(kind: str, mixture: str) -> None:
    for snapshot in snapshots(kind, mixture, 2):
        assert differences(snapshot, kind) == []


@pytest.mark.long
@pytest.mark.parametrize("mixture", MIXTURES)
@pytest.mark.parametrize("kind", KINDS)
def test_many_plans_are_as_even_in_weight_as_any_assignment(kind: str, mixture: str) -> None:
    for snapshot in snapshots(kind, mixture, MANY // len(MIXTURES)):
        assert differences(snapshot, kind) == []
