"""Greedy descent along the front of moves and lag spread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from equilag.domain.budget import PATIENCE
from equilag.domain.columns import ranks
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Flags, Group, Index, Ints
from equilag.domain.group.loads import LoadColumn
from equilag.domain.group.throughput import Shortage
from equilag.solver.exchange.exchange_table import ExchangeTable
from equilag.solver.exchange.pair_exchanges import FREE
from equilag.solver.local_search.assignment_state import AssignmentState

MAX_PARTNERS: Final = 48
"""Members at either end of the loads that an extreme member is paired with in one step."""
STEP_CELLS: Final = 80_000
"""Array elements of one step, about; it limits the number of partners."""
MAX_HELD_IN_STEP: Final = 64
"""Partitions of a member that one step considers; of more, half are the heaviest, half a sample."""


def descend(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    shortage: Shortage | None = None,
) -> Iterator[Index]:
    """Yield assignments [P], each more even than the one before, by greedy steps.

    Each step makes the exchange of the heaviest or the lightest member that lowers its excess most
    per move. When neither can be helped, each step relieves another member above the mean load, the
    heaviest first. With `shortage`, no step lets members fall further behind. `stop` is asked
    before each step. O(partners × c²) array elements per step, where c is the largest count.
    """
    state = AssignmentState.of(group, constraint, assigned)
    state.shortage = shortage
    if len(state.active) < 2:
        return
    patience = PATIENCE if int(state.counts.max()) > MAX_HELD_IN_STEP else 1
    missed, helpless = 0, np.zeros(group.n_members, dtype=np.bool_)
    while not stop():
        if missed < patience:
            found = _lower_extremes(state, rng)
            missed = 0 if found else missed + 1
        else:
            heavy = _heaviest_above_mean(state, helpless)
            if heavy is None:
                return
            found = _relieve(state, heavy, rng)
            helpless[heavy] = not found
        if found:
            yield state.assigned.copy()


def _lower_extremes(state: AssignmentState, rng: np.random.Generator) -> bool:
    """Bring the heaviest member down or the lightest one up; False if no exchange does."""
    order = state.by_load()
    ends = order[[0, -1]]
    partners = _partners(state, ends)
    near = np.unique(np.concatenate((order[:partners], order[-partners:])))
    held = _holdings(state, rng, near)
    table = ExchangeTable.of(state, held, ends, near[near != ends[0]])
    sign = np.where(table.rows.member == ends[0], 1, -1)
    # How far the extreme load falls (or rises), unless the other load becomes as extreme.
    own = sign * table.falls
    gain = np.minimum(own, sign * (state.loads[table.rows.member] - table.loads_after[1]))
    if state.factor is not None:
        # What a fast member takes from a slow one lowers that far more than it adds: the slow one
        # must not become as much too light as it was too heavy, nor the other way round.
        gain -= np.maximum(0, own - state.spread)
    return _make_best(table, gain)


def _heaviest_above_mean(state: AssignmentState, helpless: Flags) -> np.int32 | None:
    """The heaviest member above the mean load that is not known to be beyond help."""
    above = state.active[(state.loads[state.active] > state.mean) & ~helpless[state.active]]
    return above[state.loads[above].argmax()] if len(above) else None


def _relieve(state: AssignmentState, member: np.int32, rng: np.random.Generator) -> bool:
    """Lower the excess of one member by an exchange with one of the lightest members."""
    mean, heavy = state.mean, np.array([member])
    light = state.by_load()[-2 * _partners(state, heavy) :]
    light = light[(light != member) & (state.loads[light] <= mean)]
    held = _holdings(state, rng, np.append(light, member))
    table = ExchangeTable.of(state, held, heavy, light)
    # What leaves the member's excess, less what becomes the other's.
    saved = np.minimum(table.falls, state.loads[member] - mean)
    gain = saved - np.maximum(0, table.loads_after[1] - mean)
    return _make_best(table, gain)


def _make_best(table: ExchangeTable, gain: LoadColumn) -> bool:
    """Make the exchange of the largest gain per move; False if none gains anything."""
    cost = np.maximum(table.moves(), 0)
    score = np.where((gain > 0) & table.fits(), gain / np.where(cost == 0, FREE, cost), -1.0)
    pick = int(score.argmax()) if score.size else 0
    if not score.size or score.flat[pick] <= 0:
        return False
    table.make(pick)
    return True


def _partners(state: AssignmentState, ones: Index) -> int:
    """Members at either end of the loads that one step of some members looks at."""
    rows = int(np.minimum(state.counts[ones], MAX_HELD_IN_STEP).sum()) + len(ones)
    each = min(len(state.assigned) / len(state.active), MAX_HELD_IN_STEP) + 1
    return max(4, min(MAX_PARTNERS, int(STEP_CELLS / (2 * rows * each))))


def _holdings(
    state: AssignmentState,
    rng: np.random.Generator,
    of: Index,
) -> tuple[Ints, Ints]:
    """Movable partitions of the members `of`, and [M + 1] where each member's begin.

    Of a member that holds more than `MAX_HELD_IN_STEP`, only that many: half its heaviest, and half
    drawn anew every time.
    """
    by_member, start = state.by_member(of)
    if int(np.diff(start).max(initial=0)) > MAX_HELD_IN_STEP:
        by_member = _drawn(state, by_member, rng)
        start = state.starts(by_member)
    return by_member, start


def _drawn(state: AssignmentState, by_member: Ints, rng: np.random.Generator) -> Ints:
    """`MAX_HELD_IN_STEP` partitions of each member, half of them the heaviest."""
    member = state.assigned[by_member]
    by_lag = by_member[np.lexsort((-state.group.lag[by_member], member))]
    place = rng.random(len(by_lag))
    place[ranks(member) < MAX_HELD_IN_STEP // 2] = -1.0
    drawn = by_lag[np.lexsort((place, member))]
    return drawn[ranks(member) < MAX_HELD_IN_STEP]
