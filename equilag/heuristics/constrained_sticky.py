"""Constrained sticky (KIP-615): owners keep what they have up to a quota, in linear passes.

The cooperative side, which partitions a first rebalance withholds, is in `domain.plan.assignment`.
"""

from __future__ import annotations

import numpy as np

from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.heuristics.dealing import rank_within
from equilag.heuristics.sticky import StickyAssignor


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
