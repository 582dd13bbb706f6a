"""What equilag plans for an extended group, held to the oracle: a line of text per difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import isclose
from typing import Any, Final

from support.oracle_flow import cheapest_assignment
from support.oracle_groups import OracleFigures, OracleGroup, Snapshot, read_group
from support.oracles import OracleOptima, all_optima

import equilag
from equilag.domain.errors import InputError
from equilag.domain.plan.plan import Plan

EFFORT: Final = 0.1
"""Seconds of counted work for one plan; most groups of 4 x 7 need less for all proofs."""
EFFORT_OF_COUNTS: Final = 0.02
"""The same where counts, reads across racks and moves are all that matters."""

Settings = Mapping[str, Any]
"""Some of `rack_aware`, `max_cross_rack` and `balance`, as `equilag.solve` takes them."""


def goals_of(settings: Settings) -> dict[str, bool]:
    """The settings as the oracle takes them."""
    return {
        "rack_aware": settings.get("rack_aware", False),
        "counted": settings.get("balance") != "none",
    }


def flow_differences(snapshot: Snapshot, settings: Settings) -> list[str]:
    """Counts, cross-rack reads and moves of a `fair-yet-sticky` plan against the flow."""
    group = read_group(snapshot)
    best = cheapest_assignment(group, **goals_of(settings))
    plan = _plan(snapshot, "fair-yet-sticky", settings, EFFORT_OF_COUNTS)
    if best is None or plan is None:
        return _refusal(best is None, plan is None)
    return list(_against_flow(group, group.figures(best), plan, settings))


def spread_differences(snapshot: Snapshot, settings: Settings, effort: float = EFFORT) -> list[str]:
    """The spreads of two policies against all assignments; for tiny groups."""
    group = read_group(snapshot)
    most_across = settings.get("max_cross_rack")
    optima = all_optima(group, **goals_of(settings), most_across=most_across)
    found = []
    for policy in ("lag-aware", "fair-yet-sticky"):
        plan = _plan(snapshot, policy, settings, effort)
        if optima is None or plan is None:
            found += _refusal(optima is None, plan is None)
        else:
            found += [f"{policy}: {line}" for line in _against_all(group, optima, plan, settings)]
    return found


def _plan(
    snapshot: Snapshot, policy: str, settings: Settings, effort: float
) -> tuple[Plan, list[Any]] | None:
    """The plan, and what `verify` finds and its notes on faults; None if equilag refuses it."""
    try:
        group = equilag.load_snapshot(dict(snapshot))
        plan = equilag.solve(group, policy, effort=effort, time_limit=60, tolerance=0, **settings)
    except InputError:
        return None
    faults = [note for note in plan.notes if "failed" in note or "thrown away" in note]
    return plan, equilag.verify(group, plan) + faults


def _refusal(expected: bool, refused: bool) -> list[str]:
    if expected == refused:
        return []
    return ["refused, but there is a plan" if refused else "planned, but nothing fits"]


def _read(
    group: OracleGroup, outcome: tuple[Plan, list[Any]]
) -> tuple[dict[str, Any], OracleFigures]:
    """The plan's JSON, and the oracle's figures of its assignment."""
    document = outcome[0].to_dict()
    return document, group.figures(group.placed(document["assignment"]))


def _found(outcome: tuple[Plan, list[Any]]) -> Iterator[str]:
    """A line for each finding and fault."""
    return (f"found: {finding}" for finding in outcome[1])


def _against_flow(
    group: OracleGroup, best: OracleFigures, outcome: tuple[Plan, list[Any]], settings: Settings
) -> Iterator[str]:
    document, got = _read(group, outcome)
    yield from _found(outcome)
    pairs: dict[str, tuple[Any, Any]] = {
        "moves": (best.moves, got.moves),
        "moves.count": (best.moves, document["moves"]["count"]),
        "moves.lower_bound": (best.moves, document["moves"]["lower_bound"]),
    }
    if goals_of(settings)["counted"]:
        pairs["counts of instances"] = best.instances, got.instances
        pairs["counts of members"] = best.members, got.members
    if settings.get("rack_aware"):
        cross = document.get("cross_rack", {"count": 0, "lower_bound": 0})
        pairs["cross-rack reads"] = best.cross, got.cross
        pairs["cross_rack.count"] = best.cross, cross["count"]
        pairs["cross_rack.lower_bound"] = best.cross, cross["lower_bound"]
    yield from _unequal(pairs)


def _against_all(
    group: OracleGroup, optima: OracleOptima, outcome: tuple[Plan, list[Any]], settings: Settings
) -> Iterator[str]:
    document, got = _read(group, outcome)
    load = document.get("load", document["lag"])
    yield from _found(outcome)
    moves_first = document["policy"]["name"] == "fair-yet-sticky"
    best = optima.front[0 if moves_first else -1][1]
    pairs: dict[str, tuple[Any, Any]] = {
        "spread": (best, got.spread),
        "load.spread": (best, load["spread"]),
        "load.gap": (0, load["gap"]),
        "status": ("optimal", document["status"]),
        "cross-rack reads": (optima.figures.cross, got.cross),
        "counts of instances": (optima.figures.instances, got.instances),
        "counts of members": (optima.figures.members, got.members),
    }
    if not settings.get("rack_aware"):
        del pairs["cross-rack reads"]
    if not goals_of(settings)["counted"]:
        del pairs["counts of instances"], pairs["counts of members"]
    if moves_first:
        pairs["moves"] = optima.figures.moves, got.moves
    yield from _unequal(pairs)


def _unequal(pairs: Mapping[str, tuple[Any, Any]]) -> Iterator[str]:
    """Lines for figures that differ; those that are not whole by more than 10⁻⁹ of their size."""
    for name, (expected, got) in pairs.items():
        numbers = isinstance(expected, Fraction) and isinstance(got, float)
        if not (isclose(expected, got, rel_tol=1e-9, abs_tol=1e-9) if numbers else expected == got):
            yield f"{name}: expected {expected}, got {got}"
