"""The variables of the model, and its constraint families: one function each, which adds its rows.

The variables say which member gets which item, and the extremes of the loads.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import Final, NamedTuple

import numpy as np
from ortools.sat.python import cp_model

from equilag.certificate.exhaustive.small_problem import SmallProblem
from equilag.domain.group.extended_columns import MoveUnit
from equilag.domain.group.group import Ints
from equilag.solver.cpsat.scaled_loads import MAX_TOTAL, LoadsKnown, Scaled


@dataclass(eq=False)
class Variables:
    """The model being built; `gets[i][j]` exists where item i may go to member j."""

    model: cp_model.CpModel
    problem: SmallProblem
    scaled: Scaled
    gets: list[dict[int, cp_model.IntVar]]
    load: list[cp_model.LinearExprT]
    highest: cp_model.IntVar
    lowest: cp_model.IntVar

    @staticmethod
    def of(problem: SmallProblem, scaled: Scaled) -> Variables:
        model = cp_model.CpModel()
        gets = [
            {int(j): model.new_bool_var(f"x{i}_{j}") for j in np.flatnonzero(row)}
            for i, row in enumerate(problem.allowed)
        ]
        total = int(scaled.lag.max(axis=1, initial=0).sum() + scaled.base.max(initial=0))
        return Variables(
            model,
            problem,
            scaled,
            gets,
            [_load(gets, j, scaled) for j in range(len(problem.base))],
            model.new_int_var(0, total, "highest"),
            model.new_int_var(0, total, "lowest"),
        )

    def members(self) -> range:
        return range(len(self.problem.base))

    def items_of(self, member: int) -> list[cp_model.IntVar]:
        """The variables of all items that may go to the member."""
        return [row[member] for row in self.gets if member in row]

    @property
    def most_moves(self) -> int:
        """No assignment has more moves."""
        return self.problem.moves_anyway + int(self.problem.saved.sum())

    def hint(self, assigned: Ints) -> None:
        """[I] a known plan to start from."""
        for i, row in enumerate(self.gets):
            for j, variable in row.items():
                self.model.add_hint(variable, int(assigned[i] == j))

    def read(self, solver: cp_model.CpSolver | cp_model.CpSolverSolutionCallback) -> Ints:
        """[I] member per item of the solution."""
        chosen = [
            next((j for j, variable in row.items() if solver.boolean_value(variable)), -1)
            for row in self.gets
        ]
        return np.array(chosen, dtype=np.int64)


def _load(
    gets: list[dict[int, cp_model.IntVar]], member: int, scaled: Scaled
) -> cp_model.LinearExprT:
    weights = scaled.lag[:, member].tolist()
    mine = [(row[member], w) for row, w in zip(gets, weights, strict=True) if member in row]
    terms = cp_model.LinearExpr.weighted_sum([v for v, _ in mine], [w for _, w in mine])
    return terms + int(scaled.base[member])


def each_once(v: Variables) -> None:
    """Every item is assigned to exactly one of the members that may take it."""
    for row in v.gets:
        v.model.add_exactly_one(row.values())


def member_counts(v: Variables) -> None:
    """Every member's count lies in its interval. Blocks need no rows: `allowed` has them."""
    for j in v.members():
        lo, hi = int(v.problem.lo[j]), int(v.problem.hi[j])
        v.model.add_linear_constraint(sum(v.items_of(j)), lo, hi)


def topic_counts(v: Variables) -> None:
    """Every member's count of every topic lies in its interval, where topics count one by one."""
    p = v.problem
    if p.topic is None or p.topic_lo is None or p.topic_hi is None:
        return
    for t in range(len(p.topic_lo)):
        for j in v.members():
            mine = [v.gets[i][j] for i in np.flatnonzero(p.topic == t).tolist() if j in v.gets[i]]
            lo, hi = int(p.topic_lo[t, j]), int(p.topic_hi[t, j])
            v.model.add_linear_constraint(sum(mine), lo, hi)


def instance_sums(v: Variables) -> None:
    """The members of every instance have as many items together as its interval says."""
    sums = v.problem.sums
    if sums is None:
        return
    for number, (least, most) in enumerate(zip(sums.least, sums.most, strict=True)):
        theirs = [x for j in np.flatnonzero(sums.of == number).tolist() for x in v.items_of(j)]
        v.model.add_linear_constraint(sum(theirs), int(least), int(most))


def reads_across(v: Variables) -> None:
    """No more partitions are read across racks than the limit says."""
    reads = v.problem.reads
    if reads is None:
        return
    cost = [int(reads.cost[i, j]) * x for i, row in enumerate(v.gets) for j, x in row.items()]
    v.model.add(sum(cost) <= reads.most)


def load_extremes(v: Variables) -> None:
    """Every load lies between `lowest` and `highest`."""
    for j in v.members():
        v.model.add(v.load[j] <= v.highest)
        v.model.add(v.load[j] >= v.lowest)


