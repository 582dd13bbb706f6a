"""The reasons of a plan's moves, made one by one when they are read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equilag.domain.columns import Index, Ints
from equilag.domain.move_reasons.unit_moves import Chain, Loads, UnitMoves, chains_of, unit_moves
from equilag.domain.move_reasons.unit_reasons import (
    MoveCause,
    MoveReason,
    Partner,
    nodes_of,
    unit_reasons,
)
from equilag.domain.plan.metrics import member_counts
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import Reduction
from equilag.domain.show import MAX_NAMED


@dataclass(frozen=True, eq=False)
class PlanReasons:
    """Reasons by the number of the move in the plan; nothing is computed before one is read."""

    reduction: Reduction
    policy: Policy | None
    """None for the plan of a single assignor."""
    assigned: Index
    """[P]"""

    def reason(self, number: int) -> MoveReason:
        """Of one move; the moves of a plan are numbered by partition. O(1) after the first, or the
        partitions of its unit."""
        cause = self._cause(number)
        partners, more = self._partners(cause)
        member = cause.member
        before, after, counts_before, counts_after = self._members
        return MoveReason(
            cause.kind,
            self.reduction.given.members[member].id,
            before[member],
            after[member],
            cause.amount,
            counts_before[member],
            counts_after[member],
            partners,
            more,
        )

    def _cause(self, number: int) -> MoveCause:
        given, found = self.reduction.given, self._found
        partition = int(self._rows.gone[number])
        source, target = int(given.owner[partition]), int(self.assigned[partition])
        if found is None:
            lost = self._loads.weight[partition] * self._loads.per_weight[source]
            return MoveCause("assignor" if self.policy is None else "fresh", source, lost.item())
        row = int(self._rows.row_of[number])
        joined = MoveCause("join", target, (0 * self._loads.per_weight[target]).item())
        served = found[row] if row >= 0 else joined
        if self.reduction.unit_of is None:
            return served
        return self._within_unit(partition, served, joined)

    def _within_unit(self, partition: int, served: MoveCause, joined: MoveCause) -> MoveCause:
        """Whether a partition is `joined` with others of its unit, or follows them; and whether its
        owner may not keep it."""
        given, (order, begin) = self.reduction.given, self._units
        unit = int(self.reduction.unit_of[partition])  # type: ignore[index]  # there are units
        others = [p for p in order[begin[unit] : begin[unit + 1]].tolist() if p != partition]
        stay = [p for p in others if given.owner[p] == self.assigned[p]]
        heaviest = int(self._rows.partition[served.row]) if served.row >= 0 else -1
        if stay or served.row < 0:
            served = joined._replace(head=[*stay, *others, -1][0])
        elif partition != heaviest:
            served = joined._replace(kind="unit", head=heaviest)
        source = int(given.owner[partition])
        if self.reduction.group.may_hold(np.array([unit]), source)[0]:
            return served
        return served._replace(kind="restriction", member=source, head=-1)

    def _partners(self, cause: MoveCause) -> tuple[tuple[Partner, ...], int]:
        """The first partner and other moves of the chain of the unit, and how many are left."""
        head = cause.head
        found, others = [head] if head >= 0 else [], 0
        if cause.chain is not None:
            moves, closed = cause.chain
            length, partitions = len(moves), self._rows.partition
            step = -1 if closed else 1  # in a cycle what comes back first
            near = range(1, min(length, MAX_NAMED + 2))
            at = moves.index(cause.row)
            around = [int(partitions[moves[(at + step * k) % length]]) for k in near]
            others = max(0, length - 1 - (head in partitions[moves]))
            found += [partition for partition in around if partition != head]
        name = self.reduction.given.partition_name
        shown = found[:MAX_NAMED]
        return tuple(map(name, shown)), others + (head >= 0) - len(shown)

    @property
    def chains(self) -> tuple[tuple[Partner, ...], ...]:
        """The partitions of each chain, in its order; a unit stands with its heaviest one. Empty
        where the policy does not weigh moves."""
        name = self.reduction.given.partition_name
        partitions = self._rows.partition.tolist()
        return tuple(tuple(name(partitions[m]) for m in one.moves) for one in self._chains)

    @cached_property
    def _chains(self) -> list[Chain]:
        if self.policy is None or self.policy.fresh:
            return []
        ends = nodes_of(self.reduction, self.policy, self._rows)
        return chains_of(*ends, self._rows.lost)

    @cached_property
    def _units(self) -> tuple[Ints, Ints]:
        """[P] the partitions by unit, and [units + 1] where those of each unit begin."""
        unit_of = self.reduction.unit_of
        assert unit_of is not None
        order = np.argsort(unit_of, kind="stable")
        return order, np.searchsorted(unit_of[order], np.arange(int(unit_of.max()) + 2))

    @cached_property
    def _loads(self) -> Loads:
        return Loads.of(self.reduction, self.policy, self.assigned)

    @cached_property
    def _rows(self) -> UnitMoves:
        return unit_moves(self.reduction, self._loads.weight, self.assigned)

    @cached_property
    def _found(self) -> list[MoveCause] | None:
        """By row of units; None where the policy does not weigh moves."""
        if self.policy is None or self.policy.fresh:
            return None
        return unit_reasons(self.reduction, self.policy, self._rows, self._loads, self._chains)

    @cached_property
    def _members(self) -> tuple[list[float], list[float], list[int], list[int]]:
        """[M] loads before and after, counts before and after."""
        loads, rows = self._loads, self._rows
        after = member_counts(rows.assigned, self.reduction.given.n_members)
        return (
            loads.before.tolist(), loads.after.tolist(), rows.counts.tolist(), after.tolist(),
        )  # fmt: skip
