"""Assignments by name and as columns, both ways.

By name: member -> topic -> partition numbers. As a column: an array [P] of member numbers, NOBODY
where a partition is not assigned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from equilag.domain.columns import distinct, runs
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.domain.reduction.units import unit_lists
from equilag.domain.show import show
from equilag.domain.values import not_a

MAX_UNASSIGNED: Final = 5
"""Unassigned partitions that get a finding each: usually they have one cause."""
MAX_FINDINGS: Final = 100
"""Findings that are shown; what is wrong with a plan is clear from fewer."""


def by_topic(group: Group, partitions: Ints) -> dict[str, list[int]]:
    """Partition numbers [n] as topic name -> numbers within the topic, both ascending."""
    partitions = np.sort(partitions)
    topic = group.topic_of[partitions]
    number = partitions - group.topic_start[topic]
    names, numbers = topic.tolist(), number.tolist()
    return {group.topics[names[a]]: numbers[a:b] for a, b in runs(topic)}


def by_name(group: Group, assigned: Index) -> dict[str, dict[str, list[int]]]:
    """An assignment [P] as member -> topic -> partition numbers; every member has an entry."""
    held = np.flatnonzero(assigned != NOBODY)
    order = held[np.argsort(assigned[held], kind="stable")]
    member, topic = assigned[order], group.topic_of[order]
    numbers = (order - group.topic_start[topic]).tolist()
    result: dict[str, dict[str, list[int]]] = {m.id: {} for m in group.members}
    members, topics = member.tolist(), topic.tolist()
    for a, b in runs(member, topic):
        result[group.members[members[a]].id][group.topics[topics[a]]] = numbers[a:b]
    return result


def read_assignment(group: Group, table: Any, findings: list[str]) -> Index | None:
    """[P] the column of an assignment by name, from JSON or from a live group.

    Adds what is wrong to `findings`, each with its place. Returns None if the table cannot be read
    or does not assign every subscribed partition to exactly one of its subscribers.
    """
    if not isinstance(table, Mapping):
        findings.append(f"assignment: {not_a(table, 'an object')}")
        return None
    before = len(findings)
    assigned = _columns(group, table, findings)
    for p in np.flatnonzero((assigned == NOBODY) & group.assignable)[:MAX_UNASSIGNED].tolist():
        topic, number = group.partition_name(p)
        findings.append(f"assignment: {topic}-{number} is not assigned")
    held = np.flatnonzero(assigned != NOBODY)
    unsubscribed = held[~group.may_hold(held, assigned[held])]
    for p in unsubscribed[:MAX_FINDINGS].tolist():
        topic, number = group.partition_name(p)
        member = group.members[assigned[p]].id
        findings.append(
            f"assignment: {member!r} has {topic}-{number}, but does not subscribe to {topic!r}"
        )
    return assigned if len(findings) == before else None


def _columns(group: Group, table: Mapping[Any, Any], findings: list[str]) -> Index:
    """[P] what can be read of the table."""
    member_number = {member.id: i for i, member in enumerate(group.members)}
    topic_number = {topic: i for i, topic in enumerate(group.topics)}
    assigned = np.full(group.n_partitions, NOBODY, dtype=np.int32)
    findings += [
        f"assignment: member {m.id!r} is missing" for m in group.members if m.id not in table
    ]
    for member, topics in table.items():
        if member not in member_number:
            findings.append(f"assignment: {member!r} is not a member of the group")
            continue
        if not isinstance(topics, Mapping):
            findings.append(f"assignment.{member}: {not_a(topics, 'an object')}")
            continue
        for topic, numbers in topics.items():
            place = f"assignment.{member}.{topic}"
            t = topic_number.get(topic)
            if t is None:
                findings.append(f"{place}: the group has no such topic")
                continue
            if not isinstance(numbers, list):
                findings.append(f"{place}: {not_a(numbers, 'a list')}")
                continue
            size = int(group.topic_size[t])
            wrong = [n for n in numbers if type(n) is not int or not 0 <= n < size]
            if wrong:
                findings.append(f"{place}: no partition {show(wrong[0])}")
                continue
            columns = int(group.topic_start[t]) + np.array(numbers, dtype=np.int64)
            if len(distinct(columns)) < len(columns) or (assigned[columns] != NOBODY).any():
                findings.append(f"{place}: assigns a partition twice")
            assigned[columns] = member_number[member]
    return assigned


TopicPartition = tuple[str, int]


@dataclass(frozen=True, slots=True)
class RebalanceDiff:
    """The difference between a member's last and new assignment.

    With a sticky assignment, a listener commits on revocation and then cleans up and initialises
    state for the difference only.
    """

    clean_up: frozenset[TopicPartition]
    """Held before, and not now."""
    initialise: frozenset[TopicPartition]
    """Held now, and not before."""
    keep: frozenset[TopicPartition]
    """Held before and now; its state stays."""

    @staticmethod
    def of(last: Mapping[str, Iterable[int]], new: Mapping[str, Iterable[int]]) -> RebalanceDiff:
        """From two assignments of one member, each topic -> partition numbers.

        Raises InputError for the assignments of a whole group.
        """
        before, after = _pairs(last), _pairs(new)
        return RebalanceDiff(before - after, after - before, before & after)

    @staticmethod
    def by_member(
        last: Mapping[str, Mapping[str, Iterable[int]]],
        new: Mapping[str, Mapping[str, Iterable[int]]],
    ) -> dict[str, RebalanceDiff]:
        """For every member of either assignment (such as `Plan.assignment`)."""
        return {
            member: RebalanceDiff.of(last.get(member, {}), new.get(member, {}))
            for member in sorted({*last, *new})
        }


def _pairs(assignment: Mapping[str, Iterable[int]]) -> frozenset[TopicPartition]:
    for topic, numbers in assignment.items():
        if isinstance(numbers, (Mapping, str)):
            raise InputError(
                "not partition numbers; give one member's assignment, or use by_member", topic
            )
    return frozenset((topic, p) for topic, numbers in assignment.items() for p in numbers)


def iter_names(group: Group, partitions: Ints) -> Iterator[tuple[str, int]]:
    """Topic name and number of each of `partitions`."""
    topic = group.topic_of[partitions]
    index = partitions - group.topic_start[topic]
    for t, i in zip(topic.tolist(), index.tolist(), strict=True):
        yield group.topics[t], i


def withheld_phase(group: Group, assigned: Index) -> dict[str, Any] | None:
    """The first rebalance of a cooperative group, as a plan's JSON has it; None if it withholds
    nothing."""
    first = first_phase(group, assigned)
    if np.array_equal(first, assigned):
        return None
    members, partitions = revocations(group, assigned)
    revoke = {
        group.members[members[a]].id: by_topic(group, partitions[a:b]) for a, b in runs(members)
    }
    return {"revoke": revoke, "assignment": by_name(group, first)}


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
