"""One sample of a cluster: members, subscriptions, commits and log ends of every group."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from typing import Final

from equilag.adapters.kafka.client_config import Config
from equilag.adapters.kafka.cluster import TIMEOUT, Cluster, NoAnswer
from equilag.adapters.kafka.described import DescribedMember
from equilag.adapters.kafka.group_kinds import PLANNED, described_kind
from equilag.adapters.kafka.reading import TopicLeaders, resolved, several
from equilag.adapters.kafka.sample_rows import (
    Sample,
    SampleRows,
    TopicPartition,
    partitions_of,
    rack_rows,
)

__all__ = ["TIMEOUT", "ClusterSampler", "NoAnswer"]

RACKS_EVERY_S: Final = 3600.0
"""Seconds between two samples with racks, which change when an operator moves replicas."""


class ClusterSampler:
    """Samples one cluster, round by round; connections stay open in between.

    `config` is librdkafka's; `groups` selects groups whose whole name it matches. Raises InputError
    if the cluster does not answer or a client refuses a setting; MissingExtra without the packages
    of `equilag[kafka]`.
    """

    def __init__(
        self,
        config: Config,
        groups: re.Pattern[str] | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        self._cluster = Cluster(config, timeout)
        self._groups = groups or re.compile(".*", re.DOTALL)
        self._racks_kept = -RACKS_EVERY_S

    def close(self) -> None:
        self._cluster.close()

    def round(self) -> Sample:
        """Return a sample of all readable groups. Raises NoAnswer.

        Commits are read before log ends, so that no commit seems too far ahead; the time of the
        sample lies between the two.
        """
        read = self._cluster.read_groups(self._groups.fullmatch)
        topics = read.topics.found
        left_out = {
            name: f"it is {described_kind(one.kind)[0]}"
            for name, one in read.listed.items()
            if one.kind not in PLANNED
        }
        unread = read.unread.items()
        left_out |= {name: failure.reason for name, failure in unread if not failure.gone}
        ts_ms = time.time_ns() // 1_000_000
        remarks = list(read.remarks)
        members: dict[str, list[DescribedMember]] = {}
        partitions: dict[str, set[TopicPartition]] = {}
        for group, commits in sorted(read.commits.items()):
            members[group], problems = resolved(read.described[group].members, topics)
            remarks += [f"group {group}: {problem}" for problem in problems]
            found = partitions_of(members[group], commits.offsets, topics)
            partitions[group] = found - commits.failed.keys()
            if commits.failed:
                remarks.append(f"group {group}: no commits: {several(sorted(commits.failed))}")
        ends, no_ends = self._cluster.ends(sorted(set().union(*partitions.values())), topics)
        if no_ends and not ends and any(reason != "no leader" for reason in no_ends.values()):
            raise NoAnswer(next(reason for reason in no_ends.values() if reason != "no leader"))
        sizes, size_problems = self._sizes(ends, topics)
        rows = SampleRows(ts_ms, ends, sizes)
        for group, found in partitions.items():
            rows.add(group, members[group], read.commits[group].offsets, found)
        racks = {}
        if time.monotonic() - self._racks_kept >= RACKS_EVERY_S:
            racks = {topic: read.topics.racks[topic] for topic, _ in ends}
            self._racks_kept = time.monotonic()
        remarks = list(dict.fromkeys([*remarks, *by_reason(no_ends), *size_problems]))
        return Sample(ts_ms, rows.offsets, rows.members, left_out, remarks, rack_rows(ts_ms, racks))

    def _sizes(
        self, partitions: Iterable[TopicPartition], topics: TopicLeaders
    ) -> tuple[dict[TopicPartition, int], list[str]]:
        led = {(topic, p): topics[topic][p] for topic, p in partitions if topics[topic][p] >= 0}
        if not led:
            return {}, []
        from equilag.adapters.kafka.plain.plain_ends import log_sizes

        return self._cluster.with_plain(lambda client: log_sizes(client, led))


def by_reason(failed: Mapping[TopicPartition, str]) -> list[str]:
    """Return one remark per reason, with its first partition."""
    partitions: dict[str, list[TopicPartition]] = {}
    for tp, reason in sorted(failed.items()):
        partitions.setdefault(reason, []).append(tp)
    return [f"no log ends ({reason}): {several(tps)}" for reason, tps in partitions.items()]
