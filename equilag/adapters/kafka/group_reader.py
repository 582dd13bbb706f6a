"""Consumer groups of a live cluster, read from outside: members and offsets as they are now.

Only reads: the rights to describe the groups and their topics are enough, and no member notices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from equilag.adapters.kafka.client_config import Config, servers
from equilag.adapters.kafka.cluster import TIMEOUT, Cluster, NamedTopics, NoAnswer, Topics
from equilag.adapters.kafka.described import (
    Described,
    DescribedMember,
    MissingRight,
    ReadFailure,
    lacking,
    right,
)
from equilag.adapters.kafka.reading import (
    Reading,
    TopicOffsets,
    lost_commits,
    resolved,
    topic_offsets,
)
from equilag.adapters.kafka.sample_rows import TopicPartition
from equilag.adapters.show import some_of
from equilag.errors import EquilagError, InputError

__all__ = [
    "GroupReader",
    "MissingRight",
    "NoAnswer",
    "NoSuchGroup",
    "Reading",
    "Readings",
    "TemporarilyUnreadable",
    "TopicOffsets",
]

ISOLATION_LEVELS: Final = ("read_uncommitted", "read_committed")
_MOST: Final = 5
"""Topics that a remark names."""
_ROUNDS: Final = 3
"""Of requests, one after the other, that `lags` takes."""
_RECONCILING: Final = frozenset({"Assigning", "Reconciling"})


class TemporarilyUnreadable(EquilagError):
    """A group that cannot be read just now, and can later; `state` is Kafka's name, or ""."""

    def __init__(self, problem: str, state: str) -> None:
        super().__init__(problem)
        self.state = state


class NoSuchGroup(InputError):
    """A group that the cluster does not know, or not any more."""


@dataclass(slots=True)
class Readings:
    """Many groups at one moment; `left_out` says of each that could not be read, why."""

    groups: list[Reading] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


