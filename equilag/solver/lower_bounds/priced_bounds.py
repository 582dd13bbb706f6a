"""The search for prices that bound the loads, and for a plan near the loads that they leave."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.priced import LoadWindow, Prices, priced_room
from equilag.domain.budget import ROUNDS
from equilag.domain.columns import ROUNDING
from equilag.domain.constraint import Network
from equilag.domain.group.group import Index
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.claim import Claim
from equilag.domain.policy.objective import SPREAD
from equilag.solver.counts.min_cost_flow import solved_flow
from equilag.solver.local_search.heavy_apart import deal_heavy_first
from equilag.solver.lower_bounds.load_bounds import LoadBounds, difference
from equilag.solver.lower_bounds.price_program import Dealt, PriceProgram

SETTLED: Final = 1e-5
"""Part by which the level falls in a round that is the last one."""
LEAST_SLOPE: Final = 0.1
"""Records by which less is missing at a level that is a record lower, at least."""
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
    least limit. `stop` is called before every program."""
    counting, lowest, limit = program.counting, known.lowest, float(known.highest)
    dealt = _settled(program, float(lowest), limit, stop)
    if dealt is None and known.reached > limit and not stop():
        dealt = program.solve(None, known.reached)
        if dealt is not None:
            limit = dealt.level
            load = _proved(counting, dealt, lambda load: (None, load), -1)
            if load is not None and load > known.highest:
                known = known._replace(highest=load)
                yield _claim("max_load_at_least", load, counting, dealt.prices)
                yield difference(LoadBounds.of(load, lowest))
            dealt = _settled(program, float(lowest), limit * (1 + SETTLED), stop) or dealt
    if dealt is None:
        return
    spread = dealt._replace(level=limit - dealt.level)
    value = _proved(counting, spread, lambda v: (known.highest - v, lowest + v), -1)
    if value is not None and value > known.highest - lowest:
        yield _claim(SPREAD, value, counting, dealt.prices)
    if dealt.level < lowest and not dealt.prices.most.any():
        load = _proved(counting, dealt, lambda load: (load, None), 1)
        if load is not None and load < lowest:
            yield _claim("min_load_at_most", load, counting, dealt.prices)
            yield difference(LoadBounds.of(known.highest, load))
    yield dealt


def _settled(
    program: PriceProgram, level: float, limit: float, stop: Callable[[], bool]
) -> Dealt | None:
    """The program solved until the level settles, from above, by the secant method."""
    found, slope, known = None, 1.0, None
    for _ in range(ROUNDS):
        if stop():
            break
        now = program.solve(level, limit)
        if now is None:
            return None
        found, falls = now, level - now.level
        if falls <= SETTLED * level:
            break
        if known is not None:
            slope = min(1.0, max(LEAST_SLOPE, (known[1] - falls) / (known[0] - level)))
        known, level = (level, falls), level - falls / slope
    return found


def _proved(
    counting: Counting,
    dealt: Dealt,
    window: Callable[[Load], tuple[Load | None, Load | None]],
    sign: int,
) -> Load | None:
    """The load or spread nearest to the level that the prices prove, as its window is empty: higher
    ones are weaker for sign 1, lower ones for −1. By Newton's method; None if it finds none."""
    steps = 1 if counting.capacities.are_equal else STEPS
    prices, capacity = dealt.prices, 1 / counting.capacities.rate
    by_load = [float((price * capacity).sum()) for price in (prices.least, prices.most)]
    tried = dealt.level
    for number in range(ROUNDS):
        whole = sign * math.floor(sign * tried * steps)
        value: Load = whole if steps == 1 else Fraction(whole, steps)
        ends = window(value)
        room = priced_room(counting, LoadWindow.of(counting, *ends), prices)
        if room < 0:
            return value
        slope = sum(by for by, end in zip(by_load, ends, strict=True) if end is not None)
        if not slope:
            return None
        tried += sign * ((room + 1) / slope + dealt.level * ROUNDING * 10**number)
    return None


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
