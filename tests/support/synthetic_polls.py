"""A made-up consumer that polls: a batch is handed over at once, and processed before the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from equilag.adapters.measuring.offset_samples import OffsetSamples
from equilag.domain.columns import Floats, Ints

PARTITIONS: Final = 4
IDLE_S: Final = 0.01
"""Between two polls that return nothing."""


@dataclass(frozen=True, slots=True)
class Poller:
    """One member that holds all partitions."""

    speed: float
    """Records that it processes per second."""
    arrival: float
    """Records that arrive per second, at random."""
    lag: int
    """Records of each partition at the beginning."""
    batch: int = 500
    """`max.poll.records` of Java's consumer."""
    commit_every: float = 5.0
    commit_between_polls: bool = True
    """As Java's consumer does; else a thread commits what was handed over, as librdkafka's does."""

    def samples(self, seconds: float, seed: int) -> OffsetSamples:
        """Return a sample per second."""
        rng = np.random.default_rng(seed)
        log = [self._log(rng, seconds) for _ in range(PARTITIONS)]
        commit_times, commits = self._commits(rng, log, seconds)
        times = np.arange(0, seconds + 0.1)
        times = np.maximum(0, times + rng.uniform(-0.1, 0.1, len(times)))
        ends = np.array([np.searchsorted(arrived, times, side="right") for arrived in log]).T
        seen = commits[np.searchsorted(commit_times, times, side="right") - 1]
        holder = np.zeros(ends.shape, dtype=np.int32)
        return OffsetSamples(times, ends.astype(np.int64), seen, holder, 1)

    def _log(self, rng: np.random.Generator, seconds: float) -> Floats:
        """When each record of a partition arrived."""
        number = rng.poisson(self.arrival / PARTITIONS * seconds)
        return np.append(np.full(self.lag, -1.0), np.sort(rng.uniform(0, seconds, number)))

    def _commits(
        self, rng: np.random.Generator, log: list[Floats], seconds: float
    ) -> tuple[list[float], Ints]:
        position = np.zeros(PARTITIONS, dtype=np.int64)
        times, commits = [0.0], [position.copy()]
        now, turn, due = 0.0, 0, float(rng.uniform(0, self.commit_every))
        while now < seconds:
            if self.commit_between_polls and now >= due:
                times.append(now)
                commits.append(position.copy())
                due = now + self.commit_every
            taken = 0
            for partition in ((turn + k) % PARTITIONS for k in range(PARTITIONS)):
                there = int(np.searchsorted(log[partition], now, side="right"))
                some = min(there - int(position[partition]), self.batch - taken)
                position[partition] += some
                taken += some
                if taken == self.batch:
                    turn = partition
                    break
            now += taken / self.speed if taken else IDLE_S
            while not self.commit_between_polls and due < now:
                times.append(due)
                commits.append(position.copy())
                due += self.commit_every
        return times, np.array(commits)
