"""Made-up consumers that are sampled from outside: arrivals, speeds, commits at intervals.

`Poller` is one that is handed a batch at once, and processes it before the next.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from equilag.adapters.measuring.offset_samples import OffsetSamples
from equilag.domain.columns import Floats, Index, Ints

TICK_S = 0.05
"""A simulated step: a hundredth of a commit interval."""


@dataclass(slots=True)
class Traffic:
    """A group of consumers; every member commits all of its partitions at once."""

    rates: list[float]
    """[P] records produced per second."""
    speeds: list[float]
    """[M] records that a member consumes per second while it has any."""
    holder: list[int]
    """[P]"""
    lag: list[int]
    """[P] at the beginning."""
    commit_every: float = 5.0
    poisson: bool = True
    batch: int = 1
    """Records that a member takes from one partition before it goes on to the next."""
    commit_alone: bool = False
    """True if every partition is committed at times of its own."""
    seed: int = 0
    sample_every: float = 1.0
    jitter: float = 0.2
    """Largest deviation of a sample from its time, seconds."""


@dataclass(slots=True)
class _State:
    end: Ints
    position: Ints
    committed: Ints
    budget: Floats
    turn: list[int] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)


def samples_of(traffic: Traffic, seconds: float) -> OffsetSamples:
    """Return what is seen of the group from outside in `seconds`."""
    rng = np.random.default_rng(traffic.seed)
    n, members = len(traffic.rates), len(traffic.speeds)
    lag = np.array(traffic.lag, dtype=np.int64)
    state = _State(1000 + lag, np.full(n, 1000), np.full(n, 1000), np.zeros(members))
    state.turn, state.taken = [0] * members, [0] * members
    holder = np.array(traffic.holder, dtype=np.int32)
    mine = [np.flatnonzero(holder == m).tolist() for m in range(members)]
    clocks = n if traffic.commit_alone else members
    due = rng.uniform(0, traffic.commit_every, clocks)
    wanted = np.arange(0, seconds + 1e-9, traffic.sample_every)
    wanted = np.maximum(0, wanted + rng.uniform(-traffic.jitter, traffic.jitter, len(wanted)))
    times, ends, commits = [], [], []
    owed, at = np.zeros(n), 0.0
    for time in np.sort(wanted):
        while at < time:
            at += TICK_S
            owed += np.array(traffic.rates) * TICK_S
            arrived = rng.poisson(np.array(traffic.rates) * TICK_S) if traffic.poisson else owed
            state.end += arrived.astype(np.int64)
            owed -= owed.astype(np.int64)
            for member, partitions in enumerate(mine):
                _consume(state, traffic, member, partitions)
            for clock in np.flatnonzero(due <= at).tolist():
                due[clock] += traffic.commit_every
                which = [clock] if traffic.commit_alone else mine[clock]
                state.committed[which] = state.position[which]
        times.append(at)
        ends.append(state.end.copy())
        commits.append(state.committed.copy())
    held: Index = np.tile(holder, (len(times), 1))
    return OffsetSamples(np.array(times), np.array(ends), np.array(commits), held, members)


def _consume(state: _State, traffic: Traffic, member: int, partitions: list[int]) -> None:
    """Let a member consume for one tick, `batch` records of each partition in turn."""
    state.budget[member] += traffic.speeds[member] * TICK_S
    idle = 0
    while state.budget[member] >= 1 and idle < len(partitions):
        partition = partitions[state.turn[member]]
        left = int(state.end[partition] - state.position[partition])
        taken = min(int(state.budget[member]), left, traffic.batch - state.taken[member])
        state.position[partition] += taken
        state.budget[member] -= taken
        state.taken[member] += taken
        idle = 0 if taken else idle + 1
        if not taken or state.taken[member] == traffic.batch:
            state.turn[member] = (state.turn[member] + 1) % len(partitions)
            state.taken[member] = 0
    # Time without a record to consume is not saved up.
    state.budget[member] = min(state.budget[member], 1.0) if idle else state.budget[member]


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
