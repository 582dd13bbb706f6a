"""What the partitions of a live group weigh, and what its members can carry."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equilag.domain.group.group import Flags, Floats, Group, Index
from equilag.domain.group.weight import (
    filled_rates,
    partition_weights,
    weighed_policy,
    with_known_weight,
)
from equilag.domain.plan.metrics import member_sums
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import known_capacities


@dataclass(frozen=True, eq=False)
class GroupLoads:
    """Weights and capacities of one group at one moment.

    A load is the weight of a member's partitions divided by its capacity: seconds of work where
    capacities are records per second.
    """

    group: Group
    weight: Floats
    """[P] in records; 0 for partitions that nobody may take."""
    rate: Floats
    """[P] records per second, 0 for unknown."""
    capacity: Floats
    """[B] of the members that are not idle."""
    guessed: Flags
    """[M] the members whose capacity was not measured."""
    in_seconds: bool = False
    """True if loads are seconds of work."""
    looks_ahead_s: float = 0.0
    """Seconds of production that weights have in them; 0 where they are lag alone."""
    rate_error: Floats | None = None
    """[P] standard error of each rate; None where it is not known."""
    in_records: bool = True
    """False where weights are records per second, the user's own, or counts."""
    by_count: bool = False
    """True if each partition weighs 1."""

    @cached_property
    def busy(self) -> Index:
        """[B] the members that are not idle."""
        return np.flatnonzero(~self.group.idle).astype(np.int32)

    @cached_property
    def fair(self) -> float:
        """The load of all members if all were equally loaded."""
        total = float(self.capacity.sum())
        return float(self.weight.sum()) / total if total else 0.0

    @cached_property
    def best(self) -> Floats:
        """[B] loads that no plan falls below, rank by rank, the heaviest first: as if partitions
        that weigh more than a fair share were alone, and all others could be shared equally."""
        capacity = self.capacity
        if not self.by_count or not len(capacity) or np.ptp(capacity):
            return best_loads(self.weight, capacity)
        share, rest = divmod(int(self.weight.sum()), len(capacity))
        least: Floats = (share + (np.arange(len(capacity)) < rest)) / capacity[0]
        return least

    @property
    def error(self) -> float:
        """Standard error of a member's load."""
        if self.rate_error is None or not len(self.capacity):
            return 0.0
        squares = np.where(self.group.assignable, np.nan_to_num(self.rate_error), 0.0) ** 2
        each = float(np.sqrt(squares.sum() / len(self.capacity)))
        return self.looks_ahead_s * each / float(self.capacity.mean())

    @cached_property
    def usual(self) -> float:
        """The fair share that gains are measured by: the median of `best`, so that a hot partition
        does not make all others look light."""
        return float(np.median(self.best)) if len(self.best) else 0.0

    def of(self, assigned: Index) -> Floats:
        """[B] the loads under an assignment [P]."""
        by_member = member_sums(self.weight, assigned, self.group.n_members)
        loads: Floats = by_member[self.busy] / self.capacity
        return loads

    def seconds(self, load: float) -> float | None:
        """A load as seconds of work; None if neither a capacity nor a rate is known.

        Without capacities it is the time in which the average member gets as much to read.
        """
        if self.in_seconds:
            return load
        rate = float(self.rate.sum())
        return load * float(self.capacity.sum()) / rate if rate else None


def group_loads(
    group: Group, policy: Policy, rate_error: Floats | None = None, measured: Flags | None = None
) -> GroupLoads:
    """Return the loads of a group under the weight of a policy.

    `rate_error` [P] is the standard error of each rate, in records per second. `measured` [M] says
    that capacities are records per second, and which of them were measured. Raises InputError as
    `partition_weights`.
    """
    policy = weighed_policy(with_known_weight(policy, group), group)
    weights = partition_weights(group, policy)
    value = group.lag if weights is None else weights.value
    scale = 1 if weights is None else weights.scale
    weight = np.where(group.assignable, value / scale, 0.0)
    rate = np.where(group.assignable, filled_rates(group).rate, 0.0)
    capacity = np.array(known_capacities(group), dtype=np.float64)[~group.idle]
    return GroupLoads(
        group,
        weight,
        rate,
        capacity,
        guessed=np.ones(group.n_members, np.bool_) if measured is None else ~measured,
        in_seconds=measured is not None,
        looks_ahead_s={"rate": 1.0, "work": policy.horizon}.get(policy.weight or "", 0.0),
        rate_error=rate_error,
        in_records=weights is None or weights.kind in ("lag", "work"),
    )


def best_loads(weight: Floats, capacity: Floats) -> Floats:
    """Return loads [B] as in `GroupLoads.best` for weights [P] and capacities [B].

    As long as the heaviest partition is more than a fair share even for the member of the largest
    capacity, it is set apart, with that load, and takes up one of the smallest capacity.
    """
    total, left = float(weight.sum()), float(capacity.sum())
    strongest, weakest = float(capacity.max(initial=0.0)), np.sort(capacity).tolist()
    alone: list[float] = []
    heavy = np.sort(weight)[::-1][: max(0, len(capacity) - 1)].tolist()
    for one, member in zip(heavy, weakest, strict=False):
        if one / strongest <= total / left:
            break
        alone.append(one / strongest)
        total, left = total - one, left - member
    rest = max(0.0, total) / left if left else 0.0
    return np.array(alone + [rest] * (len(capacity) - len(alone)))
