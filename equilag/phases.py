"""What a cooperative group goes through on its way to an assignment (KIP-429, KIP-615).

A partition that changes hands between live members is withheld in the first rebalance, so that
its old consumer can let go of it, and handed out in the one that follows. All claims count here as
the members made them, also those that decided nothing.
"""

from __future__ import annotations

import numpy as np

from equilag.group import NOBODY, Flags, Group, Index, Ints


def first_phase(group: Group, assigned: Index) -> Index:
    """[P] the assignment of the first rebalance: `assigned` without what is withheld.

    Withheld (NOBODY) is a partition that its new member does not claim while another live member
    does, be it one that no longer subscribes or whose claim was voided.
    """
    claimed = np.zeros(group.n_partitions, dtype=np.bool_)
    claimed[group.claim_partition] = True
    by_its_member = np.zeros(group.n_partitions, dtype=np.bool_)
    by_its_member[group.claim_partition[_kept(group, assigned)]] = True
    return np.where(claimed & ~by_its_member, np.int32(NOBODY), assigned)


def revocations(group: Group, assigned: Index) -> tuple[Index, Ints]:
    """Members and the partitions they claim but do not keep in `assigned`; two arrays, same length.

    Ordered by member, then by partition.
    """
    lost = ~_kept(group, assigned)
    member, partition = group.claim_member[lost], group.claim_partition[lost]
    order = np.lexsort((partition, member))
    return member[order], partition[order]


def _kept(group: Group, assigned: Index) -> Flags:
    """[Q] claims that `assigned` grants."""
    kept: Flags = assigned[group.claim_partition] == group.claim_member
    return kept
