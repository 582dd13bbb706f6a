"""Commits and memberships from the records of one partition of `__consumer_offsets`.

All records of a group are in one partition, and the last record of each key counts. So a partition
can be read alone, and only the last records are decoded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from uuid import UUID

from equilag.adapters.kafka.codec import consumer_protocol as kip848
from equilag.adapters.kafka.codec.consumer_protocol import read_assignment, read_subscription
from equilag.adapters.kafka.codec.offsets_codec import (
    CLASSIC_GROUP,
    CONSUMER_MEMBER,
    CURRENT_ASSIGNMENT,
    NAMES,
    ClassicGroup,
    CommitKey,
    GroupKey,
    Key,
    MemberKey,
    OtherKey,
    UnknownVersion,
    read_classic_group,
    read_commit,
    read_key,
)
from equilag.adapters.kafka.codec.wire import BrokenRecord
from equilag.adapters.kafka.described import bare_host
from equilag.domain.show import show

GONE: Final = (
    "offset commit for a topic id that does not exist (any more)",
    "assigned topic id that does not exist (any more)",
)
"""Names in `not_understood` for records about deleted topics, or about topics newer than the
list."""

_CONSUMERS: Final = "consumer"
"""Protocol type of classic groups whose members use the consumer protocol."""


class Commit(NamedTuple):
    """A group's committed offset: the next record to read of a partition."""

    group: str
    topic: str
    partition: int
    committed: int


@dataclass(frozen=True, slots=True)
class Membership:
    """A member of a group; `subscription` and `owned` ascend.

    For a member of a `classic` group `owned` is what the last finished rebalance assigned; in a
    `consumer` group (KIP-848) it is the current assignment without partitions being revoked.
    `generation` is the classic group's, or the member's epoch (-2: a static member that left for a
    moment and keeps its partitions). A classic member's `rack` is known from version 3 of its
    subscription on, else None.
    """

    group: str
    member: str
    subscription: list[str]
    owned: dict[str, list[int]]
    instance_id: str | None
    rack: str | None
    generation: int | None
    client_id: str | None
    host: str | None


@dataclass(frozen=True, slots=True)
class GroupState:
    """The content of one partition of `__consumer_offsets`.

    `groups` are those that were read completely, with or without members; a group that only has
    commits is in `commits` alone. `unreadable` maps every other group to the reason:
    its members are left out, and its commits may be missing. `not_understood` counts skipped
    records by name. `groups_with_deleted_topics` are groups with commits for deleted topics; they
    may be nowhere else.
    """

    commits: list[Commit]
    memberships: list[Membership]
    groups: set[str]
    unreadable: dict[str, str]
    not_understood: dict[str, int]
    groups_with_deleted_topics: set[str] = field(default_factory=set)


def keep(survivors: dict[bytes, bytes], key: bytes, value: bytes | None) -> None:
    """Add a record to `survivors`: the last one of a key counts, a tombstone deletes it."""
    survivors.pop(key, None)  # keys are in the order of their last records
    if value is not None:
        survivors[key] = value


def read_state(
    records: Iterable[tuple[bytes, bytes | None]], topic_names: Mapping[UUID, str]
) -> GroupState:
    """Return the state after `records`: (key, value) of one partition in offset order.

    `topic_names` has all topics of the cluster, read after the records. Records about other topic
    ids are about deleted topics and are left out. Unreadable records are counted, not raised.
    """
    survivors: dict[bytes, bytes] = {}
    for key, value in records:
        keep(survivors, key, value)
    reader = _Reader(topic_names)
    for key, value in survivors.items():
        reader.take(key, value)
    return reader.state()


