"""Which partitions a member reads from another rack (KIP-392, KIP-881).

A partition is read across racks if its member has a rack and the partition has replicas, but none
there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints


@dataclass(frozen=True, eq=False, slots=True)
class RackReads:
    """Racks as integers. Members without a rack have −1."""

    rack_of: Index
    """[M]"""
    replicas: Ints
    """[P] number of each partition's set of racks."""
    across: Flags
    """[sets, racks + 1] True if a member of the rack reads such a partition across racks; the last
    column is of members without a rack."""

    @staticmethod
    def of(group: Group) -> RackReads | None:
        """None if no member has a rack, or no partition is known to have replicas in any."""
        names = sorted({member.rack for member in group.members if member.rack})
        if not names or group.racks is None or not any(group.racks):
            return None
        number = {name: rack for rack, name in enumerate(names)}
        rack_of = np.array([number.get(m.rack or "", -1) for m in group.members], dtype=np.int32)
        # Equal sets are mostly one object, so that few of them are looked at.
        objects = dict(zip(map(id, group.racks), group.racks, strict=True))
        sets: dict[frozenset[str], int] = {}
        set_of = {
            key: sets.setdefault(frozenset(racks), len(sets)) for key, racks in objects.items()
        }
        replicas = np.array([set_of[key] for key in map(id, group.racks)], dtype=np.int64)
        across = np.zeros((len(sets), len(names) + 1), dtype=np.bool_)
        for racks, row in sets.items():
            if racks:
                across[row, :-1] = [name not in racks for name in names]
        return RackReads(rack_of, replicas, across)

    def is_read_across(self, assigned: Index) -> Flags:
        """[P] True for the partitions that an assignment [P] reads across racks."""
        held = assigned != NOBODY
        found: Flags = self.across[self.replicas, self.rack_of[assigned]] & held
        return found

    def count(self, assigned: Index) -> int:
        """Partitions that an assignment [P] reads across racks."""
        return int(np.count_nonzero(self.is_read_across(assigned)))
