"""All exchanges of a few members with others as one table: each of their partitions, or nothing,
for each partition of the others, or nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.columns import ranges
from equilag.domain.group.group import NOBODY, Flags, Index, Ints
from equilag.domain.group.loads import LoadColumn
from equilag.domain.group.throughput import Shortage
from equilag.domain.plan.metrics import moves_added
from equilag.solver.local_search.assignment_state import AssignmentState


class Held(NamedTuple):
    """The partitions of some members, and nothing once for each of them: [entries]."""

    member: Ints
    partition: Ints
    """NOBODY for nothing."""
    lag: Ints
    nothing: Flags

    @staticmethod
    def of(state: AssignmentState, held: tuple[Ints, Ints], members: Index) -> Held:
        by_member, start = held
        begin, end = start[members], start[members + 1]
        some = by_member[ranges(begin, end)]
        partition = np.concatenate((some, np.full(len(members), NOBODY, np.int64)))
        member = np.concatenate((np.repeat(members, end - begin), members)).astype(np.int64)
        nothing = partition == NOBODY
        return Held(member, partition, np.where(nothing, 0, state.group.lag[partition]), nothing)


class ExchangeTable(NamedTuple):
    """Exchanges [rows, columns] of the members of the rows with those of the columns."""

    state: AssignmentState
    rows: Held
    """[rows, 1]"""
    columns: Held
    """[columns]"""
    falls: LoadColumn
    """[rows, columns] by how much the load of the row's member falls."""
    rises: LoadColumn
    """[rows, columns] by how much that of the column's member rises."""

    @staticmethod
    def of(
        state: AssignmentState, held: tuple[Ints, Ints], ones: Index, others: Index
    ) -> ExchangeTable:
        """`held` are partitions by member, and [M + 1] where each member's begin."""
        side = Held.of(state, held, ones)
        rows = side._replace(**{name: entry[:, None] for name, entry in side._asdict().items()})
        columns = Held.of(state, held, others)
        change = rows.lag - columns.lag
        falls, rises = state.scaled(change, rows.member), state.scaled(change, columns.member)
        return ExchangeTable(state, rows, columns, falls, rises)

    @property
    def loads_after(self) -> tuple[LoadColumn, LoadColumn]:
        """[rows, columns] the loads of the row's member and of the column's after each exchange."""
        loads = self.state.loads
        return loads[self.rows.member] - self.falls, loads[self.columns.member] + self.rises

    def fits(self) -> Flags:
        """[rows, columns] True for the exchanges that the constraint allows."""
        state, rows, columns = self.state, self.rows, self.columns
        constraint, counts = state.constraint, state.counts
        fits: Flags = (rows.member != columns.member) & ~(rows.nothing & columns.nothing)
        if not constraint.face.all():
            fits &= rows.nothing | constraint.may(rows.partition, columns.member)
            fits &= columns.nothing | constraint.may(columns.partition, rows.member)
        if state.per_topic is not None:
            same = state.group.topic_of[rows.partition] == state.group.topic_of[columns.partition]
            same &= ~(rows.nothing | columns.nothing)
            fits &= same | (self._goes(rows, columns) & self._goes(columns, rows))
        for alone, giver, taker in ((rows, columns, rows), (columns, rows, columns)):
            loses = constraint.may_lose_one(counts, giver.member)
            fits &= ~alone.nothing | (loses & constraint.may_gain_one(counts, taker.member))
        return fits if state.shortage is None else fits & self._keeps_up(state.shortage)

    def _keeps_up(self, shortage: Shortage) -> Flags:
        """[rows, columns] True where the two members together fall no further behind."""
        out, back = (
            np.where(side.nothing, 0, shortage.rate[side.partition])
            for side in (self.rows, self.columns)
        )
        over = shortage.held(self.state.assigned) - shortage.capacity
        one, other = over[self.rows.member], over[self.columns.member]
        after = np.maximum(one - out + back, 0) + np.maximum(other + out - back, 0)
        found: Flags = after <= np.maximum(one, 0) + np.maximum(other, 0)
        return found

    def _goes(self, given: Held, taken: Held) -> Flags:
        """Where topics count one by one: True for what may go without one of its topic in return;
        the two sides are broadcast together."""
        state, topic = self.state, self.state.group.topic_of[given.partition]
        held, constraint = state.per_topic, state.constraint
        assert held is not None
        goes = constraint.may_lose_of_topic(held, topic, given.member)
        goes = goes & constraint.may_gain_of_topic(held, topic, taken.member)
        found: Flags = given.nothing | goes
        return found

    def moves(self) -> Ints:
        """[rows, columns] partitions that leave their owners, less those that return to them."""
        rows, columns, group = self.rows, self.columns, self.state.group
        out = moves_added(group, rows.partition, rows.member, columns.member)
        into = moves_added(group, columns.partition, columns.member, rows.member)
        return np.where(rows.nothing, 0, out) + np.where(columns.nothing, 0, into)

    def make(self, pick: int) -> None:
        """Make the exchange of this number."""
        row, column = divmod(pick, len(self.columns.member))
        one, other = (self.rows.member[row], self.columns.member[column : column + 1])
        given, taken = self.rows.partition[row], self.columns.partition[column : column + 1]
        if self.rows.nothing[row, 0]:
            one, other, given, taken = other, one, taken, given
        self.state.exchange(given, taken, one.astype(np.int32), other.astype(np.int32))
