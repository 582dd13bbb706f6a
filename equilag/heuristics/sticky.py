"""Sticky (KIP-54), fair by its own definition and as little moved as its local search allows; and
constrained sticky (KIP-615), which keeps what owners have up to a quota, in linear passes.

Balanced: the counts differ by at most one, or no single partition can go to a subscriber with at
least two partitions fewer. Partitions of one class have the same potential members, so the
work is done on numbers per (partition class, member); which partitions they are is settled last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.domain.plan.metrics import member_counts
from equilag.heuristics.dealing import (
    dealing_order,
    fill_evenly,
    partition_class_members,
    partitions_by_class,
    rank_within,
)

if TYPE_CHECKING:
    import networkx as nx


class StickyAssignor:
    """KIP-54's steps, class by class in each connected component. Claims are resolved already."""

    name = "sticky"

    def assign(self, group: Group) -> Index:
        assigned = np.full(group.n_partitions, NOBODY, dtype=np.int32)
        total = member_counts(group.owner, group.n_members)
        readers = partition_class_members(group)
        partitions = partitions_by_class(group)
        for component in components(group):
            classes = [
                _ClassShares.of(readers[c], partitions[c], group.owner) for c in component.tolist()
            ]
            # Fewest potential members first; the sort is stable, so then by the first topic.
            classes.sort(key=lambda shares: len(shares.members))
            for shares in classes:
                shares.take_free(total)
            _balance(classes, total)
            for shares in classes:
                shares.settle(assigned, total, group.owner)
        return assigned


def components(group: Group) -> list[Ints]:
    """The partition classes, ascending, of each component that has members and partitions; by the
    first of them."""
    eligible = group.eligible
    topics, members = np.flatnonzero(eligible.any(axis=1)), np.flatnonzero(eligible.any(axis=0))
    of_topics = np.full(eligible.shape[0], -1, dtype=np.int64)
    of_members = np.full(eligible.shape[1], -1, dtype=np.int64)
    table = eligible[np.ix_(topics, members)]
    # A topic that everybody reads, or a member that reads everything, holds all together: there is
    # one part at most, and the slow import is not needed.
    if not table.size or table.all(axis=1).any() or table.all(axis=0).any():
        return [topics] if table.size else []

    import networkx as nx

    graph: nx.Graph[Any] = nx.Graph()
    # One edge per class is a start; a table of millions of edges needs only those that join parts.
    graph.add_edges_from((("topics", c), ("members", int(eligible[c].argmax()))) for c in topics)
    graph.add_edges_from(
        (("topics", int(eligible[:, k].argmax())), ("members", k)) for k in members
    )
    while True:
        found = nx.connected_components(graph)
        parts = sorted(found, key=lambda part: min(c for kind, c in part if kind == "topics"))
        for number, part in enumerate(parts):
            for kind, node in part:
                (of_topics if kind == "topics" else of_members)[node] = number
        c, k = np.nonzero(eligible & (of_topics[:, None] != of_members[None, :]))
        if not len(c):
            return [np.flatnonzero(of_topics == number) for number in range(len(parts))]
        _, first = np.unique(of_topics[c] * len(parts) + of_members[k], return_index=True)
        graph.add_edges_from((("topics", c[i]), ("members", k[i])) for i in first)


@dataclass(slots=True, eq=False)
class _ClassShares:
    """One partition class: how many of its n partitions each of its k readers owns and holds."""

    members: Index
    """[k] ascending."""
    partitions: Ints
    """[n] ascending."""
    owned: Ints
    """[k] partitions owned before."""
    held: Ints
    """[k] partitions held now."""

    @staticmethod
    def of(members: Index, partitions: Ints, owner: Index) -> _ClassShares:
        owners = owner[partitions]
        place = np.searchsorted(members, owners[owners != NOBODY])
        owned = np.bincount(place, minlength=len(members)).astype(np.int64)
        return _ClassShares(members, partitions, owned, owned.copy())

    def take_free(self, total: Ints) -> None:
        """Give what nobody owns to the least loaded readers; updates `total`, [M]."""
        room = fill_evenly(total[self.members], len(self.partitions) - int(self.held.sum()))
        self.held += room
        total[self.members] += room

    def improve(self, total: Ints) -> bool:
        """Make every move within the class that improves the balance; False if there is none."""
        mine = total[self.members]
        if mine[self.held > 0].max() <= mine.min() + 1:
            return False
        change = even_out(mine, self.held, self.owned)
        self.held += change
        total[self.members] += change
        return True

    def settle(self, assigned: Index, total: Ints, owner: Index) -> None:
        """Write out which partitions are meant: as many as possible stay where they are."""
        k = len(self.members)
        owners = owner[self.partitions]
        stays = owners != NOBODY
        place = np.searchsorted(self.members, owners[stays])
        stays[stays] = rank_within(place, k) < self.held[place]
        kept = self.partitions[stays]
        assigned[kept] = owner[kept]

        room = self.held - np.minimum(self.held, self.owned)
        order = dealing_order(total[self.members] - room, room)
        assigned[self.partitions[~stays]] = self.members[order]


