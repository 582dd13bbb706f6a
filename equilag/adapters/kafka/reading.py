"""Groups of a live cluster at one moment, as they were read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from uuid import UUID

from equilag.adapters.kafka.described import Commits, Described, DescribedMember, TopicPartition
from equilag.adapters.kafka.group_kinds import CLASSIC, CLASSIC_STREAMS, PLANNED, ListedGroup
from equilag.domain.building.group_input import GroupInput, PartitionOffsets
from equilag.domain.group.group import UNKNOWN_GENERATION, Member
from equilag.domain.show import MAX_IN_LINE, some_of

Offsets = dict[str, list[int | None]]
"""Topic -> one offset per partition."""
TopicRacks: TypeAlias = Mapping[str, Mapping[int, tuple[str, ...]]]
"""Topic -> partition -> the racks that hold a replica, see `distinct_racks`."""

TopicLeaders: TypeAlias = Mapping[str, Mapping[int, int]]
"""Topic -> partition -> the broker that leads it (-1: none)."""

RECONCILING: Final = frozenset({"Assigning", "Reconciling"})
"""States of a KIP-848 group in which members still change partitions."""
NO_COMMIT: Final = "no commit (lag 0 or all of the log, as auto.offset.reset says)"


@dataclass(slots=True)
class NamedTopics:
    """Topics of a cluster: partition -> leader of each, or why there are none."""

    found: dict[str, dict[int, int]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    forbidden: list[str] = field(default_factory=list)
    """The right Describe is missing."""
    racks: dict[str, dict[int, tuple[str, ...]]] = field(default_factory=dict)
    """Of the topics in `found`."""
    ids: dict[UUID, str] = field(default_factory=dict)
    """Topic id to the name, from Kafka 2.8 on."""

    def leaders(self) -> dict[TopicPartition, int]:
        """Return the leader of each partition."""
        return {
            (topic, number): leader
            for topic, partitions in self.found.items()
            for number, leader in partitions.items()
        }


@dataclass(slots=True)
class LogEnds:
    """First offset and end of each log, or why they are unknown; the leader may have moved for
    those in `moved`."""

    found: dict[TopicPartition, tuple[int, int]] = field(default_factory=dict)
    failed: dict[TopicPartition, str] = field(default_factory=dict)
    moved: set[TopicPartition] = field(default_factory=set)


@dataclass(slots=True)
class TopicOffsets:
    """Offsets of some topics, one per partition; None without a commit or without an answer.

    `sizes` has the number of partitions of each existing topic. `unknown` has the partitions whose
    log ends are unknown: no leader, or no answer. `racks` has the racks that hold a replica of each
    partition, for topics of which any is known.
    """

    sizes: dict[str, int] = field(default_factory=dict)
    log_start: Offsets = field(default_factory=dict)
    log_end: Offsets = field(default_factory=dict)
    committed: Offsets = field(default_factory=dict)
    unknown: dict[str, list[int]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    racks: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)

    @property
    def uncommitted(self) -> dict[str, list[int]]:
        """Topic -> the partitions with known log ends that have no commit."""
        found: dict[str, list[int]] = {}
        for topic, row in self.committed.items():
            ends = self.log_end[topic]
            if none := [n for n, at in enumerate(row) if at is None and ends[n] is not None]:
                found[topic] = none
        return found

    @property
    def without_lag(self) -> dict[str, list[int]]:
        """Topic -> the partitions whose log ends or commits are unknown."""
        found = {topic: list(numbers) for topic, numbers in self.unknown.items()}
        for topic, numbers in self.uncommitted.items():
            found[topic] = sorted([*found.get(topic, []), *numbers])
        return found

    def arrays(self) -> PartitionOffsets:
        """Return the offsets as the builder takes them: 0, without a commit, where unknown."""
        arrays = [{**rows} for rows in (self.log_start, self.log_end, self.committed)]
        for rows, nothing in zip(arrays, (0, 0, None), strict=True):
            for topic, numbers in self.unknown.items():
                rows[topic] = [*rows[topic]]
                for number in numbers:
                    rows[topic][number] = nothing
        return PartitionOffsets(*arrays)


@dataclass(slots=True)
class Reading:
    """A group, its members (with the topics that their patterns match) and its offsets.

    `kind` is ``classic``, ``consumer`` (KIP-848) or ``classic-streams``, `state` Kafka's name of
    its state, `protocol` the assignor in use ("" if none), `taken_at` an RFC 3339 time or "".
    """

    group: str
    kind: str
    state: str
    protocol: str
    taken_at: str
    members: list[DescribedMember]
    offsets: TopicOffsets
    remarks: list[str] = field(default_factory=list)
    incomplete: tuple[str, ...] = ()
    """What does not tell who reads what, in sentences."""
    epoch: int | None = None
    """The group epoch of KIP-848; descriptions of classic groups have no generation."""

    def group_input(self, auto_offset_reset: str | None = None) -> GroupInput:
        """Return the group as the builder takes it.

        Without `auto_offset_reset` the lag of partitions without a commit is unknown.
        """
        generation = UNKNOWN_GENERATION if self.epoch is None else self.epoch
        given: GroupInput = {
            "name": self.group,
            "taken_at": self.taken_at or None,
            "topics": self.offsets.sizes,
            "members": [
                Member(
                    member.id,
                    instance_id=member.instance_id,
                    rack=member.rack,
                    generation=generation if member.generation is None else member.generation,
                    client_id=member.client_id,
                    host=member.host,
                )
                for member in self.members
            ],
            "subscriptions": {member.id: member.topics for member in self.members},
            "owned": {
                member.id: {topic: sorted(member.owned[topic]) for topic in sorted(member.owned)}
                for member in self.members
            },
            "generation": self.epoch,
            "offsets": self.offsets.arrays(),
            "unknown_lags": self.offsets.unknown,
        }
        if auto_offset_reset is None:
            given["unknown_lags"] = self.offsets.without_lag
        else:
            given["auto_offset_reset"] = auto_offset_reset
        if self.incomplete:
            given["incomplete"] = self.incomplete
        if self.offsets.racks:
            given["racks"] = self.offsets.racks
        return given


@dataclass(slots=True)
class Readings:
    """Many groups at one moment; `left_out` maps each unreadable group to the reason, `others` has
    the groups of other kinds than consumers'."""

    groups: list[Reading] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    others: dict[str, ListedGroup] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    """Problems with single brokers."""
    problems: list[str] = field(default_factory=list)
    """What is not known of single groups."""
    ts_ms: int = 0
    """When log ends were read: after the commits, so that none seems too far ahead."""
    topics: NamedTopics = field(default_factory=NamedTopics)
    logs: LogEnds = field(default_factory=LogEnds)

    @property
    def unplannable(self) -> dict[str, str]:
        """Each group of a kind that is not planned -> the kind; some of them can be read."""
        kinds = {name: one.kind for name, one in self.others.items()}
        kinds |= {one.group: one.kind for one in self.groups}
        return {name: kind for name, kind in kinds.items() if kind not in PLANNED}


