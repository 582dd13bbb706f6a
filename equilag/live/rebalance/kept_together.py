"""Topics of a live group that its plans keep together, though nobody declared them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Literal, get_args

from equilag.domain.group.co_partitioning import CoPartitionedTopics, detect_co_partitioned
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy

CoPartitionMode = Literal["auto", "none"]
CO_PARTITION_MODES: Final[tuple[CoPartitionMode, ...]] = get_args(CoPartitionMode)
"""``auto``: topics that seem to be co-partitioned are kept together; ``none``: declared ones."""


class KeptTogether:
    """The lists of topics that were found so far. Safe to use from several threads.

    What was found once stays in force while the topics exist with equal sizes and a member reads
    all of them: after a restart of all members nobody owns anything that could tell, and the
    members join the same topics. `report` is called with the lists whenever they change.
    """

    def __init__(self, report: Callable[[tuple[CoPartitionedTopics, ...]], None]) -> None:
        self.protocol = ""
        """The assignor that the group uses; empty if unknown."""
        self._report = report
        self._lock = threading.Lock()
        self._found: tuple[CoPartitionedTopics, ...] = ()

    def policy_for(self, group: Group, policy: Policy) -> Policy:
        """The policy with the topics that belong together; as it is if it names them itself, and
        where every topic is balanced by itself."""
        if policy.co_partition or group.co_partitioned or policy.counts_topics:
            return policy
        with self._lock:
            found = self._merged(group)
            changed = [one.topics for one in found] != [one.topics for one in self._found]
            self._found = found
            if changed:
                self._report(found)
        if not found:
            return policy
        lists = tuple(one.topics for one in found)
        return replace(policy, co_partition=lists)

    def _merged(self, group: Group) -> tuple[CoPartitionedTopics, ...]:
        """What was found before and still applies, and what is found now beside or around it."""
        number = {topic: t for t, topic in enumerate(group.topics)}
        kept = [one for one in self._found if _applies(group, number, one)]
        for one in detect_co_partitioned(group, self.protocol):
            rivals = [old for old in kept if not set(old.topics).isdisjoint(one.topics)]
            if all(set(old.topics) <= set(one.topics) for old in rivals):
                kept = [*(old for old in kept if old not in rivals), one]
        return tuple(sorted(kept))


def _applies(group: Group, number: dict[str, int], one: CoPartitionedTopics) -> bool:
    """True if the topics can still be kept together."""
    topics = [number.get(topic) for topic in one.topics]
    some = [topic for topic in topics if topic is not None]
    if len(some) < len(topics) or set(group.topic_size[some].tolist()) != {one.size}:
        return False
    return bool(group.reads[some].all(axis=0).any())
