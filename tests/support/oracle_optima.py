"""What the best assignments of a small group are worth, by trying all of them.

What equilag plans for an extended group is held to that: a line of text per difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import isclose
from typing import Any, Final, NamedTuple

from support.oracle_groups import OracleFigures, OracleGroup, OracleUnit, cheapest_assignment
from support.oracle_snapshots import HEAVY, Snapshot, read_group
from support.oracles import Assignments

import equilag
from equilag.domain.errors import InputError


class OracleOptima(NamedTuple):
    """What the best assignments are worth."""

    figures: OracleFigures
    """Of the most even one that is best in counts, cross-rack reads and moves."""
    front: tuple[tuple[int, Fraction], ...]
    """Moves, ascending, and spread, descending, of those that are best in counts and cross-rack
    reads and that no other of these beats in both."""


def all_optima(
    group: OracleGroup,
    rack_aware: bool = False,
    counted: bool = True,
    then_topics: bool = False,
    most_across: int | None = None,
) -> OracleOptima | None:
    """None if no assignment keeps to the rooms, or no best one reads at most `most_across`
    partitions across racks; the goals as in `cheapest_assignment`."""
    even = "total-then-topics" if then_topics else "total"
    found = Assignments.all(group).balanced(even if counted else "none")
    if rack_aware and len(found):
        most_across = int(found.cross.min())
    if most_across is not None:
        found = found.where(found.cross <= most_across)
    if not len(found):
        return None
    points = [group.figures(found.rows[row].tolist()) for row in found.best_rows()]
    return OracleOptima(points[0], tuple((point.moves, point.spread) for point in points))


def least_heaviest(
    weights: Sequence[int], capacities: Sequence[float], even_counts: bool = True
) -> float:
    """The heaviest load per capacity under the best assignment of partitions that all members may
    take; with even counts, among those of the least sum of count² / capacity."""
    members = range(len(capacities))
    nothing = (0,) * len(capacities)
    units = [
        OracleUnit((("t", n),), tuple(members), Fraction(weight), nothing, nothing)
        for n, weight in enumerate(weights)
    ]
    capacity = tuple(map(Fraction, capacities))
    names = tuple(f"m{m}" for m in members)
    room = (len(weights),) * len(names)
    group = OracleGroup(names, capacity, capacity, tuple(members), room, tuple(units))
    found = Assignments.all(group).balanced("total" if even_counts else "none")
    return float(Fraction(int(found.highest.min()), group.load_scale))


EFFORT: Final = 0.1
"""Seconds of counted work for one plan; most groups of 4 x 7 need less for all proofs."""
EFFORT_OF_COUNTS: Final = 0.02
"""The same where counts, reads across racks and moves are all that matters."""

ROUNDED: Final = 10**3
"""Capacities so far apart are rounded further, see `reduce.WIDEST`."""

Settings = Mapping[str, Any]
"""Some of `rack_aware`, `max_cross_rack` and `balance`, as `equilag.solve` takes them."""
Pairs = dict[str, tuple[Any, Any]]
"""Figure -> what is expected, and what was found."""


def flow_differences(snapshot: Snapshot, settings: Settings) -> list[str]:
    """Counts, cross-rack reads and moves of a `fair-yet-sticky` plan against the flow."""
    group = read_group(snapshot)
    placed = cheapest_assignment(group, **_goals(settings))
    best = None if placed is None else group.figures(placed)

    counted = read_group({**snapshot, "move_weights": {}})
    fewest = (
        placed is not None
        and counted.figures(cheapest_assignment(counted, **_goals(settings))).moves
    )

    def pairs(document: dict[str, Any], got: OracleFigures) -> Pairs:
        moves, cross = document["moves"], document.get("cross_rack")
        found: Pairs = {
            "moves.count": (best.moves % HEAVY, moves["count"]),
            "moves.lower_bound": (fewest, moves["lower_bound"]),
        }
        if "move_weights" in snapshot:
            weight, listed = best.moves // HEAVY, sum(one["weight"] for one in moves["partitions"])
            for name, value in (("weight", listed), *moves.items()):
                if name.startswith("weight"):
                    found[name + str(len(found))] = (weight, value)
        if _goals(settings)["then_topics"]:
            squares = document["counts"]["per_topic_squares"]
            found["bound"] = squares, document["counts"]["per_topic_squares_lower_bound"]
            if max(group.share) < ROUNDED * min(group.share):
                found["squares"] = best.topics, squares
        if settings.get("rack_aware"):
            cross = cross or {"count": 0, "lower_bound": 0}
            found |= {f"cross_rack.{name}": (best.cross, value) for name, value in cross.items()}
        return found | _goal_pairs(best, got, settings, moves=True)

    plan = "fair-yet-sticky", settings, EFFORT_OF_COUNTS
    return list(_differences(snapshot, plan, best is not None, pairs))


def spread_differences(snapshot: Snapshot, settings: Settings, effort: float = EFFORT) -> list[str]:
    """The spreads of two policies against all assignments; for tiny groups."""
    most_across = settings.get("max_cross_rack")
    optima = all_optima(read_group(snapshot), **_goals(settings), most_across=most_across)

    def pairs(document: dict[str, Any], got: OracleFigures) -> Pairs:
        load = document.get("load", document["lag"])
        moves_first = document["policy"]["name"] == "fair-yet-sticky"
        best = optima.front[0 if moves_first else -1][1]
        found: Pairs = {
            "spread": (best, got.spread),
            "load.spread": (best, load["spread"]),
            "load.gap": (0, load["gap"]),
            "status": ("optimal", document["status"]),
        }
        return found | _goal_pairs(optima.figures, got, settings, moves_first)

    return [
        f"{policy}: {line}"
        for policy in ("lag-aware", "fair-yet-sticky")
        for line in _differences(snapshot, (policy, settings, effort), optima is not None, pairs)
    ]


def _goals(settings: Settings) -> dict[str, bool]:
    """The settings as the oracle takes them."""
    balance = settings.get("balance")
    return {
        "rack_aware": settings.get("rack_aware", False),
        "counted": balance != "none",
        "then_topics": balance == "total-then-topics",
    }


def _goal_pairs(best: OracleFigures, got: OracleFigures, settings: Settings, moves: bool) -> Pairs:
    """The figures that the goals are about, of the assignment itself."""
    goals = _goals(settings)
    names = ["instances", "members"] if goals["counted"] else []
    names += ["topics"] if goals["then_topics"] else []
    names += [*(["cross"] if goals["rack_aware"] else []), *(["moves"] if moves else [])]
    return {name: (getattr(best, name), getattr(got, name)) for name in names}


def _differences(
    snapshot: Snapshot, plan_of: tuple[str, Settings, float], fits: bool, pairs: Any
) -> Iterator[str]:
    """Lines for figures that differ, what `verify` finds, and notes on faults; a plan is refused
    just where nothing fits. Figures that are not whole may differ by 10⁻⁹ of their size."""
    policy, settings, effort = plan_of
    try:
        group = equilag.load_snapshot(dict(snapshot))
        plan = equilag.solve(group, policy, effort=effort, time_limit=60, tolerance=0, **settings)
    except InputError:
        if fits:
            yield "refused, but there is a plan"
        return
    if not fits:
        yield "planned, but nothing fits"
        return
    yield from (f"found: {finding}" for finding in equilag.verify(group, plan))
    yield from (note for note in plan.notes if "failed" in note or "thrown away" in note)
    document, oracle = plan.to_dict(), read_group(snapshot)
    got = oracle.figures(oracle.placed(document["assignment"]))
    for name, (expected, value) in pairs(document, got).items():
        numbers = isinstance(expected, Fraction) and isinstance(value, float)
        same = (
            isclose(expected, value, rel_tol=1e-9, abs_tol=1e-9) if numbers else expected == value
        )
        if not same:
            yield f"{name}: expected {expected}, got {value}"
