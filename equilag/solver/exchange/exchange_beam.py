"""Beam search over exchanges: for each of the lowest numbers of moves, an even plan.

A beam holds the most promising assignments for one number of moves. Each is extended by every
exchange of one partition for another one, or for nothing, between its most extreme members; what
adds no move stays in the beam, the rest goes to the beams one and two moves up.

Where one partition outweighs the mean load, who holds it decides what all others need, and no
single exchange leads from one holder to a good plan of another: narrow beams are tried for each of
them, and their best plans are starts of the wide ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Group, Index
from equilag.domain.plan.metrics import count_moves
from equilag.solver.exchange.beam_exchanges import extended, most_exchanges
from equilag.solver.exchange.beam_states import BeamGroup, BeamStates, by_holder

WIDTH: Final = 120
"""Assignments of one beam: four times as many find little more on 8 x 64."""
BEAM_CELLS: Final = 500_000
"""Exchanges of one extension, and partitions of all assignments of a beam: some 40 ms. It limits
the width in large groups."""
EXTENSION: Final = 3e-8
"""Seconds per exchange of one extension, measured on 8 x 64."""
ROUNDS: Final = 3
"""Times that a beam is extended by exchanges without a move."""


def extension_price(group: Group) -> float:
    """Seconds that one extension of a beam takes, about."""
    return EXTENSION * min(BEAM_CELLS, WIDTH * most_exchanges(group))


class FewExchanges(NamedTuple):
    """How far a beam search goes."""

    most: int
    """Most moves."""
    width: int = WIDTH


def search_beam(
    group: Group,
    constraint: CountConstraint,
    starts: Sequence[Index],
    limit: FewExchanges,
    stop: Callable[[], bool],
) -> Iterator[Index]:
    """Yield assignments [P] with at most `limit.most` moves.

    `starts` meet the constraint. `stop` is asked before each extension of a beam.
    """
    if not starts or len(np.flatnonzero(~group.idle)) < 2:
        return
    setting = BeamGroup.of(group, constraint)
    width = max(4, min(limit.width, BEAM_CELLS // most_exchanges(group)))
    first = [setting.states(assigned) for assigned in starts]
    beams, cases = _beams(group, setting, first, limit.most), by_holder(setting, first)
    narrow = limit._replace(width=max(4, width // max(1, 2 * len(cases))))
    seldom = _once(stop, max(1, len(cases)))
    for case, states in cases:
        for moves, ends in _pass(case, _beams(group, case, states, limit.most), narrow, seldom):
            yield from setting.assignments(ends)
            _add(beams, moves, ends)
    for _, ends in _pass(setting, beams, limit._replace(width=width), _once(stop, 1)):
        yield from setting.assignments(ends)


def _beams(
    group: Group, setting: BeamGroup, starts: Sequence[BeamStates], most: int
) -> dict[int, BeamStates]:
    """The starts with at most so many moves, by their number."""
    beams: dict[int, BeamStates] = {}
    for states in starts:
        moves = count_moves(group, next(setting.assignments(states)))
        if moves <= most:
            _add(beams, moves, states)
    return beams


def _pass(
    setting: BeamGroup,
    beams: dict[int, BeamStates],
    limit: FewExchanges,
    stop: Callable[[], bool],
) -> Iterator[tuple[int, BeamStates]]:
    """The ends of the beam of each number of moves, fewest first."""
    for moves in range(min(beams, default=0), limit.most + 1):
        if moves not in beams:
            continue
        beam = fresh = _best(beams[moves], limit.width)
        for _ in range(ROUNDS):
            if not len(fresh) or stop():
                break
            known = beam
            for extra, states in extended(setting, fresh, limit.most - moves, limit.width):
                if extra > 0:
                    _add(beams, moves + extra, states)
                elif extra == 0:
                    beam = _best(BeamStates.joined([beam, states]), limit.width)
                else:
                    yield moves + extra, _ends(states)
            fresh = beam.take(~np.isin(beam.key, known.key))
        yield moves, _ends(beam)


def _once(stop: Callable[[], bool], each: int) -> Callable[[], bool]:
    """The same stop condition, asked at one call of `each`; no more, and so not paid for, once it
    is met."""
    over, calls = False, 0

    def stopped() -> bool:
        nonlocal over, calls
        over = over or (calls % each == 0 and stop())
        calls += 1
        return over

    return stopped


def _add(beams: dict[int, BeamStates], moves: int, states: BeamStates) -> None:
    beams[moves] = BeamStates.joined([beams[moves], states]) if moves in beams else states


def _best(states: BeamStates, width: int) -> BeamStates:
    """The states of the smallest spreads, and as many of the least sums of squares."""
    _, first = np.unique(states.key, return_index=True)
    states = states.take(np.sort(first))
    if len(states) <= width:
        return states
    by_spread = np.lexsort((states.squares, states.spread))[: (width + 1) // 2]
    others = np.setdiff1d(np.argsort(states.squares, kind="stable")[:width], by_spread)
    by_squares = others[np.argsort(states.squares[others], kind="stable")]
    return states.take(np.concatenate((by_spread, by_squares[: width - len(by_spread)])))


def _ends(states: BeamStates) -> BeamStates:
    """The state of the smallest spread, and that of the least sum of squares."""
    ends = [int(np.lexsort((states.squares, states.spread))[0]), int(states.squares.argmin())]
    return states.take(np.unique(np.array(ends)))
