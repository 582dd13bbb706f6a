"""What an assignment breaks of the rules that an extended group adds: units, `allowed`, room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from equilag.domain.columns import NOBODY, Flags, Index, Ints, among, distinct
from equilag.domain.group.group import Group
from equilag.domain.plan.metrics import member_counts
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import Reduction
from equilag.domain.reduction.units import unit_lists, unit_numbers
from equilag.domain.show import plural, show, some_of


class OverfullMember(NamedTuple):
    """A member with more than its room."""

    member: int
    units: int


class BrokenRules(NamedTuple):
    """Empty for an assignment that keeps all rules."""

    torn: Ints
    """Partitions, ascending, of the first topic of a list whose unit is with several members."""
    misplaced: Ints
    """Partitions, ascending, with members that may not take them."""
    overfull: tuple[OverfullMember, ...]

    def __bool__(self) -> bool:
        return bool(len(self.torn) or len(self.misplaced) or self.overfull)

    def to_dict(self) -> dict[str, int]:
        """How many there are of each."""
        return {
            "torn_units": len(self.torn),
            "misplaced": len(self.misplaced),
            "overfull": len(self.overfull),
        }


def broken_rules(reduction: Reduction, assigned: Index) -> BrokenRules:
    """The rules that an assignment [P] of the given group breaks. O(P log P)."""
    group = reduction.given
    torn = [units[0][_is_torn(assigned[units])] for units in unit_lists(group)]
    misplaced = [
        partition
        for partition, members in (group.allowed or {}).items()
        if assigned[partition] != NOBODY and int(assigned[partition]) not in members
    ]
    return BrokenRules(
        np.sort(np.concatenate([np.zeros(0, np.int64), *torn])),
        np.array(sorted(misplaced), dtype=np.int64),
        tuple(_overfull(reduction, assigned)),
    )


def forced_by(policy: Policy, reduction: Reduction, *, of_moves: bool = True) -> list[str]:
    """What plans have to keep to before their moves are few, or else their reads across racks."""
    group, free = reduction.given, policy.balance == "none"
    now = broken_rules(reduction, group.owner)
    aware = policy.rack_aware and reduction.group.extended.has_racks
    named = {
        "even counts": not free,
        "co-partitioned topics": of_moves and len(now.torn) > 0,
        "restrictions": bool(group.allowed),
        "room": free and (bool(now.overfull) if of_moves else group.limits_room),
        "the fewest reads across racks": of_moves and aware,
        "the limit on reads across racks": of_moves and policy.limits_reads,
    }
    return [words for words, there in named.items() if there]


def broken_by_assignor(group: Group, assigned: Index) -> BrokenRules:
    """The same for the plan of a heuristic, for which no group is reduced."""
    units = unit_numbers(group) if group.co_partitioned else None
    return broken_rules(Reduction(group, group, units), assigned)


def _is_torn(holders: Index) -> Flags:
    """[units] True where two of [topics, units] holders differ; nobody is no holder."""
    highest = holders.max(axis=0)
    lowest = np.where(holders == NOBODY, highest, holders).min(axis=0)
    torn: Flags = lowest < highest
    return torn


def _overfull(reduction: Reduction, assigned: Index) -> Iterator[OverfullMember]:
    members = reduction.given.members
    limited = [m for m, member in enumerate(members) if member.max_partitions is not None]
    if not limited:
        return
    counts = unit_counts(reduction, assigned)
    for m in limited:
        if counts[m] > (members[m].max_partitions or 0):
            yield OverfullMember(m, int(counts[m]))


def unit_counts(reduction: Reduction, assigned: Index) -> Ints:
    """[M] units per member; one that is torn apart counts with each of its holders. O(P log P)."""
    held, n_members = assigned, reduction.given.n_members
    if reduction.unit_of is not None:
        some = np.flatnonzero(assigned != NOBODY)
        key = distinct(reduction.unit_of[some] * n_members + assigned[some])
        held = (key % max(1, n_members)).astype(np.int32)
    return member_counts(held, n_members)


def findings_about(reduction: Reduction, broken: BrokenRules, assigned: Index) -> Iterator[str]:
    """A line for each rule that is broken, with partition and member."""
    group = reduction.given
    ids = [member.id for member in group.members]
    for together in unit_lists(group):
        for partition in together[0][among(together[0], broken.torn)].tolist():
            unit = together[:, partition - int(together[0][0])]
            holders = [
                "nobody" if m == NOBODY else show(ids[m]) for m in distinct(assigned[unit]).tolist()
            ]
            topics = ", ".join(group.partition_name(p)[0] for p in unit.tolist())
            number = group.partition_name(partition)[1]
            yield (
                f"assignment: co-partitioned topics are split: partition {number} of {topics}"
                f" is with {some_of(holders)}"
            )
    for partition in broken.misplaced.tolist():
        topic, number = group.partition_name(partition)
        allowed = [show(ids[m]) for m in (group.allowed or {})[partition]]
        holder = ids[int(assigned[partition])]
        yield (f"assignment.{holder}.{topic}: only {some_of(allowed)} may take partition {number}")
    what = "partition" if reduction.unit_of is None else "unit"
    for member, units in broken.overfull:
        room = group.members[member].max_partitions
        yield f"assignment.{ids[member]}: {plural(units, what)}, more than its room of {room}"
