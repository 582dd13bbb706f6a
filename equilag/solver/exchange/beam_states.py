"""Many assignments at once, for a beam search over exchanges; and where one partition outweighs the
mean load, those of each member that may hold it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Final

import numpy as np

from equilag.domain.columns import Floats
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.domain.plan.metrics import member_counts, member_loads

EXTREME: Final = 10
"""Members of an assignment that exchange with each other: the heaviest and the lightest half of
them. With up to ten members these are all."""
MIX: Final = 0x9E3779B97F4A7C15
"""Seed of the random keys of assignments: any number, but always the same."""


@dataclass(eq=False)
class BeamStates:
    """n assignments of I items to J members."""

    held: Ints
    """[n, I] member of each item."""
    loads: Ints
    """[n, J]"""
    key: Ints
    """[n] equal for equal assignments."""
    spread: Ints
    squares: Floats
    """[n] sum of squared distances from the evenest loads."""

    def __len__(self) -> int:
        return len(self.key)

    def take(self, rows: Ints | Flags) -> BeamStates:
        return BeamStates(*(getattr(self, field.name)[rows] for field in fields(self)))

    @staticmethod
    def joined(parts: list[BeamStates]) -> BeamStates:
        return BeamStates(
            *(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(BeamStates))
        )


@dataclass(eq=False)
class BeamGroup:
    """What all assignments have in common. Members are those that are not idle, J of them."""

    items: Ints
    """[I] free partitions."""
    members: Ints
    """[J]"""
    lag: Ints
    """[I + 1] the last one stands for no partition."""
    owner: Ints
    """[I + 1] column of the owner; NOBODY, and −2 for no partition."""
    topic: Ints
    """[I + 1] topic where topics count one by one, else 0."""
    allowed: Flags
    """[I + 1, J]"""
    lo: Ints
    hi: Ints
    by_topic: bool
    random: Ints
    """[I + 1, J] a random number for each pair, 0 for no partition."""
    base: Index
    """[P] the partitions that are no items."""
    pinned_load: Ints
    """[J]"""
    evenest: tuple[float, float]
    """Loads that the lightest member hardly passes, and the heaviest."""

    @staticmethod
    def of(group: Group, constraint: CountConstraint) -> BeamGroup:
        items, members = np.flatnonzero(constraint.free), np.flatnonzero(~group.idle)
        column = np.full(group.n_members + 1, NOBODY, dtype=np.int64)
        column[members] = np.arange(len(members))
        pinned = constraint.pinned_assignment
        least, most = constraint.counts_of(members)
        fixed = member_counts(pinned, group.n_members)[members]
        shape = len(items), len(members)
        random = np.random.default_rng(MIX).integers(1, 2**62, shape)
        topic = group.topic_of[items] if constraint.per_topic else np.zeros(len(items), np.int64)
        return BeamGroup(
            items, members, np.append(group.lag[items], 0),
            np.append(column[group.owner[items]], -2), np.append(topic, -1),
            np.vstack((constraint.may(items[:, None], members), np.ones((1, len(members)), bool))),
            least - fixed, most - fixed, constraint.per_topic,
            np.vstack((random, np.zeros((1, len(members)), np.int64))),
            pinned, member_loads(pinned, group.lag, group.n_members)[members],
            _evenest(group.lag, len(members)),
        )  # fmt: skip

    def states(self, assigned: Index) -> BeamStates:
        """One assignment [P]."""
        held = np.searchsorted(self.members, assigned[self.items])[None, :]
        loads = self.pinned_load[None, :].copy()
        np.add.at(loads[0], held[0], self.lag[:-1])
        key = np.bitwise_xor.reduce(self.random[np.arange(len(self.items)), held[0]])
        spread = loads.max(axis=1) - loads.min(axis=1)
        return BeamStates(held, loads, np.array([key]), spread, self.squares(loads))

    def squares(self, loads: Ints) -> Floats:
        """[n] sums over members of loads [n, J]."""
        return np.asarray(self.apart(loads).sum(axis=1))

    def apart(self, loads: Ints) -> Floats:
        """[...] squared distances of loads from the evenest ones."""
        lowest, highest = self.evenest
        apart: Floats = np.maximum(np.maximum(lowest - loads, loads - highest), 0.0)
        return apart * apart

    def assignments(self, states: BeamStates) -> Iterator[Index]:
        """Each assignment [P]."""
        for held in states.held:
            assigned = self.base.copy()
            assigned[self.items] = self.members[held]
            yield assigned


def _evenest(lag: Ints, members: int) -> tuple[float, float]:
    """The mean load, or where single partitions outweigh it that of the others, and the heaviest
    partition."""
    total, heaviest = int(lag.sum()), int(lag.max(initial=0))
    rest, left = total, members
    for each in np.sort(lag)[::-1].tolist():
        if left == 1 or each * left <= rest:
            break
        rest, left = rest - each, left - 1
    return rest / left, max(total / members, heaviest)


def by_holder(
    setting: BeamGroup, starts: list[BeamStates]
) -> list[tuple[BeamGroup, list[BeamStates]]]:
    """In small groups where one item outweighs the mean load, the group for each of its holders,
    with the starts once it was handed over."""
    item = int(setting.lag.argmax())
    total = int(setting.lag.sum() + setting.pinned_load.sum())
    members, cases = np.arange(len(setting.members)), []
    if setting.lag[item] * len(members) <= total or len(members) > EXTREME:
        return []
    for holder in np.flatnonzero(setting.allowed[item]).tolist():
        allowed = setting.allowed.copy()
        allowed[item] = members == holder
        mine = [_handed_over(setting, states, item, holder) for states in starts]
        cases.append((replace(setting, allowed=allowed), [one for one in mine if one is not None]))
    return cases


def _handed_over(
    setting: BeamGroup, states: BeamStates, item: int, holder: int
) -> BeamStates | None:
    """One assignment once an item is at a holder, in exchange for the one that adds the fewest
    moves; None if there is none."""
    held = states.held[0].copy()
    giver = int(held[item])
    fits = (held == holder) & setting.allowed[:-1, giver]
    theirs = np.flatnonzero(fits & (setting.topic[:-1] == setting.topic[item]))
    if giver == holder or not len(theirs):
        return states if giver == holder else None
    owner = setting.owner[theirs]
    extra = (owner == holder).astype(np.int64) - (owner == giver)
    held[item], held[theirs[extra.argmin()]] = holder, giver
    assigned = setting.base.copy()
    assigned[setting.items] = setting.members[held]
    return setting.states(assigned)