def known_loads(v: Variables, known: LoadsKnown) -> None:
    """The window of loads that bounds by counting leave: CP-SAT finds bounds on extremes only by
    branching."""
    small, total = v.scaled, int(v.highest.proto.domain[1])
    rounding = small.lost * (int(v.problem.hi.max(initial=0)) + 1)
    high = max(0, floor((known.highest - small.shift) / small.unit - rounding))
    low = min(total, ceil((known.lowest - small.shift) / small.unit))
    v.model.add(v.highest >= min(high, total))
    v.model.add(v.lowest <= max(0, low))
    if known.spread is not None:
        spread = ceil(known.spread / small.unit + rounding)
        v.model.add(v.highest <= max(0, low) + spread)
        v.model.add(v.lowest >= min(high, total) - spread)


def moves(v: Variables) -> cp_model.LinearExprT:
    """How many items leave their owner, or partitions of items; or what that costs."""
    return _leaving(v, v.problem.saved, v.problem.moves_anyway)


def _leaving(v: Variables, saved: Ints, anyway: int) -> cp_model.LinearExprT:
    """What no item [I, J] saves, and what leaves in any case."""
    kept = [
        n * x for i, row in enumerate(v.gets) for j, x in row.items() if (n := int(saved[i, j]))
    ]
    return int(anyway + saved.sum()) - sum(kept)


class Rates(NamedTuple):
    """What is produced to items and read by members, in whole numbers of one unit."""

    item: Ints
    """[I]"""
    base: Ints
    """[J] produced to each member beside the items."""
    capacity: Ints
    """[J]"""

    def small(self) -> tuple[Rates, int]:
        """The same in a unit that `MAX_TOTAL` allows, and what 1 of it stands for. Nobody is more
        short by these numbers than by the given ones."""
        unit = max(1, -(-int(self.item.sum() + self.base.sum()) // MAX_TOTAL))
        return Rates(self.item // unit, self.base // unit, -(-self.capacity // unit)), unit


def shortage(v: Variables, rates: Rates) -> cp_model.LinearExprT:
    """What is produced to members above what they read, in all."""
    total, over = int(rates.item.sum() + rates.base.sum()), []
    for j in v.members():
        mine = [(row[j], w) for row, w in zip(v.gets, rates.item.tolist(), strict=True) if j in row]
        held = cp_model.LinearExpr.weighted_sum([x for x, _ in mine], [w for _, w in mine])
        over.append(v.model.new_int_var(0, total, f"over{j}"))
        v.model.add(over[j] >= held + int(rates.base[j] - rates.capacity[j]))
    return sum(over)


PRICE_BITS: Final = 40
"""Of the largest sum of prices in a model: far below the 2^63 that CP-SAT can add up to."""


def move_limit(v: Variables, max_moves: int | None) -> None:
    """At most `max_moves` items leave their owner; None for no limit."""
    if max_moves is None or max_moves >= v.most_moves:
        return
    saved, unit = v.problem.saved, 1 + (v.most_moves >> PRICE_BITS)
    if unit == 1:
        v.model.add(moves(v) <= max_moves)
        return
    # Rounded down, what is lost is a bound from below, and the plan that is found is looked at.
    lost = [
        (int(saved[i].sum()) - int(saved[i, j])) // unit * x
        for i, row in enumerate(v.gets)
        for j, x in row.items()
    ]
    v.model.add(sum(lost) <= (max_moves - v.problem.moves_anyway) // unit)


def weight_and_number(v: Variables, unit: MoveUnit) -> list[cp_model.LinearExprT]:
    """Of moves that have a price: what they weigh, in whole numbers, and how many they are."""
    return [
        _leaving(v, part(v.problem.saved, unit.moves), part(v.problem.moves_anyway, unit.moves))
        for part in (np.floor_divide, np.remainder)
    ]


def alike_members(v: Variables, moves_matter: bool, rates: Rates | None = None) -> None:
    """Break the symmetry of members that are alike: the k-th heaviest item that only they may take
    goes to one of the first k of them.

    Members are alike if they may take the same items, with the same limits and base load, and, if
    `moves_matter`, own nothing.
    """
    p = v.problem
    if p.reads is not None:
        return
    groups: dict[tuple[bytes, ...], list[int]] = {}
    for j in v.members():
        if moves_matter and p.saved[:, j].any():
            continue
        parts = [p.allowed[:, j], p.base[j : j + 1], p.lo[j : j + 1], p.hi[j : j + 1]]
        if p.capacities is not None:
            parts.append(p.capacities.kind_of[j : j + 1])
        if p.sums is not None:
            parts.append(p.sums.of[j : j + 1])
        if rates is not None:
            parts += [rates.base[j : j + 1], rates.capacity[j : j + 1]]
        if p.topic_lo is not None and p.topic_hi is not None:
            parts += [p.topic_lo[:, j], p.topic_hi[:, j]]
        groups.setdefault(tuple(part.tobytes() for part in parts), []).append(j)
    for members in groups.values():
        others = np.setdiff1d(np.arange(len(p.base)), members)
        theirs = p.allowed[:, members[0]] & ~p.allowed[:, others].any(axis=1)
        items = np.flatnonzero(theirs)
        if len(members) < 2:
            continue
        for k, i in enumerate(items[np.argsort(-p.lag[items], kind="stable")][: len(members)]):
            for j in members[k + 1 :]:
                v.model.add(v.gets[int(i)][j] == 0)
