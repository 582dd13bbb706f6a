"""The lines that members in other processes print, as events and offsets."""

from __future__ import annotations

from collections.abc import Iterable

from support.live_offsets import OffsetsRead

from benchmarks.live.assignment_log import Log, Partition


class LineNotes:
    """Notes what lines of `MILLISECONDS MEMBER WHAT [PARTITION,…]` say. A line on what was read has
    PARTITION:FIRST:LAST; it counts only where there is something to note it in."""

    def __init__(self, log: Log, read: OffsetsRead | None = None) -> None:
        self._log = log
        self._read = read

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
        elif self._read is not None:
            for name in names:
                partition, first, last = name.split(":")
                self._read.add(_partition(partition), int(first), int(last))


def _partition(name: str) -> Partition:
    topic, _, number = name.rpartition("-")
    return topic, int(number)
