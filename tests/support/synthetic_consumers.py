"""Made-up consumers that are sampled from outside: arrivals, speeds, commits at intervals."""

from __future__ import annotations

from dataclasses import dataclass, field

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
    poll: int = 0
    """Records that a member is handed at once and processes before the next, as `max.poll.records`
    of Java's consumer says; 0 for one by one."""
    commit_between_polls: bool = True
    """As Java's consumer does; else a thread commits what was handed over, as librdkafka's does."""
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
    """[M] records that each member could process by now; less than 0 while it works on a poll."""
    due: Floats
    """Of each clock, when it commits next."""
    turn: list[int] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)


def samples_of(traffic: Traffic, seconds: float) -> OffsetSamples:
    """Return what is seen of the group from outside in `seconds`."""
    rng = np.random.default_rng(traffic.seed)
    n, members = len(traffic.rates), len(traffic.speeds)
    lag = np.array(traffic.lag, dtype=np.int64)
    clocks = n if traffic.commit_alone else members
    due = rng.uniform(0, traffic.commit_every, clocks)
    state = _State(1000 + lag, np.full(n, 1000), np.full(n, 1000), np.zeros(members), due)
    state.turn, state.taken = [0] * members, [0] * members
    holder = np.array(traffic.holder, dtype=np.int32)
    mine = [np.flatnonzero(holder == m).tolist() for m in range(members)]
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
                if traffic.poll:
                    _poll(state, traffic, member, partitions, at)
                else:
                    _consume(state, traffic, member, partitions)
            alone = not traffic.poll or not traffic.commit_between_polls
            for clock in np.flatnonzero(due <= at).tolist() if alone else ():
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


def _poll(state: _State, traffic: Traffic, member: int, partitions: list[int], at: float) -> None:
    """Let a member process for one tick; if it is done, it polls, before that it may commit."""
    state.budget[member] += traffic.speeds[member] * TICK_S
    if state.budget[member] < 0:
        return
    if traffic.commit_between_polls and state.due[member] <= at:
        state.committed[partitions] = state.position[partitions]
        state.due[member] = at + traffic.commit_every
    left, first = traffic.poll, state.turn[member]
    for partition in partitions[first:] + partitions[:first]:
        taken = min(int(state.end[partition] - state.position[partition]), left)
        state.position[partition] += taken
        left -= taken
        if not left:
            state.turn[member] = partitions.index(partition)
            break
    state.budget[member] = min(state.budget[member], 0.0 if left else np.inf) + left - traffic.poll
