"""Partition classes and member classes, where a subscription alone does not say who may take what.

Units differ by the subscribers of their topic, by the members that may take them (`allowed`, pins)
and by the racks of their replicas; members by subscription, by what they may take, and by rack.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from equilag.domain.errors import InputError
from equilag.domain.figures import in_a_row
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints, PartitionClasses
from equilag.domain.show import MAX_NAMED, some_of


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

    def count(self, assigned: Index) -> int:
        """Partitions that an assignment [P] reads across racks."""
        across = self.across[self.replicas, self.rack_of[assigned]]
        return int(np.count_nonzero(across & (assigned != NOBODY)))


def split_classes(
    given: Group, planned: Group, unit_of: Ints, racks: RackReads | None, by_topic: bool
) -> tuple[Group, Ints | None]:
    """The planned group, whose partitions are units, with its classes, each of one topic if
    `by_topic`; and where racks matter, [C, K] the partitions of a unit of each class that a member
    of each class reads across racks. O(P log P + C × K).

    Raises InputError for a unit that nobody may take, though its topic has subscribers.
    """
    set_of, takers = _restrictions(given.allowed or {}, unit_of, planned)
    reads, pattern_of = _patterns(racks, unit_of, planned.n_partitions)
    rack_of = racks.rack_of if racks else np.zeros(planned.n_members, dtype=np.int32)
    _, kind_of = np.unique(takers, axis=1, return_inverse=True)
    key = np.stack((planned.class_of, rack_of, kind_of.ravel()), axis=1)
    _, first, class_of = np.unique(key, axis=0, return_index=True, return_inverse=True)
    topic_class = planned.topic_class[planned.topic_of].astype(np.int64)
    kind = planned.topic_of.astype(np.int64) if by_topic else topic_class
    label = (kind * (len(takers) + 1) + set_of + 1) * len(reads) + pattern_of
    _, one, of_unit = np.unique(label, return_index=True, return_inverse=True)
    eligible = planned.eligible[topic_class[one]][:, planned.class_of[first]]
    restricted = np.flatnonzero(set_of[one] >= 0)
    eligible[restricted] &= takers[set_of[one[restricted]]][:, first]
    nobody = np.flatnonzero(~eligible.any(axis=1) & planned.eligible[topic_class[one]].any(axis=1))
    if len(nobody):
        together = np.flatnonzero(unit_of == one[nobody[0]]).tolist()
        raise InputError(_nobody_takes(given, together), "co_partitioned")
    split = replace(
        planned,
        class_of=class_of.ravel().astype(np.int32),
        class_topics=tuple(planned.class_topics[k] for k in planned.class_of[first].tolist()),
        partition_classes=PartitionClasses(of_unit.ravel().astype(np.int32), eligible),
    )
    return split, reads[pattern_of[one]][:, rack_of[first]] if racks else None


def _nobody_takes(group: Group, together: Sequence[int]) -> str:
    """The message that nobody may take all partitions of a unit: which they are, and whose."""
    allowed = group.allowed or {}
    names = ["-".join(map(str, group.partition_name(p))) for p in together]
    whose = [
        f"{name} is for {some_of([group.members[m].id for m in allowed[p]])} only"
        for name, p in zip(names, together, strict=True)
        if p in allowed
    ]
    every = "both" if len(names) == 2 else "all"
    unit = in_a_row(names, MAX_NAMED)
    return f"{unit} are one unit, but no member may take {every}: {some_of(whose)}"


def _restrictions(
    allowed: Mapping[int, tuple[int, ...]], unit_of: Ints, planned: Group
) -> tuple[Ints, Flags]:
    """[units] the set of members that alone may take each unit, −1 for every subscriber; and the
    sets [sets, M]."""
    takers_of: dict[int, frozenset[int]] = {}
    for partition, members in allowed.items():
        unit = int(unit_of[partition])
        takers_of[unit] = takers_of.get(unit, frozenset(members)) & frozenset(members)
    sets: dict[frozenset[int], int] = {}
    set_of = np.full(planned.n_partitions, -1, dtype=np.int64)
    for unit, members_of in takers_of.items():
        set_of[unit] = sets.setdefault(members_of, len(sets))
    takers = np.zeros((len(sets), planned.n_members), dtype=np.bool_)
    for members_of, row in sets.items():
        takers[row, list(members_of)] = True
    return set_of, takers


def _patterns(racks: RackReads | None, unit_of: Ints, n_units: int) -> tuple[Ints, Ints]:
    """[patterns, racks + 1] partitions of a unit read across racks from each rack, and [units] the
    pattern of each unit; one pattern where racks do not matter."""
    if racks is None:
        return np.zeros((1, 1), dtype=np.int64), np.zeros(n_units, dtype=np.int64)
    if len(unit_of) == n_units:
        across: Ints = racks.across.astype(np.int64)
        rows, of_set = np.unique(across, axis=0, return_inverse=True)
        return rows, of_set.ravel()[racks.replicas]
    each: Ints = np.zeros((n_units, racks.across.shape[1]), dtype=np.int64)
    np.add.at(each, unit_of, racks.across[racks.replicas])
    rows, pattern_of = np.unique(each, axis=0, return_inverse=True)
    return rows, pattern_of.ravel()
