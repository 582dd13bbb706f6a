"""The reasons of a plan's moves, made when they are read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np

from equilag.domain.columns import Index
from equilag.domain.move_reasons.reason import (
    MOVE_REASON_KINDS,
    MoveReason,
    MoveReasonKind,
    Partner,
)
from equilag.domain.move_reasons.reason_columns import (
    ReasonColumns,
    reason_columns,
    unweighed_columns,
)
from equilag.domain.move_reasons.unit_moves import Loads, UnitMoves, unit_moves
from equilag.domain.move_reasons.unit_reasons import UnitReasons, unit_reasons
from equilag.domain.plan.metrics import member_counts
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import Reduction

MAX_PARTNERS: Final = 3
"""Partners that a reason names: a cycle of four moves is the longest that is seen at a glance."""


@dataclass(frozen=True, eq=False)
class PlanReasons:
    """Reasons by the number of the move in the plan; nothing is computed before one is read."""

    reduction: Reduction
    policy: Policy | None
    """None for the plan of a single assignor."""
    assigned: Index
    """[P]"""

    def reason(self, number: int) -> MoveReason:
        """Of one move; the moves of a plan are numbered by partition. O(1) after the first."""
        kind, members, amount, head, row = self._columns_read
        member = members[number]
        partners, more = self._partners(head[number], row[number])
        before, after, counts_before, counts_after = self._members
        return MoveReason(
            MOVE_REASON_KINDS[kind[number]],
            self.reduction.given.members[member].id,
            before[member],
            after[member],
            amount[number],
            counts_before[member],
            counts_after[member],
            partners,
            more,
        )

    def _partners(self, head: int, row: int) -> tuple[tuple[Partner, ...], int]:
        """`head` and other moves of the chain of a unit's row, and how many are left."""
        found, others = [head] if head >= 0 else [], 0
        if row >= 0:
            begin, end, place = self._chain_ends(row)
            others = end - begin - 1
        if others:
            chained = self._chained
            near = _following(chained, begin, end, place)
            if self._is_closed[row]:  # what comes back to the owner first
                near = _preceding(chained, begin, end, place)
            others -= begin <= self._place_of.get(head, -1) < end
            found += [partition for partition in near if partition != head]
        name = self.reduction.given.partition_name
        shown = found[:MAX_PARTNERS]
        return tuple(map(name, shown)), others + (head >= 0) - len(shown)

    def _chain_ends(self, row: int) -> tuple[int, int, int]:
        """Where the chain of a unit's row begins and ends, and the place of the unit itself."""
        begin, chain_of, place = self._chain_places
        chain = chain_of[row]
        return begin[chain], begin[chain + 1], place[row]

    @cached_property
    def chains(self) -> tuple[tuple[Partner, ...], ...]:
        """The partitions of each chain, in its order; a unit stands with its heaviest one. Empty
        where the policy does not weigh moves."""
        name = self.reduction.given.partition_name
        begin = self._chain_places[0]
        return tuple(tuple(map(name, self._chained[a:b])) for a, b in pairwise(begin))

    @cached_property
    def _loads(self) -> Loads:
        return Loads.of(self.reduction, self.policy, self.assigned)

    @cached_property
    def _rows(self) -> UnitMoves:
        return unit_moves(self.reduction, self._loads.weight, self.assigned)

    @cached_property
    def _found(self) -> UnitReasons | None:
        """None where the policy does not weigh moves."""
        if self.policy is None or self.policy.fresh:
            return None
        return unit_reasons(self.reduction, self.policy, self._rows, self._loads)

    @cached_property
    def _columns(self) -> ReasonColumns:
        found = self._found
        if found is not None:
            return reason_columns(self.reduction, self._rows, found, self.assigned)
        kind: MoveReasonKind = "assignor" if self.policy is None else "fresh"
        return unweighed_columns(self.reduction, self._loads, self.assigned, kind)

    @cached_property
    def _columns_read(self) -> tuple[list[int], list[int], list[float], list[int], list[int]]:
        """The columns as lists, which single entries are read from more quickly."""
        kind, member, amount, head, row = self._columns
        return kind.tolist(), member.tolist(), amount.tolist(), head.tolist(), row.tolist()

    @cached_property
    def _members(self) -> tuple[list[float], list[float], list[int], list[int]]:
        """[M] loads before and after, counts before and after."""
        loads, rows = self._loads, self._rows
        after = member_counts(rows.assigned, self.reduction.given.n_members)
        return (
            loads.before.tolist(), loads.after.tolist(), rows.counts.tolist(), after.tolist(),
        )  # fmt: skip

    @cached_property
    def _chained(self) -> list[int]:
        """The partitions that move, chain by chain."""
        if self._found is None:
            return []
        partitions: list[int] = self._rows.partition[self._found.chains.order].tolist()
        return partitions

    @cached_property
    def _is_closed(self) -> list[bool]:
        """[U] True if the unit's chain is a cycle."""
        if self._found is None:
            return []
        chains = self._found.chains
        closed: list[bool] = chains.closed[chains.chain_of].tolist()
        return closed

    @cached_property
    def _place_of(self) -> dict[int, int]:
        """Partition -> its place in `_chained`."""
        return {partition: place for place, partition in enumerate(self._chained)}

    @cached_property
    def _chain_places(self) -> tuple[list[int], list[int], list[int]]:
        """Where each chain begins in `_chained`; by row, its chain and its place in `_chained`."""
        if self._found is None:
            return [0], [], []
        chains = self._found.chains
        place = np.empty_like(chains.order)
        place[chains.order] = np.arange(len(place))
        return chains.begin.tolist(), chains.chain_of.tolist(), place.tolist()


def _following(chained: list[int], begin: int, end: int, place: int) -> list[int]:
    """Some of the other moves of a chain, from the next one on."""
    after = chained[place + 1 : min(end, place + 2 + MAX_PARTNERS)]
    return after + chained[begin : min(place, begin + 1 + MAX_PARTNERS)]


def _preceding(chained: list[int], begin: int, end: int, place: int) -> list[int]:
    """Some of the other moves of a chain, backwards from the one before."""
    before = chained[max(begin, place - 1 - MAX_PARTNERS) : place]
    return before[::-1] + chained[max(place + 1, end - 1 - MAX_PARTNERS) : end][::-1]