class GroupReader:
    """Reads groups; connections stay open between calls. To be used by one thread at a time.

    `config` is librdkafka's; `isolation` says where logs end: with ``read_committed`` where the
    oldest open transaction begins. Raises InputError if the cluster does not answer, or for
    settings that a client does not take; MissingExtra.

    All methods raise NoAnswer if the cluster does not answer any more; the next call tries again.
    """

    def __init__(
        self, config: Config, *, isolation: str = "read_uncommitted", timeout: float = TIMEOUT
    ) -> None:
        if isolation not in ISOLATION_LEVELS:
            problem = f"{isolation!r} is none of {', '.join(ISOLATION_LEVELS)}"
            raise InputError(problem, "isolation")
        self._committed = isolation == "read_committed"
        self._servers = servers(config)
        self._timeout = timeout
        self._new: dict[str, bool] = {}
        self._cluster = Cluster(config, timeout)

    def close(self) -> None:
        self._cluster.close()

    def read(self, group: str) -> Reading:
        """Return members and offsets of one group.

        Raises TemporarilyUnreadable if it keeps rebalancing, InputError if there is no such group,
        and MissingRight (an InputError) that names the missing right.
        """
        if not group:
            raise InputError("empty, where the name of a group is due", "group")
        found, unknown = self._cluster.described({group: self._new.get(group)})
        if group in unknown and unknown[group].gone and self._new.pop(group, None) is not None:
            # It may be of the other kind now.
            found, unknown = self._cluster.described({group: None})
        if group in unknown:
            raise self._why_not(group, unknown[group])
        self._new[group] = found[group].kind == "consumer"
        commits, failed = self._cluster.committed([group])
        if group in failed:
            raise self._why_not(group, failed[group])
        if any(member.pattern for member in found[group].members):
            readings = self._readings(found, commits, self._cluster.topics())
        else:  # which spares large clusters the list of all
            names = _topics_of(found[group]) | {topic for topic, _ in commits[group]}
            told = self._cluster.named_topics(names)
            readings = self._readings(found, commits, told.found, told)
        if group in readings.left_out:
            raise MissingRight(readings.left_out[group], "", self._servers)
        return readings.groups[0]

    def read_all(self, wanted: Callable[[str], object] = bool) -> Readings:
        """All groups that are listed and `wanted`, but for those that cannot be read."""
        listed, remarks = self._cluster.groups()
        topics = self._cluster.topics()
        found, unknown = self._cluster.described({g: k for g, k in listed.items() if wanted(g)})
        commits, failed = self._cluster.committed(list(found))
        readings = self._readings({g: found[g] for g in commits}, commits, topics)
        for group, why in {**unknown, **failed}.items():
            if not why.gone:
                readings.left_out[group] = lacking(why, group) if why.lacks else why.reason
        readings.remarks = remarks
        return readings

    def lags(self, group: str, topics: Iterable[str], timeout: float | None = None) -> TopicOffsets:
        """Offsets of these topics, without a look at the group's members.

        Topics that do not exist are a remark. `timeout` is for all of it, in seconds. Raises
        MissingRight, and TemporarilyUnreadable if the coordinator does not tell the commits.
        """
        from equilag.adapters.kafka.plain_offsets import read_offsets

        wait_ms = int(1000 * (self._timeout if timeout is None else timeout) / _ROUNDS)
        told = self._cluster.with_plain(
            lambda client: read_offsets(client, group, topics, self._committed, wait_ms)
        )
        if isinstance(told.commits, ReadFailure):
            raise self._why_not(group, told.commits)
        self._check_topics(told.topics)
        found = told.topics.found
        offsets = topic_offsets(found, found, told.commits, told.ends, told.failed)
        offsets.remarks += [f"there is no topic {name!r}" for name in told.topics.missing]
        return offsets

    def sizes(self, topics: Iterable[str], timeout: float | None = None) -> dict[str, int]:
        """The partitions of these topics, as far as they exist; no more than one request.

        Raises MissingRight.
        """
        from equilag.adapters.kafka.plain_offsets import read_topics

        wait_ms = int(1000 * (self._timeout if timeout is None else timeout))
        told = self._cluster.with_plain(lambda client: read_topics(client, topics, wait_ms))
        self._check_topics(told)
        return {topic: max(found, default=-1) + 1 for topic, found in told.found.items()}

    def _check_topics(self, told: NamedTopics) -> None:
        if told.forbidden:
            raise MissingRight(right("Topic", told.forbidden), "", self._servers)

    def _why_not(self, group: str, why: ReadFailure) -> EquilagError:
        if why.lacks:
            return MissingRight(lacking(why, group), "", self._servers)
        if why.gone:
            problem = (
                f"there is no group {group!r}; one without members and commits is forgotten, and"
                " cannot be told from one that never was"
            )
            return NoSuchGroup(problem, "group", self._servers)
        if why.passing:
            return TemporarilyUnreadable(
                f"group {group!r} cannot be read now: {why.reason}", why.state
            )
        return InputError(f"group {group!r}: {why.reason}", "", self._servers)

    def _readings(
        self,
        groups: Mapping[str, Described],
        commits: Mapping[str, Mapping[TopicPartition, int]],
        topics: Topics,
        hidden: NamedTopics | None = None,
    ) -> Readings:
        """The groups, put together. `topics` are all that are listed, but for those in `hidden`,
        if what is not in `topics` was asked for by name already."""
        taken_at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        wanted = {name: _topics_of(told) for name, told in groups.items()}
        if hidden is None:
            # Topics that may not be described are not listed, but told of if asked for by name.
            absent = {topic for names in wanted.values() for topic in names if topic not in topics}
            hidden = self._cluster.named_topics(absent)
        readings = Readings()
        members: dict[str, list[DescribedMember]] = {}
        remarks: dict[str, list[str]] = {}
        for group, told in groups.items():
            if forbidden := sorted(wanted[group] & set(hidden.forbidden)):
                readings.left_out[group] = right("Topic", forbidden)
                continue
            members[group], remarks[group] = resolved(told.members, topics)
            wanted[group].update(topic for one in members[group] for topic in one.topics)
            wanted[group].update(topic for topic, _ in commits[group])
            remarks[group] += _state_remarks(told, commits[group])
            remarks[group] += _unknown_topics(members[group], topics)
            remarks[group] += lost_commits(commits[group], topics)
        shown = sorted({t for group in members for t in wanted[group] if t in topics})
        every = [(topic, number) for topic in shown for number in sorted(topics[topic])]
        ends, failed = self._cluster.ends(every, topics, committed=self._committed)
        for group, mine in sorted(members.items()):
            told = groups[group]
            names = [topic for topic in wanted[group] if topic in topics]
            offsets = topic_offsets(names, topics, commits[group], ends, failed)
            readings.groups.append(
                Reading(
                    group, told.kind, told.state, told.protocol, told.coordinator, taken_at, mine,
                    offsets, [*remarks[group], *offsets.remarks], told.epoch,
                )
            )  # fmt: skip
        return readings


def _topics_of(told: Described) -> set[str]:
    """The topics that members name or own; patterns are another matter."""
    found: set[str] = set()
    for member in told.members:
        found.update(member.topics)
        found.update(topic for topic, numbers in member.owned.items() if numbers)
    return found - {""}


def _state_remarks(told: Described, commits: Mapping[TopicPartition, int]) -> list[str]:
    if not told.members:
        what = "" if commits else " and no commits"
        return [f"no members{what}: nobody subscribes to anything"]
    if told.state in _RECONCILING:
        return [f"members are changing partitions ({told.state}): owned is what they hold now"]
    return []


def _unknown_topics(members: list[DescribedMember], topics: Topics) -> list[str]:
    absent = sorted({name for one in members for name in one.topics if name not in topics})
    if not absent:
        return []
    return [f"subscribed to what does not exist: {some_of(absent, _MOST)}"]
