"""The truth about groups: of small ones by trying every assignment, of larger ones by a flow.

Nothing in here uses equilag's own algorithms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from support.oracle_groups import OracleGroup, cheapest_assignment, oracle_of

from equilag.domain.columns import NOBODY, Flags, Index, Ints
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy

MAX_ASSIGNMENTS: Final = 2_000_000
"""Rows of a table that are tried, some 100 bytes for each unit of each."""


@dataclass(frozen=True, eq=False)
class Assignments:
    """Some assignments of a group to members that may take its units, one per row [A, U], with
    what they are worth. The units of a plain group are its partitions."""

    group: Group | OracleGroup
    rows: Index

    @cached_property
    def oracle(self) -> OracleGroup:
        return oracle_of(self.group) if isinstance(self.group, Group) else self.group

    @staticmethod
    def all(group: Group | OracleGroup, keep_owned: bool = False) -> Assignments:
        """Every assignment, also beyond the room of members; with `keep_owned` only those without a
        move."""
        oracle = oracle_of(group) if isinstance(group, Group) else group
        choices = [
            [m for m in unit.takers if m == NOBODY or not (keep_owned and unit.moves[m])]
            for unit in oracle.units
        ]
        total = math.prod(map(len, choices))
        assert total <= MAX_ASSIGNMENTS, f"{total} assignments are too many to try"
        rows, repeat = np.zeros((total, len(choices)), dtype=np.int32), 1
        for column, choice in zip(rows.T, choices, strict=True):
            column[:] = np.resize(np.repeat(np.array(choice, np.int32), repeat), total)
            repeat *= len(choice)
        return Assignments(oracle, rows)

    def __len__(self) -> int:
        return len(self.rows)

    def where(self, keep: Flags) -> Assignments:
        return Assignments(self.oracle, self.rows[keep])

    def __contains__(self, assigned: object) -> bool:
        return bool((self.rows == np.asarray(assigned)).all(axis=1).any())

    @cached_property
    def held(self) -> Flags:
        """[A, U, M] who has what."""
        return self.rows[:, :, None] == np.arange(len(self.oracle.members))

    @cached_property
    def loads(self) -> Ints:
        """[A, M] times the scale of weights."""
        weights = [int(unit.weight * self.oracle.weight_scale) for unit in self.oracle.units]
        found = np.zeros((len(self), len(self.oracle.members) + 1), dtype=_type_for(sum(weights)))
        for column, weight in zip(self.rows.T, weights, strict=True):
            found[np.arange(len(self)), column] += weight  # NOBODY is −1, the last one
        return found[:, :-1]

    @property
    def active(self) -> list[int]:
        """The members that may take a unit."""
        return self.oracle.active

    @cached_property
    def _compared(self) -> npt.NDArray[Any]:
        """[A, active] loads per unit of capacity, times the scale of members' factors."""
        factor = np.array(self.oracle.load_factor, dtype=object)[self.active]
        most = int(self.loads.max(initial=0)) * max(self.oracle.load_factor, default=0)
        return self.loads[:, self.active] * factor.astype(_type_for(most))

    @cached_property
    def highest(self) -> Ints:
        """[A] the heaviest load; 0 without members that are not idle."""
        return self._compared.max(axis=1, initial=0)

    @cached_property
    def lowest(self) -> Ints:
        """[A] the lightest load of those members."""
        if not self.active:
            return np.zeros(len(self), dtype=np.int64)
        return self._compared.min(axis=1)

    @cached_property
    def spread(self) -> Ints:
        return self.highest - self.lowest

    @cached_property
    def excesses(self) -> npt.NDArray[np.float64]:
        """[A] what lies above the mean load, summed over the members."""
        number = max(1, len(self.active))
        above = [
            sum(max(0, load * number - sum(loads)) for load in loads) / number
            for loads in self.loads[:, self.active].tolist()
        ]
        return np.array(above, dtype=np.float64)

    @property
    def least_excess(self) -> int:
        """The least of all that lies above the mean load, rounded down."""
        return math.floor(self.excesses.min())

    @cached_property
    def moves(self) -> Ints:
        """[A] partitions that leave their owner."""
        return self.oracle.forced_moves + self._sums([unit.moves for unit in self.oracle.units])

    @cached_property
    def cross(self) -> Ints:
        """[A] partitions that are read across racks."""
        return self._sums([unit.cross for unit in self.oracle.units])

    def _sums(self, values: Sequence[tuple[int, ...]]) -> Ints:
        """[A] the sum of each unit's value [M] at its member."""
        total = np.zeros(len(self), dtype=np.int64)
        for column, value in zip(self.rows.T, values, strict=True):
            total += np.array([*value, 0], dtype=np.int64)[column]
        return total

    def counts(self, partitions: Flags | None = None) -> Ints:
        """[A, M] how many of the units [U] each member has."""
        held = self.held if partitions is None else self.held[:, partitions]
        return held.sum(axis=1)

    @cached_property
    def fits(self) -> Flags:
        """[A] True where no member has more than its room."""
        return (self.counts() <= np.array(self.oracle.room)).all(axis=1)

    def even(self, balance: str) -> Flags:
        """[A] True where counts fit and are as even as the balance asks for: least Σ count² /
        share in each topic, of instances, of members, of all topics together. Nothing is True if
        none fits."""
        oracle, keep, goals = self.oracle, self.fits.copy(), []
        topics = np.array([unit.partitions[0][0] for unit in oracle.units], dtype=object)
        by_topic = [self.counts(topics == t) for t in sorted({*topics})]
        if balance in ("per-topic", "both"):
            goals += [(counts, oracle.member_factor) for counts in by_topic]
        if balance in ("total", "both", "total-then-topics"):
            instances = np.array(oracle.instance)[:, None] == np.arange(len(oracle.instance_factor))
            goals.append((self.counts() @ instances, oracle.instance_factor))
            goals.append((self.counts(), oracle.member_factor))
        if balance == "total-then-topics" and by_topic:
            goals.append((np.hstack(by_topic), oracle.member_factor * len(by_topic)))
        for counts, factor in goals:
            exact = _type_for(len(oracle.units) ** 2 * max(factor, default=0))
            cost = counts.astype(exact) ** 2 @ np.array(factor, dtype=exact)
            if keep.any():
                keep &= (cost == cost[keep].min()).astype(np.bool_)
        return keep

    def balanced(self, balance: str) -> Assignments:
        """Those whose counts are as even as the balance asks for."""
        return self.where(self.even(balance))

    def best_rows(self) -> list[int]:
        """The rows that no other one beats in both moves and spread, by moves."""
        found: list[int] = []
        for row in np.lexsort((self.spread, self.moves)).tolist():
            if not found or self.spread[row] < self.spread[found[-1]]:
                found.append(row)
        return found

    def front(self) -> list[tuple[int, int]]:
        """Their moves and spreads."""
        return [(int(self.moves[row]), int(self.spread[row])) for row in self.best_rows()]