class _Reader:
    """Collects the parts of the groups, then joins them."""

    def __init__(self, topic_names: Mapping[UUID, str]) -> None:
        self.topic_names = {topic_id.bytes: name for topic_id, name in topic_names.items()}
        self.commits: dict[CommitKey, Commit] = {}
        self.memberships: dict[str, list[Membership]] = {}
        self.groups: set[str] = set()
        self.unreadable: dict[str, str] = {}
        self.counts: Counter[str] = Counter()
        self.groups_with_deleted_topics: set[str] = set()
        self.members: dict[tuple[str, str], kip848.ConsumerMember] = {}
        self.current: dict[tuple[str, str], kip848.CurrentAssignment] = {}
        self.resolved: dict[tuple[str, str], list[str]] = {}

    def take(self, raw: bytes, value: bytes) -> None:
        """Add one last record of a key."""
        try:
            key = read_key(raw)
        except BrokenRecord:
            self.counts["broken key"] += 1
            return
        try:
            self._take(key, value)
        except UnknownVersion as error:
            self._refuse(key, str(error))
        except BrokenRecord:
            self._refuse(key, f"broken {_about(key)} record")

    def _take(self, key: Key, value: bytes) -> None:
        match key:
            case CommitKey():
                self._commit(key, value)
            case GroupKey(kind=kind, group=group) if kind == CLASSIC_GROUP:
                self._classic(group, read_classic_group(value))
            case GroupKey(group=group):
                kip848.read_group_epoch(value)
                self.groups.add(group)
            case MemberKey(kind=kind, group=group, name=name) if kind == CONSUMER_MEMBER:
                self.members[group, name] = kip848.read_member(value)
            case MemberKey(kind=kind, group=group, name=name) if kind == CURRENT_ASSIGNMENT:
                self.current[group, name] = kip848.read_current_assignment(value)
            case MemberKey(group=group, name=name):
                self.resolved[group, name] = kip848.read_resolved_topics(value)
            case OtherKey(name=name, needed=True):
                self._refuse(key, name)

    def _refuse(self, key: Key, reason: str) -> None:
        self.counts[reason] += 1
        if key.group is not None:
            self.unreadable.setdefault(key.group, reason)

    def _commit(self, key: CommitKey, raw: bytes) -> None:
        value = read_commit(raw)
        # The commit does not apply to a new topic with the same name.
        if value.topic_id and self.topic_names.get(value.topic_id) != key.topic:
            self.counts[GONE[0]] += 1
            self.groups_with_deleted_topics.add(key.group)
            return
        self.commits[key] = Commit(*key, value.offset)

    def _classic(self, group: str, value: ClassicGroup) -> None:
        if value.protocol_type != _CONSUMERS and (value.protocol_type or value.members):
            reason = f"group of the protocol type {show(value.protocol_type)}"
            self.counts[reason] += 1
            self.unreadable.setdefault(group, reason)
            return
        self.groups.add(group)
        for member in value.members:
            try:
                subscription = read_subscription(member.subscription)
                owned = read_assignment(member.assignment)
            except BrokenRecord:
                reason = "broken consumer protocol message of a member"
                self.counts[reason] += 1
                self.unreadable.setdefault(group, reason)
                continue
            membership = Membership(
                group,
                member.member,
                sorted(set(subscription.topics)),
                _ascending(owned),
                member.instance_id,
                subscription.rack,
                value.generation,
                member.client_id or None,
                bare_host(member.host),
            )
            self.memberships.setdefault(group, []).append(membership)

    def state(self) -> GroupState:
        """Return the state after all records."""
        for group, member in sorted(self.members):
            self.memberships.setdefault(group, []).append(self._consumer(group, member))
        readable = [group for group in sorted(self.memberships) if group not in self.unreadable]
        return GroupState(
            list(self.commits.values()),
            [member for group in readable for member in self.memberships[group]],
            self.groups - self.unreadable.keys(),
            self.unreadable,
            dict(sorted(self.counts.items())),
            self.groups_with_deleted_topics,
        )

    def _consumer(self, group: str, member: str) -> Membership:
        """Return a member of a KIP-848 group, from its two records and the group's expressions."""
        subscription = self.members[group, member]
        topics = set(subscription.topics)
        if subscription.regex is not None:
            resolved = self.resolved.get((group, subscription.regex))
            if resolved is None:
                self.counts["subscription by a regular expression not yet resolved"] += 1
            topics.update(resolved or ())
        current = self.current.get((group, member))  # the broker writes it second
        owned: dict[str, list[int]] = {}
        for topic_id, partitions in current.assigned if current else ():
            name = self.topic_names.get(topic_id.bytes)
            if name is None:
                self.counts[GONE[1]] += 1
            else:
                owned.setdefault(name, []).extend(partitions)
        return Membership(
            group,
            member,
            sorted(topics),
            _ascending(owned),
            subscription.instance_id,
            subscription.rack,
            # Below 0 for a static member that has left and may come back: it keeps its share.
            current.epoch if current and current.epoch >= 0 else None,
            subscription.client_id or None,
            bare_host(subscription.host),
        )


def _ascending(owned: Mapping[str, list[int]]) -> dict[str, list[int]]:
    return {topic: sorted(owned[topic]) for topic in sorted(owned) if owned[topic]}


def _about(key: Key) -> str:
    match key:
        case CommitKey():
            return "offset commit"
        case GroupKey(kind=kind) | MemberKey(kind=kind):
            return NAMES[kind]
        case OtherKey(name=name):
            return name
