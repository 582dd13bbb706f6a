"""Counts, loads and moves of an assignment; every room takes the figures from here.

An assignment is an array [P] of member numbers, NOBODY where a partition has no subscriber.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilag.group import NOBODY, Flags, Group, Index, Ints


def member_counts(assigned: Index, n_members: int) -> Ints:
    """[M] partitions per member."""
    # NOBODY is −1 and becomes the first of the counts, which is dropped.
    return np.bincount(assigned + 1, minlength=n_members + 1)[1:].astype(np.int64, copy=False)


def member_loads(assigned: Index, lag: Ints, n_members: int) -> Ints:
    """[M] lag per member, in exact integers (a weighted bincount would go through floats)."""
    loads = np.zeros(n_members + 1, dtype=np.int64)
    np.add.at(loads, assigned, lag)  # NOBODY is −1, the last one, which is dropped
    return loads[:-1]


def spread(values: Ints, idle: Flags) -> int:
    """Maximum minus minimum over the members that are not idle; 0 if all are idle."""
    active = values[~idle]
    return int(active.max() - active.min()) if len(active) else 0


def excess(loads: Ints) -> float:
    """Records above a fair share: the sum of max(0, load − mean) over members that are not idle.

    `loads` are those members' alone. Exact but for the last division.
    """
    return _above(loads) / len(loads) if len(loads) else 0.0


def excess_floor(loads: Ints) -> int:
    """`excess`, rounded down: exact where it passes what a float can hold."""
    return _above(loads) // len(loads) if len(loads) else 0


def _above(loads: Ints) -> int:
    """The excess times the number of members, a whole number."""
    n = len(loads)
    whole, part = divmod(int(loads.sum()), n)
    above = loads[loads > whole]
    return int((above - whole).sum()) * n - len(above) * part


@dataclass(frozen=True, eq=False, slots=True)
class MemberFigures:
    """One figure per member; extremes and mean are over the members that are not idle."""

    by_member: Ints
    """[M]"""
    max: int
    min: int
    mean: float

    @staticmethod
    def of(by_member: Ints, idle: Flags) -> MemberFigures:
        """0 for extremes and mean if all members are idle."""
        active = by_member[~idle]
        if not len(active):
            return MemberFigures(by_member, 0, 0, 0.0)
        mean = int(active.sum()) / len(active)
        return MemberFigures(by_member, int(active.max()), int(active.min()), mean)

    @property
    def spread(self) -> int:
        return self.max - self.min


def count_figures(group: Group, assigned: Index) -> MemberFigures:
    """Partitions per member."""
    return MemberFigures.of(member_counts(assigned, group.n_members), group.idle)


def load_figures(group: Group, assigned: Index) -> MemberFigures:
    """Lag per member, in records."""
    return MemberFigures.of(member_loads(assigned, group.lag, group.n_members), group.idle)


def mean_load(group: Group) -> float:
    """Lag of all assigned partitions per member that is not idle, whoever they are assigned to."""
    active = int(np.count_nonzero(~group.idle))
    return int(group.lag[group.assignable].sum()) / active if active else 0.0


def moved(owner: Index, assigned: Index) -> Flags:
    """[P] partitions that a live, still subscribed owner loses."""
    lost: Flags = (owner != NOBODY) & (owner != assigned)
    return lost


def count_moves(group: Group, assigned: Index) -> int:
    """Number of partitions that a live, still subscribed owner loses."""
    real = group.real
    if real is None:
        return int(np.count_nonzero(moved(group.owner, assigned)))
    if real.stakes is None:
        return int(np.count_nonzero(moved(group.owner, assigned))) + real.forced_moves
    unit, member, number = real.stakes
    return int(number[assigned[unit] != member].sum())


def cross_costs(group: Group) -> Ints:
    """[C, K] partitions of a unit that are read across racks, in a reduced group that has racks."""
    if group.real is None or group.real.cross is None:
        raise ValueError("racks do not matter here")
    return group.real.cross


def cross_reads(group: Group, assigned: Index) -> int:
    """Partitions that an assignment of a reduced group with racks reads across racks."""
    held = np.flatnonzero(assigned != NOBODY)
    costs = cross_costs(group)
    return int(costs[group.partition_class[held], group.class_of[assigned[held]]].sum())


def is_valid(group: Group, assigned: Index) -> bool:
    """True if every partition that any member may take is assigned to exactly one member that may
    take it, and no other partition is assigned."""
    held = assigned != NOBODY
    if not np.array_equal(held, group.assignable):
        return False
    members = assigned[held]
    if len(members) and (members.min() < 0 or members.max() >= group.n_members):
        return False
    return bool(group.may_hold(np.flatnonzero(held), members).all())
