"""One sample of a cluster: members, subscriptions, commits and log ends of every group."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from typing import Final

from equilag.adapters.kafka.client_config import Config
from equilag.adapters.kafka.cluster import TIMEOUT, Cluster, NoAnswer, TopicLeaders, by_reason
from equilag.adapters.kafka.group_kinds import CONSUMER, PLANNED, described_kind
from equilag.adapters.kafka.reading import several
from equilag.adapters.kafka.sample_rows import (
    Sample,
    SampledGroup,
    SampleRows,
    TopicPartition,
    partitions_of,
    rack_rows,
    subscription,
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
        self._groups = groups
        self._racks_kept = -RACKS_EVERY_S

    def close(self) -> None:
        self._cluster.close()

    def round(self) -> Sample:
        """Return a sample of all readable groups. Raises NoAnswer.

        Commits are read before log ends, so that no commit seems too far ahead; the time of the
        sample lies between the two.
        """
        listed, listing_problems = self._cluster.groups()
        every = self._cluster.topics()
        topics = every.found
        wanted = {
            name: one
            for name, one in listed.items()
            if self._groups is None or self._groups.fullmatch(name)
        }
        groups, unknown = self._cluster.described(
            {name: one.kind == CONSUMER for name, one in wanted.items() if one.kind in PLANNED}
        )
        others = {name: one.kind for name, one in wanted.items() if one.kind not in PLANNED}
        left_out = {name: f"it is {described_kind(kind)[0]}" for name, kind in others.items()}
        left_out |= {name: failure.reason for name, failure in unknown.items() if not failure.gone}
        committed, failed = self._cluster.committed(
            {name: described.coordinator for name, described in groups.items()}
        )
        left_out |= {name: failure.reason for name, failure in failed.items()}
        ts_ms = time.time_ns() // 1_000_000
        remarks = [*listing_problems]
        plan: dict[str, tuple[SampledGroup, list[list[str]], set[TopicPartition]]] = {}
        for group, commits in sorted(committed.items()):
            answer = SampledGroup(groups[group].members, commits.offsets)
            subscriptions = []
            for member in answer.members:
                names, problem = subscription(member, topics)
                subscriptions.append(names)
                if problem:
                    remarks.append(f"group {group}: {problem}")
            subscribed = {name for names in subscriptions for name in names}
            known = partitions_of(answer, subscribed, topics) - commits.failed.keys()
            plan[group] = (answer, subscriptions, known)
            if commits.failed:
                remarks.append(f"group {group}: no commits: {several(sorted(commits.failed))}")
        partitions = sorted({tp for _, _, tps in plan.values() for tp in tps})
        ends, no_ends = self._cluster.ends(partitions, topics)
        if no_ends and not ends and any(reason != "no leader" for reason in no_ends.values()):
            raise NoAnswer(next(reason for reason in no_ends.values() if reason != "no leader"))
        sizes, size_problems = self._sizes(ends, topics)
        rows = SampleRows(ts_ms, ends, sizes)
        for group, parts in plan.items():
            rows.add(group, *parts)
        racks = {}
        if time.monotonic() - self._racks_kept >= RACKS_EVERY_S:
            racks = {topic: every.racks[topic] for topic, _ in ends}
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
