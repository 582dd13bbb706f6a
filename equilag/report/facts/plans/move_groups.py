"""The moves of a plan by the members that they are between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from equilag.domain.plan.move import Move
from equilag.report.wording.natural_order import natural_key


@dataclass(frozen=True, slots=True)
class MoveGroupFacts:
    """Moves from one member, to one other or to several."""

    source: str
    targets: tuple[str, ...]
    """In natural order."""
    moves: int
    lag: int


def moves_by_pair(moves: Sequence[Move]) -> tuple[MoveGroupFacts, ...]:
    """A group for every two members that partitions move between, the largest lag first."""
    return _grouped(moves, lambda move: (move.source, move.target))


def moves_by_source(moves: Sequence[Move]) -> tuple[MoveGroupFacts, ...]:
    """A group for every member that partitions move from, the largest lag first."""
    return _grouped(moves, lambda move: (move.source,))


def _grouped(
    moves: Sequence[Move], key: Callable[[Move], tuple[str, ...]]
) -> tuple[MoveGroupFacts, ...]:
    found: dict[tuple[str, ...], list[Move]] = {}
    for move in moves:
        found.setdefault(key(move), []).append(move)
    groups = [
        MoveGroupFacts(
            some[0].source,
            tuple(sorted({move.target for move in some}, key=natural_key)),
            len(some),
            sum(move.lag for move in some),
        )
        for some in found.values()
    ]
    return tuple(
        sorted(
            groups,
            key=lambda g: (-g.lag, -g.moves, natural_key(g.source), [*map(natural_key, g.targets)]),
        )
    )