def topic_offsets(
    names: Iterable[str], topics: NamedTopics, commits: Commits, logs: LogEnds
) -> TopicOffsets:
    """Return the offsets of the topics `names`, all of which are found; a log whose commit could
    not be read is unknown, too."""
    found = TopicOffsets()
    odd: dict[str, list[TopicPartition]] = {}
    for topic in sorted(names):
        size = max(topics.found[topic], default=-1) + 1
        every = [(topic, number) for number in range(size)]
        bounds = [None if tp in commits.failed else logs.found.get(tp) for tp in every]
        at = [commits.offsets.get(tp) for tp in every]
        found.sizes[topic] = size
        found.log_start[topic] = [None if one is None else one[0] for one in bounds]
        found.log_end[topic] = [None if one is None else one[1] for one in bounds]
        found.committed[topic] = at
        if any((known := topics.racks.get(topic, {})).values()):
            found.racks[topic] = [known.get(number, ()) for number in range(size)]
        for tp, bound, offset in zip(every, bounds, at, strict=True):
            if bound is None:
                found.unknown.setdefault(topic, []).append(tp[1])
                why = commits.failed.get(tp) or logs.failed.get(tp, "no answer")
                remark = f"lag unknown ({why})"
            elif offset is None:
                remark = NO_COMMIT
            elif offset > bound[1]:
                remark = "commit ahead of the log's end"
            elif offset < bound[0]:
                remark = "commit below the log's start"
            else:
                continue
            odd.setdefault(remark, []).append(tp)
    found.remarks = [f"{remark}: {several(tps)}" for remark, tps in sorted(odd.items())]
    return found


def distinct_racks(racks: Iterable[str | None]) -> tuple[str, ...]:
    """Return the racks of a partition's replicas, the preferred leader's first.

    Metadata have no rack of a broker that is down, and none of one without `broker.rack`.
    """
    return tuple(dict.fromkeys(rack for rack in racks if rack))


def lost_commits(
    commits: Mapping[TopicPartition, int], topics: Mapping[str, Mapping[int, int]]
) -> list[str]:
    """Return a remark about commits for deleted partitions, if there are any."""
    lost = sorted(tp for tp in commits if tp[1] not in topics.get(tp[0], ()))
    return [f"commits for deleted topics or partitions: {several(lost)}"] if lost else []


def several(partitions: list[TopicPartition]) -> str:
    """Return one partition by name, and the number of the others."""
    topic, number = partitions[0]
    more = f" and {len(partitions) - 1:,} more" if len(partitions) > 1 else ""
    return f"{topic}-{number}{more}"


def kind_of(described: Described, commits: Commits) -> str:
    """Return the kind of a group, which without members only its commits tell."""
    if described.kind == CLASSIC and not described.members and commits.by_streams:
        return CLASSIC_STREAMS
    return described.kind


def topics_of(described: Described) -> set[str]:
    """Return the topics that members name or own, without those that only a pattern matches."""
    found: set[str] = set()
    for member in described.members:
        found.update(member.topics)
        found.update(topic for topic, numbers in member.owned.items() if numbers)
    return found - {""}


def state_remarks(described: Described, commits: Collection[object]) -> list[str]:
    if not described.members:
        what = "" if commits else " and no commits"
        return [f"no members{what}, so nothing is subscribed"]
    if described.state in RECONCILING:
        return [f"members are changing partitions ({described.state}); owned is what they hold now"]
    return []


def unknown_topics(members: list[DescribedMember], topics: TopicLeaders) -> list[str]:
    absent = sorted({name for one in members for name in one.topics if name not in topics})
    if not absent:
        return []
    return [f"subscribed topics that do not exist: {some_of(absent, MAX_IN_LINE)}"]
