"""The reduced group: what is planned in place of a group with capacities, racks, units or pins.

Its partitions are units (the partitions of co-partitioned topics with one number), its classes are
split by who may take a unit and by racks. Everybody who plans or proves works on it, and a plan of
it is expanded at the end. A plain group is its own reduced group.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Context, Decimal
from fractions import Fraction
from statistics import median
from typing import Final

import numpy as np

from equilag.domain.columns import Ints
from equilag.domain.errors import InputError
from equilag.domain.group.extended_columns import NO_LIMIT, ExtendedColumns, Stakes, stakes_of
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.group.loads import json_number
from equilag.domain.group.member_capacities import MemberCapacities, decimal
from equilag.domain.group.weight import MovePrices, PartitionWeights, move_prices, partition_weights
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.split_classes import RackReads, split_classes
from equilag.domain.reduction.units import with_units

DIGITS: Final = 3
"""Significant digits of a capacity: measured ones are not known better."""
WIDEST: Final = 10**6
"""The largest capacity over the smallest one: products with counts stay below 2^62."""


def known_capacities(group: Group) -> list[float]:
    """The capacity of each member; the median of the known ones for the others, 1 without any."""
    return [float(capacity) for capacity in exact_capacities(group)]


def exact_capacities(group: Group) -> list[Fraction]:
    """The same, exactly: decimals count as they are written."""
    given = [member.capacity for member in group.members]
    exact = {value: decimal(value) for value in set(given) if value is not None}
    known = [exact[value] for value in given if value is not None]
    usual = median(known) if known else Fraction(1)
    return [usual if value is None else exact[value] for value in given]


def rounded(capacity: float) -> Decimal:
    """The capacity with three significant digits."""
    return Context(prec=DIGITS).create_decimal_from_float(capacity)


def whole_capacities(capacities: list[float]) -> tuple[Ints, float]:
    """[M] capacities as integers without a common divisor, and what 1 of them stands for."""
    if len(set(capacities)) <= 1:
        usual = float(rounded(capacities[0])) if capacities else 1.0
        return np.ones(len(capacities), np.int64), usual
    exact = {capacity: rounded(capacity) for capacity in set(capacities)}
    least = max(exact.values()) / WIDEST
    unit = Decimal(1).scaleb(min(int(value.as_tuple().exponent) for value in exact.values()))
    unit = max(unit, least)
    whole = {capacity: max(1, round(value / unit)) for capacity, value in exact.items()}
    column = np.array([whole[capacity] for capacity in capacities], dtype=np.int64)
    divisor = int(np.gcd.reduce(column))
    return column // divisor, float(unit * divisor)


@dataclass(frozen=True, eq=False, slots=True)
class Reduction:
    """A group, and what is planned in its place."""

    given: Group
    """As it was read, with the overrides of the policy."""
    group: Group
    """What is planned; the same object where nothing has to be reduced."""
    unit_of: Ints | None = None
    """[P] the unit of each partition of `given`; None where each is its own, with its number."""
    weights: PartitionWeights | None = None
    """What the partitions of `given` weigh; None where lag is what is spread."""
    prices: MovePrices | None = None
    """What moving the partitions of `given` costs; None where moves are counted."""
    weighs_moves: bool = False
    """True if the group, or its policy, speaks of weights of moves, be they 1."""

    def moved_weight(self, moves: int) -> float | None:
        """What moves weigh, as `count_moves` has them; None where weights are not spoken of."""
        return json_number(self.group.extended.moved_weight(moves)) if self.weighs_moves else None

    def move_weights(self, partitions: Ints) -> list[float | None]:
        """What moving each of some partitions of `given` costs."""
        if not self.weighs_moves:
            return [None] * len(partitions)
        if self.prices is None:
            return [1] * len(partitions)
        unit = self.prices.unit
        return [json_number(unit.weight(one)) for one in self.prices.price[partitions].tolist()]

    @property
    def partition_weight(self) -> Ints:
        """[P] what each partition of `given` weighs, as integers: see `PartitionWeights`."""
        return self.given.lag if self.weights is None else self.weights.value

    @property
    def weight_scale(self) -> int:
        """This much of `partition_weight` is one unit."""
        return 1 if self.weights is None else self.weights.scale

    @property
    def capacities(self) -> MemberCapacities:
        """What the loads of members are compared by: those of `given`, whatever was reduced."""
        if self.group.reduced is None:  # of an assignor's plan, too
            return MemberCapacities.of(exact_capacities(self.given))
        return self.group.reduced.capacities

    def expand(self, assigned: Index) -> Index:
        """[P] the assignment of partitions for one of units."""
        return assigned if self.unit_of is None else assigned[self.unit_of]

    def collapse(self, assigned: Index) -> Index:
        """[units] the member of each unit's first partition, for an assignment [P]."""
        if self.unit_of is None:
            return assigned
        collapsed = np.full(self.group.n_partitions, NOBODY, dtype=np.int32)
        collapsed[self.unit_of[::-1]] = assigned[::-1]
        return collapsed


