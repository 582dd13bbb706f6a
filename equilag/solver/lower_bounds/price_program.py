"""The linear program of loads: partitions in parts, dealt to sorts of members.

It asks for the largest load that every member can have, if no member has more than a limit, or for
the least limit. Its prices bound the plans (`certificate/bounds/priced`), and what it deals is
where a plan with such loads is looked for. A partition counts for no more than the level that is
asked for, so that one too heavy for any level does not stand for the load of several members; the
level is the fixed point, found in a few rounds. Light partitions of a class that lie next to each
other in order of lag are one kind, with their mean lag.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from ortools.linear_solver import linear_solver_pb2, pywraplp

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.priced import Prices
from equilag.domain.columns import ROUNDING, Floats, Index, Ints, rows_together
from equilag.solver.packing.pattern_program import PRICE

SOLVING: Final = 1.25e-6
"""Seconds of a program with GLOP, times its arcs to a `POWER`: measured from 1,000 to 40,000."""
POWER: Final = 1.35
MAX_ARCS: Final = 20_000
"""Pairs of a kind of partitions and a sort of members: about a second."""


class Dealt(NamedTuple):
    """A solution of the program."""

    level: float
    """The largest load that every member can have, or the least limit, as loads are compared."""
    parts: Floats
    """[arcs] partitions of a kind that a sort of members takes."""
    prices: Prices


class PriceProgram:
    """The program of one group: kinds of partitions, sorts of members, and arcs between them."""

    def __init__(self, counting: Counting, most_arcs: int = MAX_ARCS) -> None:
        group, active = counting.group, np.flatnonzero(counting.active)
        self.counting = counting
        columns: list[Ints | Index] = [
            group.class_of,
            counting.kind,
            counting.lo,
            counting.hi,
            counting.base,
        ]
        order, new = rows_together([column[active] for column in columns])
        self.sort_of = np.full(group.n_members, -1, np.int64)
        """[M] the sort of each member; -1 for idle ones."""
        self.sort_of[active[order]] = np.cumsum(new) - 1
        one = active[order[new]]
        self.number = np.bincount(self.sort_of[active], minlength=len(one))
        self.rate = counting.capacities.rate[one]
        self.least, self.most, self.base = counting.lo[one], counting.hi[one], counting.base[one]
        bucket, member_class = counting.arcs
        may = np.zeros((counting.n_buckets, len(group.class_topics)), np.bool_)
        may[bucket, member_class] = True
        self._may = may[:, group.class_of[one]]
        self._takers = np.count_nonzero(self._may, axis=1)
        self.kind_of = self._kinds(most_arcs)
        """[F] the kind of each free partition, ascending."""
        self.size = np.bincount(self.kind_of)
        self.weight = np.bincount(self.kind_of, counting.lag) / self.size
        first = np.searchsorted(self.kind_of, np.arange(len(self.size)))
        self._bucket = counting.bucket[first]
        self.arcs = int(self._takers[self._bucket].sum())
        """Their number; they are made when the program is first solved."""

    @property
    def seconds(self) -> float:
        """What it takes to solve it."""
        found: float = SOLVING * self.arcs**POWER
        return found

    def _kinds(self, most_arcs: int) -> Ints:
        """[F] a kind for each lag of a bucket; where that makes too many arcs, half of the kinds of
        a bucket are its heaviest partitions, and the others as many neighbours each."""
        counting = self.counting
        first = np.append(True, np.diff(counting.lag) > 0)[: len(counting.lag)]
        first |= counting.from_light == 0
        arcs = int(self._takers[counting.bucket[first]].sum())
        if arcs > most_arcs:
            kinds = np.bincount(counting.bucket[first], minlength=counting.n_buckets)
            each = np.maximum(1, kinds * most_arcs // arcs)
            alone = each // 2
            beside = (each - alone)[counting.bucket]
            light = (counting.size - alone)[counting.bucket]
            place = counting.from_light * beside // np.maximum(light, 1)
            first = np.append(True, np.diff(place) != 0)
            first |= (counting.from_light == 0) | (counting.from_heavy < alone[counting.bucket])
        kind_of: Ints = np.cumsum(first) - 1
        return kind_of

    @cached_property
    def _pairs(self) -> tuple[Ints, Ints]:
        kind, sort = np.nonzero(self._may[self._bucket])
        return kind, sort

    @property
    def kind(self) -> Ints:
        """[arcs] the kind of each, ascending."""
        return self._pairs[0]

    @property
    def sort(self) -> Ints:
        """[arcs] the sort of members of each."""
        return self._pairs[1]

    def solve(self, at: float | None, limit: float) -> Dealt | None:
        """The largest common load, with partitions cut off at a level; the least limit without one.

        None if loads of at most `limit` cannot be, or if the solver fails.
        """
        unit = max(1.0, float(self.counting.group.lag.sum()))
        limit = min(limit, float(self.counting.greatest_load))
        fits = self.weight[self.kind] * self.rate[self.sort] <= limit * (1 + ROUNDING)
        arcs = np.flatnonzero(fits)
        kind, sort = self.kind[arcs], self.sort[arcs]
        heavy = self.weight[kind] / unit
        cut = np.minimum(self.weight[kind], (at or 0.0) / self.rate[sort]) / unit
        model: Any = linear_solver_pb2.MPModelProto(maximize=True)
        goal, infinity = len(arcs), float("inf")
        for _ in range(goal):
            model.variable.add(lower_bound=0.0, upper_bound=infinity)
        sign = 1.0 if at is not None else -1.0
        model.variable.add(lower_bound=0.0, upper_bound=infinity, objective_coefficient=sign)

        def row(low: float, high: float, columns: Ints, values: Floats) -> Any:
            found = model.constraint.add(lower_bound=low, upper_bound=high)
            found.var_index.extend(columns.tolist())
            found.coefficient.extend(values.tolist())
            return found

        begin = np.searchsorted(kind, np.arange(len(self.size) + 1))
        for number, (a, b) in enumerate(zip(begin[:-1].tolist(), begin[1:].tolist(), strict=True)):
            size = float(self.size[number])
            row(size, size, np.arange(a, b), np.ones(b - a))
        order = np.argsort(sort, kind="stable")
        begin = np.searchsorted(sort[order], np.arange(len(self.number) + 1))
        for number, members in enumerate(self.number.tolist()):
            mine = order[begin[number] : begin[number + 1]]
            speed, base = members / self.rate[number], members * self.base[number] / unit
            ones = np.ones(len(mine))
            row(members * self.least[number], members * self.most[number], mine, ones)
            floor = row(-base, infinity, mine, cut[mine])
            top = limit * (1 + ROUNDING) * speed / unit - base
            most = row(-infinity, top if at is not None else -base, mine, heavy[mine])
            asked = floor if at is not None else most
            asked.var_index.append(goal)
            asked.coefficient.append(-speed)
        solver = pywraplp.Solver.CreateSolver("GLOP")
        solver.LoadModelFromProto(model)
        if solver.Solve() != pywraplp.Solver.OPTIMAL:
            return None
        parts = np.zeros(self.arcs)
        parts[arcs] = [variable.solution_value() for variable in solver.variables()[:goal]]
        dual = np.array([row.dual_value() for row in solver.constraints()])[len(self.size) :]
        level = sign * solver.Objective().Value() * unit
        return Dealt(level, parts, self._prices(*dual.reshape(-1, 3).T))

    def _prices(self, count: Floats, least: Floats, most: Floats) -> Prices:
        """Integers from the prices of the rows; those of counts are in records."""
        unit = max(1.0, float(self.counting.group.lag.sum()))
        found = np.maximum(-least, 0.0), np.maximum(most, 0.0), count * unit
        scale = PRICE / max(float(found[0].max()), float(found[1].max()), 1e-300)
        sort, idle = self.sort_of, self.sort_of < 0
        whole = (np.rint(column * scale).astype(np.int64)[sort] for column in found)
        return Prices(*(np.where(idle, 0, column) for column in whole))
