"""The rebalances that bring a cooperative group to an assignment (KIP-429, KIP-615).

A partition that moves between live members is withheld in the first rebalance, so that its old
member can revoke it, and assigned in the second. All claims count here as the members made them,
also claims that did not make their member the owner.

Partition i of co-partitioned topics is one unit, which goes to one member as a whole. While its old
members revoke some of a unit, they may still process what they hold of it. So the new member gets
nothing of the unit before the second rebalance but what it holds already: in the first rebalance no
unit is with two members that did not share it before.
"""

from __future__ import annotations

import numpy as np

from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.domain.reduction.units import unit_lists


def first_phase(group: Group, assigned: Index) -> Index:
    """[P] the assignment of the first rebalance: `assigned` without what is withheld.

    A partition is withheld (NOBODY) if its new member does not claim it and another live member
    does, even one that no longer subscribes or whose claim was voided. With it is withheld whatever
    else of its unit the new member does not claim, if the member gets the whole unit.
    """
    claimed = np.zeros(group.n_partitions, dtype=np.bool_)
    claimed[group.claim_partition] = True
    by_its_member = np.zeros(group.n_partitions, dtype=np.bool_)
    by_its_member[group.claim_partition[_kept(group, assigned)]] = True
    withheld = claimed & ~by_its_member
    for units in unit_lists(group):
        is_whole = (assigned[units] == assigned[units[0]]).all(axis=0)
        withheld[units] |= (withheld[units].any(axis=0) & is_whole) & ~by_its_member[units]
    return np.where(withheld, np.int32(NOBODY), assigned)


def revocations(group: Group, assigned: Index) -> tuple[Index, Ints]:
    """[n] members and [n] partitions that they claim and do not keep in `assigned`.

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