def reduce_group(group: Group, policy: Policy) -> Reduction:
    """Make the reduced group. Raises InputError for what no plan can meet, at the place that says
    so: the policy's lists of topics, or the group's own."""
    try:
        return _reduce_group(group, policy)
    except InputError as error:
        if error.place != "co_partitioned" or not policy.co_partition:
            raise
        raise InputError(error.problem, "co_partition") from error


def _reduce_group(group: Group, policy: Policy) -> Reduction:
    racks = RackReads.of(group) if policy.minds_racks else None
    if policy.counts_topics:
        _refuse_topic_balance(group, policy, racks is not None)
    if policy.then_topics and _instances(group) is not None:
        problem = f"{policy.balance} does not go with instances; total or none do"
        raise InputError(problem, "balance")
    weights, prices = partition_weights(group, policy), move_prices(group, policy)
    planned, unit_of = group if weights is None else replace(group, lag=weights.value), None
    if group.co_partitioned:
        planned, unit_of = with_units(planned)
    named = policy.move_weight is not None or policy.max_move_weight is not None
    weighs_moves = named or group.move_weights is not None
    plain = planned is group and racks is None and prices is None
    if plain and not _limits_plans(group):
        return Reduction(group, group, weighs_moves=weighs_moves)
    cross, every = None, np.arange(group.n_partitions) if unit_of is None else unit_of
    if racks is not None or group.allowed:
        planned, cross = split_classes(group, planned, every, racks, policy.then_topics)
    owner, stakes, forced = _owners(group, unit_of, planned)
    if prices is not None:
        held = np.flatnonzero(group.owner != NOBODY)
        stakes, forced = stakes_of(every[held], group.owner[held], prices.price[held]), 0
    members = group.members
    exact = exact_capacities(group)
    capacity, unit = whole_capacities([*map(float, exact)])
    room = (NO_LIMIT if m.max_partitions is None else m.max_partitions for m in members)
    extended = ExtendedColumns(
        capacity,
        unit,
        MemberCapacities.of(exact),
        np.array([min(most, NO_LIMIT) for most in room], dtype=np.int64),
        _instances(group),
        cross,
        stakes=stakes,
        forced_moves=forced,
        weight_scale=weights.scale if weights else None,
        move_unit=prices.unit if prices else None,
        has_units=unit_of is not None,
    )
    reduced = replace(planned, owner=owner, reduced=extended, allowed=None, racks=None)
    return Reduction(group, reduced, unit_of, weights, prices, weighs_moves)


def _refuse_topic_balance(group: Group, policy: Policy, racks: bool) -> None:
    """Raise InputError for a group of which counts topic by topic say nothing."""
    balance: str = policy.balance
    place = "balance"
    if balance == policy.default_balance:  # the user may have said nothing of it
        balance = f"{balance}, the balance of {policy.name},"
        place = "policy"
    named = {
        "co-partitioned topics": bool(group.co_partitioned),
        "partitions that only some members may take": bool(group.allowed),
        "fewest reads across racks": racks,
        "capacities, room or instances": _limits_plans(group),
    }
    for what, there in named.items():
        if there:
            raise InputError(f"{balance} does not go with {what}; total or none do", place)


def _limits_plans(group: Group) -> bool:
    """True if members differ in capacity, have limited room or are threads of an instance, or if
    not every subscriber may take each partition."""
    differ = len({member.capacity for member in group.members} - {None}) > 1
    return bool(group.allowed) or group.limits_room or group.names_instances or differ


def _instances(group: Group) -> Index | None:
    """[M] the instance of each member; None if no instance has two members."""
    if not group.names_instances:
        return None
    number: dict[str | tuple[str], int] = {}
    column = [
        number.setdefault((m.id,) if m.instance is None else m.instance, len(number))
        for m in group.members
    ]
    if len(number) == len(column):
        return None
    return np.array(column, dtype=np.int32)


def _owners(given: Group, unit_of: Ints | None, planned: Group) -> tuple[Index, Stakes | None, int]:
    """The owner of each unit that may keep it, with the most of its partitions; who holds how much
    of what; and, without units of several partitions, the moves that cannot be avoided."""
    held = np.flatnonzero(given.owner != NOBODY)
    if unit_of is None:
        kept = held[planned.may_hold(held, given.owner[held])]
        owner = np.full_like(given.owner, NOBODY)
        owner[kept] = given.owner[kept]
        return owner, None, len(held) - len(kept)
    stakes = stakes_of(unit_of[held], given.owner[held], np.ones_like(held))
    kept_ones = stakes.where(planned.may_hold(stakes.unit, stakes.member))
    return kept_ones.largest(planned.n_partitions)[0], stakes, 0
