"""The search for prices that bound the loads, and for a plan near the loads that they leave."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.priced import LoadWindow, Prices, is_refuted
from equilag.domain.constraint import Network
from equilag.domain.group.group import Index
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.claim import Claim
from equilag.domain.policy.objective import SPREAD
from equilag.solver.counts.min_cost_flow import solved_flow
from equilag.solver.local_search.heavy_apart import deal_heavy_first
from equilag.solver.lower_bounds.price_program import Dealt, PriceProgram

MAX_ROUNDS: Final = 6
"""Programs until the level settles: most do after two to four."""
SETTLED: Final = 1e-5
"""Part by which the level falls in a round that is the last one."""
MARGINS: Final = (0.0, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3)
"""Parts by which a claimed load is weaker than the program's, until its prices prove it."""
STEPS: Final = 2**20
"""Fractions of a record in which loads are claimed where they are not whole numbers."""


class KnownBounds(NamedTuple):
    """What counting proved, and the heaviest load of the best plan."""

    highest: Load
    lowest: Load
    reached: float


def priced_claims(
    program: PriceProgram, known: KnownBounds, stop: Callable[[], bool]
) -> Iterator[Claim | Dealt]:
    """Claims that are stronger than what is known, and at last what the program deals within the
    heaviest load. `stop` is called before every program."""
    counting = program.counting
    lowest, level = known.lowest, float(known.lowest)
    found = _settled(program, level, math.inf, stop)
    if found is not None and found.level < level:
        level = found.level
        for value in _above(level, counting, known.lowest):
            if is_refuted(counting, LoadWindow.of(counting, value, None), found.prices):
                lowest = value
                yield _claim("min_load_at_most", value, counting, found.prices)
                break
    spread = known.highest - lowest
    for limit in (float(known.highest), known.reached):
        found = _settled(program, level, limit, stop)
        if found is not None:
            break
    if found is None:
        return
    if limit == known.highest:
        for margin in MARGINS:
            value = _whole(float(known.highest) - found.level * (1 + margin), counting)
            if value <= spread:
                break
            window = LoadWindow.of(counting, known.highest - value, lowest + value)
            if is_refuted(counting, window, found.prices):
                yield _claim(SPREAD, value, counting, found.prices)
                break
    yield found


def _settled(
    program: PriceProgram, level: float, limit: float, stop: Callable[[], bool]
) -> Dealt | None:
    """The program solved until the level settles, from above."""
    found = None
    for _ in range(MAX_ROUNDS):
        if stop():
            break
        now = program.solve(level, limit)
        if now is None:
            return None
        found = now
        if now.level >= level * (1 - SETTLED):
            break
        level = now.level
    return found


def _above(level: float, counting: Counting, known: Load) -> Iterator[Load]:
    for margin in MARGINS:
        value = _whole(level * (1 + margin), counting)
        if value >= known:
            return
        yield value


def _whole(load: float, counting: Counting) -> Load:
    """The load as it can be claimed, rounded down."""
    if counting.capacities.are_equal:
        return math.floor(load)
    return Fraction(math.floor(load * STEPS), STEPS)


def _claim(name: str, value: Load, counting: Counting, prices: Prices) -> Claim:
    columns = np.array(prices).T.tolist()
    members = counting.group.members
    table = {m.id: row for m, row in zip(members, columns, strict=True) if any(row)}
    return Claim(name, value, "prices", {"prices": table})


def dealt_plan(program: PriceProgram, dealt: Dealt) -> Index | None:
    """[P] an assignment near what the program deals in parts; None if the counts allow none."""
    counting, kinds, sorts = program.counting, len(program.size), len(program.number)
    whole = np.floor(dealt.parts + 1e-6).astype(np.int64)
    part = dealt.parts - whole
    left = program.size - np.bincount(program.kind, whole, kinds).astype(np.int64)
    held = np.bincount(program.sort, whole, sorts).astype(np.int64)
    open_ = np.flatnonzero(part > 0)
    least = np.maximum(program.number * program.least - held, 0)
    most = np.maximum(program.number * program.most - held, least)
    n_left = int(left.sum())
    if n_left:
        network = Network.of(
            kinds + sorts + 1,
            (program.kind[open_], kinds + program.sort[open_], 0, 1),
            (kinds + np.arange(sorts), kinds + sorts, least, most),
        )
        cost = np.append((-1000 * part[open_]).astype(np.int64), np.zeros(sorts, np.int64))
        flow = solved_flow(
            network, np.concatenate((left, np.zeros(sorts, np.int64), [-n_left])), cost
        )
        if flow is None:
            return None
        whole[open_] += flow[: len(open_)]
    sort_of = np.repeat(program.sort, whole)  # kinds ascend, and so do the free partitions' kinds
    assigned = counting.constraint.pinned_assignment.copy()
    for sort in range(sorts):
        mine = np.flatnonzero(sort_of == sort)
        members = np.flatnonzero(program.sort_of == sort)
        least_held, extra = int(program.least[sort]), len(mine)
        extra -= len(members) * least_held
        room = np.full(len(members), program.most[sort])
        if program.most[sort] - least_held == 1:
            room = least_held + (np.arange(len(members)) < extra)
        rate = np.full(len(members), program.rate[sort])
        taker = deal_heavy_first(counting.lag[mine], room, rate)
        assigned[counting.partition[mine]] = members[taker]
    return assigned