def _type_for(most: int) -> type[np.int64 | np.object_]:
    """Python's integers where numbers up to `most` times 2^10 do not fit 64 bits."""
    return np.int64 if most < 2**53 else np.object_


@dataclass(frozen=True, eq=False)
class Truth:
    """What a policy asks for on a small group, goal by goal in its order."""

    balanced: Assignments
    """All that meet the counts (and keep what is owned, where the policy says so)."""
    eligible: Assignments
    """Those of them that meet the goals up to the lag spread: moves or a limit on them."""
    fewest_moves: int
    """Of the balanced ones, owners as they are."""
    move_cost: int
    fresh: bool
    tolerance: float = 0.0

    @staticmethod
    def of(group: Group, policy: Policy) -> Truth:
        balanced = Assignments.all(group, policy.name == "sticky-yet-fair" and not policy.fresh)
        balanced = balanced.balanced(policy.balance)
        fewest = int(balanced.moves.min())
        moves_first = policy.name in ("fair-yet-sticky", "sticky-yet-fair")
        limit = fewest if moves_first else policy.max_moves
        eligible = balanced
        if limit is not None and not policy.fresh:
            eligible = balanced.where(balanced.moves <= limit)
        cost = 0 if moves_first or policy.fresh else policy.move_cost
        return Truth(balanced, eligible, fewest, cost, policy.fresh, policy.tolerance)

    @property
    def cost(self) -> Ints:
        """[A] spread + move cost × moves of the eligible."""
        return self.eligible.spread + self.move_cost * self.eligible.moves

    @property
    def best(self) -> Assignments:
        """All optimal assignments."""
        return self.eligible.where(self.cost == self.cost.min())

    @property
    def allowance(self) -> int:
        """Records of spread that the tolerance gives away."""
        active = self.eligible.active
        lag = sum(int(x) for x in self.eligible.loads[0])
        return int(lag / len(active) * self.tolerance / 100) if active else 0

    def is_optimal(self, assigned: Index) -> bool:
        """Is it eligible, with a cost within the tolerance of the best."""
        if not len(self.eligible):
            return False
        cost = self.cost
        return assigned in self.eligible.where(cost <= cost.min() + self.allowance)


class FlowOptimum(NamedTuple):
    counts: list[int]
    """Descending."""
    moves: int


def most_even_flow(group: Group) -> FlowOptimum:
    """The most even total counts of a plain group and, under them, the fewest moves."""
    oracle = oracle_of(group)
    oracle = oracle.of_units([unit for unit in oracle.units if unit.takers != (NOBODY,)])
    placed = cheapest_assignment(oracle)
    assert placed is not None
    counts = np.bincount(placed, minlength=group.n_members)
    return FlowOptimum(sorted(counts.tolist(), reverse=True), oracle.figures(placed).moves)
