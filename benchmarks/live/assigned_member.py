"""Members that an operator assigns partitions to, by `assign()`: no group leads them."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from confluent_kafka import TopicPartition

from benchmarks.live.assignment_log import Log
from benchmarks.live.limited_member import LimitedMember


class ManualAssignment:
    """Who is to have which partition. A partition goes to its new member once the old one has let
    go of it, at the record where that one stopped."""

    def __init__(self, owners: Sequence[int]) -> None:
        self._owners = list(owners)
        self._free = dict.fromkeys(range(len(owners)), 0)
        """Partition that nobody has -> the offset of its first unread record."""
        self._lock = threading.Lock()

    def set(self, owners: Sequence[int]) -> None:
        """Assign anew; `owners` [P] are member numbers."""
        with self._lock:
            self._owners = list(owners)

    def exchange(self, member: int, held: Mapping[int, int]) -> tuple[list[int], dict[int, int]]:
        """Let go of what other members are to have, and take what is free.

        `held` maps the member's partitions to their first unread records. Returns the partitions
        that it loses, and those that it gets with the offsets to start from.
        """
        with self._lock:
            lost = [partition for partition in held if self._owners[partition] != member]
            self._free |= {partition: held[partition] for partition in lost}
            gained = {
                partition: offset
                for partition, offset in self._free.items()
                if self._owners[partition] == member and partition not in held
            }
            for partition in gained:
                del self._free[partition]
            return lost, gained


class AssignedMember(LimitedMember):
    """Member `number` of a manual assignment, with the speed and the habits of the others."""

    def __init__(
        self,
        number: int,
        assignment: ManualAssignment,
        speed: float,
        topic: str,
        settings: Mapping[str, str | int],
        log: Log,
    ) -> None:
        self._number = number
        self._assignment = assignment
        self._start: dict[int, int] = {}
        super().__init__(f"member-{number}", speed, topic, settings, log)

    def _begin(self) -> None:
        """There is no group to ask."""

    def _between_batches(self) -> None:
        held = {
            partition: max(self._start[partition], self.read.get(partition, 0))
            for partition in self._held
        }
        lost, gained = self._assignment.exchange(self._number, held)
        if lost:
            gone = [TopicPartition(self._topic, partition) for partition in lost]
            self._consumer.incremental_unassign(gone)
            self._gives("revoke", gone)
        if gained:
            self._start |= gained
            new = [TopicPartition(self._topic, *one) for one in gained.items()]
            self._consumer.incremental_assign(new)
            self._takes(new)
