"""What members report: their assignments as events, and the offsets that they read."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping

from benchmarks.live.assignment_log import Log, Partition


class OffsetsRead:
    """The offsets that members read, as disjoint runs by partition; several threads may write."""

    def __init__(self) -> None:
        self._runs: dict[Partition, list[tuple[int, int]]] = defaultdict(list)
        """Partition -> (first, last), ascending, neither overlapping nor adjacent."""
        self._lock = threading.Lock()
        self.records = 0
        """Records read, those read again included."""

    def add(self, partition: Partition, first: int, last: int) -> None:
        with self._lock:
            self.records += last - first + 1
            runs = self._runs[partition]
            at = bisect_left(runs, first - 1, key=lambda run: run[1])
            while at < len(runs) and runs[at][0] <= last + 1:
                first, last = min(first, runs[at][0]), max(last, runs[at][1])
                del runs[at]
            runs.insert(at, (first, last))

    def unread_by_partition(self, produced: Mapping[Partition, int]) -> dict[Partition, int]:
        """Records that nobody has read, of so many from offset 0 on in each partition."""
        with self._lock:
            return {
                partition: number
                - sum(
                    min(last, number - 1) - first + 1
                    for first, last in self._runs.get(partition, ())
                    if first < number
                )
                for partition, number in produced.items()
            }

    def unread(self, produced: Mapping[Partition, int]) -> int:
        return sum(self.unread_by_partition(produced).values())


class LineNotes:
    """Notes what lines of `MILLISECONDS MEMBER WHAT [PARTITION,…]` say, which members in other
    processes print. A line on what was read has PARTITION:FIRST:LAST."""

    def __init__(self, log: Log, read: OffsetsRead | None = None) -> None:
        self._log = log
        self._read = read or OffsetsRead()

    def add_all(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            if line.endswith(b"\n"):  # not the torn last line of a process that was killed
                self.add(line.decode())

    def add(self, line: str) -> None:
        at, member, what, *rest = line.split()
        names = rest[0].split(",") if rest and what != "failed" else []
        if what != "read":
            partitions = [_partition(name) for name in names]
            self._log.add(member, what, partitions, int(at) / 1000)  # type: ignore[arg-type]
            return
        for name in names:
            partition, first, last = name.split(":")
            self._read.add(_partition(partition), int(first), int(last))


def _partition(name: str) -> Partition:
    topic, _, number = name.rpartition("-")
    return topic, int(number)