def even_out(total: Ints, held: Ints, owned: Ints) -> Ints:
    """[k] the change in `held` once no single move within a partition class improves the balance.

    `total` counts all partitions of the k readers, `held` those of this class (at least one).
    Moving always from the highest total that holds one to the lowest total ends where nobody is
    below some level and nobody who could still give is above level + 1. Among equals, those give
    first that have more than they owned, and those receive first that have less.
    """
    low, high = int(total.min()), int(total.max())
    while low < high:  # the highest level to which the givers above it can fill all others
        level = (low + high + 1) // 2
        if np.maximum(level - total, 0).sum() <= _givable(total, held, level).sum():
            low = level
        else:
            high = level - 1
    level = low
    receives = np.maximum(level - total, 0)
    gives = _givable(total, held, level + 1)
    surplus = int(gives.sum() - receives.sum())
    if surplus > 0:
        candidates = np.flatnonzero(total <= level)
        wants_back = (held + receives < owned)[candidates]
        receives[candidates[np.argsort(~wants_back, kind="stable")][:surplus]] += 1
    elif surplus < 0:
        candidates = np.flatnonzero((total - gives == level + 1) & (gives < held))
        gives_own = (held - gives <= owned)[candidates]
        gives[candidates[np.argsort(gives_own, kind="stable")][:-surplus]] += 1
    return receives - gives


def _givable(total: Ints, held: Ints, level: int) -> Ints:
    """[k] what each member can give of its class before its total is down to the level."""
    return np.minimum(held, np.maximum(total - level, 0))


def _balance(classes: list[_ClassShares], total: Ints) -> None:
    """Move within the classes until nothing improves.

    A class with one potential member is set aside, and with it members that read nothing else.
    KIP-54 takes the moves back unless the sum over all pairs of members of the difference of their
    counts has fallen; every single one lowers it, as it is from a member with at least two more.
    """
    movable = [shares for shares in classes if len(shares.members) > 1]
    while sum(shares.improve(total) for shares in movable):
        continue


class ConstrainedStickyAssignor:
    """P partitions over N members of one subscription; other groups are handed over to `sticky`.

    At most P mod N members end at ceil(P / N), all others at floor(P / N). It moves the fewest
    partitions that this allows.
    """

    name = "constrained-sticky"

    def assign(self, group: Group) -> Index:
        if not group.one_subscription:
            return StickyAssignor().assign(group)
        assigned = np.full(group.n_partitions, NOBODY, dtype=np.int32)
        if not group.assignable.any():
            return assigned
        floor, rest = divmod(int(np.count_nonzero(group.assignable)), group.n_members)
        ceil = floor + (rest > 0)

        # 1. Everybody keeps the first of what is owned, up to ceil.
        member, partition = _owned(group)
        owned = np.bincount(member, minlength=group.n_members).astype(np.int64)
        kept = np.minimum(owned, ceil)
        rank = rank_within(member, group.n_members)
        stays = rank < kept[member]
        assigned[partition[stays]] = member[stays]

        # 2. What is left fills the members below floor, one after the other.
        left = _left_over(group, assigned)
        lacking = np.repeat(np.arange(group.n_members, dtype=np.int32), np.maximum(floor - kept, 0))
        given = min(len(left), len(lacking))
        assigned[left[:given]] = lacking[:given]

        # 3. Not enough: members at ceil give the last one that they kept, one each, by id.
        at_ceil = kept == ceil
        last_kept = partition[at_ceil[member] & (rank == ceil - 1)]
        assigned[last_kept[: len(lacking) - given]] = lacking[given:]

        # 4. Too many: one each for members that are not at ceil.
        spare = left[given:]
        assigned[spare] = np.flatnonzero(~at_ceil)[: len(spare)]
        return assigned


def _owned(group: Group) -> tuple[Index, Ints]:
    """Owner and partition of every claim that stands, by member and then as they were given."""
    stands = group.owner[group.claim_partition] == group.claim_member
    return group.claim_member[stands], group.claim_partition[stands]


def _left_over(group: Group, assigned: Index) -> Ints:
    """Partitions that nobody holds yet: the first of every topic, then the second, and so on."""
    free = np.flatnonzero(group.assignable & (assigned == NOBODY))
    number = free - group.topic_start[group.topic_of[free]]
    return free[np.argsort(number, kind="stable")]
