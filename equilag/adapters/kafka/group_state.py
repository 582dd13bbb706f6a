"""Commits and memberships from the records of one partition of `__consumer_offsets`.

All records of a group are in one partition, and the last record of each key counts. So a partition
can be read alone, and only the last records are decoded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from equilag.adapters.kafka.codec.consumer_protocol import read_assignment, read_subscription
from equilag.adapters.kafka.codec.records import (
    CLASSIC_GROUP,
    CONSUMER_GROUP,
    CONSUMER_MEMBER,
    CURRENT_ASSIGNMENT,
    NAMES,
    OFFSET_COMMITS,
    REGULAR_EXPRESSION,
    STEPS,
    VALUES,
    Key,
    Message,
    UnknownVersion,
    read_key,
    read_value,
    topic_id_of,
)
from equilag.adapters.kafka.codec.wire import BrokenRecord
from equilag.adapters.kafka.described import (
    CARRIER_RACK,
    DescribedMember,
    TopicPartition,
    bare_host,
)
from equilag.domain.show import show

GONE: Final = (
    "offset commit for a topic id that does not exist (any more)",
    "assigned topic id that does not exist (any more)",
)
"""Names in `not_understood` for records about deleted topics, or about topics newer than the
list."""

_UNRESOLVED: Final = "subscription by a regular expression not yet resolved"
_CONSUMERS: Final = "consumer"
"""Protocol type of classic groups whose members use the consumer protocol."""


@dataclass(slots=True)
class GroupState:
    """The content of one partition of `__consumer_offsets`.

    What a member of a `classic` group owns is what the last finished rebalance assigned; in a
    `consumer` group (KIP-848) it is the current assignment without partitions being revoked. The
    generation is the classic group's, or the member's epoch. A classic member's rack is known from
    version 3 of its subscription on.
    """

    commits: dict[str, dict[TopicPartition, int]] = field(default_factory=dict)
    """Group -> partition -> the next record to read."""
    members: dict[str, list[DescribedMember]] = field(default_factory=dict)
    """Of the groups that were read completely; topics and what is owned ascend."""
    groups: set[str] = field(default_factory=set)
    """Those that have any record, readable or not."""
    unreadable: dict[str, str] = field(default_factory=dict)
    """Group -> why its members are left out and its commits may be missing."""
    not_understood: Counter[str] = field(default_factory=Counter)
    """Skipped records by name."""


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
    return reader.finish()


class _Reader:
    """Collects the parts of the groups, then joins them."""

    def __init__(self, topic_names: Mapping[UUID, str]) -> None:
        self.topic_names = {topic_id.bytes: name for topic_id, name in topic_names.items()}
        self.state = GroupState()
        self.parts: dict[tuple[int, str], dict[str, Message]] = {}
        """Kind and group -> member, or expression -> what its record says."""

    def take(self, raw: bytes, value: bytes) -> None:
        """Add one last record of a key."""
        try:
            key = read_key(raw)
        except BrokenRecord:
            self.state.not_understood["broken key"] += 1
            return
        if key.group is None or key.kind not in VALUES:
            if key.kind not in STEPS:
                self._refuse(key.group, key.record_name)
            return
        try:
            self._take(key, key.group, read_value(key.kind, value))
        except UnknownVersion as error:
            self._refuse(key.group, str(error))
        except BrokenRecord:
            self._refuse(key.group, f"broken {NAMES[key.kind]} record")

    def _take(self, key: Key, group: str, value: Message) -> None:
        self.state.groups.add(group)
        if key.kind in OFFSET_COMMITS:
            topic_id = topic_id_of(value)
            # The commit does not apply to a new topic with the same name.
            if topic_id and self.topic_names.get(topic_id) != key.name:
                self.state.not_understood[GONE[0]] += 1
            else:
                commits = self.state.commits.setdefault(group, {})
                commits[key.name, key.partition] = value["offset"]
        elif key.kind == CLASSIC_GROUP:
            self._classic(group, value)
        elif key.kind != CONSUMER_GROUP:
            self.parts.setdefault((key.kind, group), {})[key.name] = value

    def _refuse(self, group: str | None, reason: str) -> None:
        self.state.not_understood[reason] += 1
        if group is not None:
            self.state.groups.add(group)
            self.state.unreadable.setdefault(group, reason)

    def _classic(self, group: str, value: Message) -> None:
        kind, members = value["protocol_type"], value["members"]
        if kind != _CONSUMERS and (kind or members):
            self._refuse(group, f"group of the protocol type {show(kind)}")
            return
        for member in members:
            try:
                subscription = read_subscription(member["subscription"])
                owned = read_assignment(member["assignment"])
            except BrokenRecord:
                self._refuse(group, "broken consumer protocol message of a member")
                continue
            self._add(
                group,
                member["member"],
                subscription.topics,
                owned,
                value["generation"],
                {**member, "rack": subscription.rack},
            )

    def _add(
        self,
        group: str,
        member: str,
        topics: Iterable[str],
        owned: Mapping[str, list[int]],
        generation: int | None,
        about: Message,
    ) -> None:
        described = DescribedMember(
            member,
            tuple(sorted(set(topics))),
            None,
            {topic: sorted(owned[topic]) for topic in sorted(owned) if owned[topic]},
            about["rack"],
            about.get("instance_id"),
            generation,
            about["client_id"] or None,
            bare_host(about["host"]),
        )
        self.state.members.setdefault(group, []).append(described)

    def finish(self) -> GroupState:
        """Return the state after all records."""
        for kind, group in sorted(self.parts):
            for member in sorted(self.parts[kind, group]) if kind == CONSUMER_MEMBER else ():
                self._consumer(group, member)
        for group in self.state.unreadable:
            self.state.members.pop(group, None)
        return self.state

    def _part(self, kind: int, group: str, name: str) -> Message | None:
        return self.parts.get((kind, group), {}).get(name)

    def _consumer(self, group: str, member: str) -> None:
        """Add a member of a KIP-848 group, from its two records and the group's expressions."""
        about = self.parts[CONSUMER_MEMBER, group][member]
        if (about["rack"] or "").startswith(CARRIER_RACK):
            return
        topics = set(about["topics"])
        if about["regex"]:
            resolved = self._part(REGULAR_EXPRESSION, group, about["regex"])
            if resolved is None:
                self.state.not_understood[
                    "subscription by a regular expression not yet resolved"
                ] += 1
            else:
                topics.update(resolved["topics"])
        current = self._part(CURRENT_ASSIGNMENT, group, member)  # the broker writes it second
        owned: dict[str, list[int]] = {}
        for part in current["assigned"] if current else ():
            name = self.topic_names.get(part["topic_id"].bytes)
            if name is None:
                self.state.not_understood[GONE[1]] += 1
            else:
                owned.setdefault(name, []).extend(part["partitions"])
        # Below 0 for a static member that has left and may come back: it keeps its share.
        generation = current["epoch"] if current and current["epoch"] >= 0 else None
        self._add(group, member, topics, owned, generation, about)
