"""Consumers that read one record after the other: what the fluid model is held against."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from typing import NamedTuple

import numpy as np

from equilag.domain.columns import Floats, Index
from equilag.planner.simulation.fluid_state import Conditions


class RecordRun(NamedTuple):
    """What came to each partition and when it was read. A backlog came before time 0."""

    came: list[Floats]
    read: list[list[float]]
    """Times at which records were done, ascending."""

    def lag(self, time: float) -> Floats:
        """[P] records that are there and not read."""
        return np.array([
            bisect_right(came, time) - bisect_right(read, time)
            for came, read in zip(self.came, self.read, strict=True)
        ], dtype=np.float64)  # fmt: skip

    def age(self, time: float) -> Floats:
        """[P] seconds since the oldest of them came."""
        oldest = (
            came[done] if (done := bisect_right(read, time)) < len(came) else time
            for came, read in zip(self.came, self.read, strict=True)
        )
        return np.array([max(0.0, time - came) for came in oldest])


def arrivals(
    lag: Floats, rate: Floats, until: float, rng: np.random.Generator, *, poisson: bool
) -> list[Floats]:
    """[P] the times at which records come: a backlog at the rate's distances up to 0, then one
    every 1 / rate seconds, or by chance as many on average."""
    found = []
    for records, speed in zip(lag.tolist(), rate.tolist(), strict=True):
        gap = 1 / speed if speed else 0.0
        before = -gap * np.arange(int(records))[::-1]
        if not speed:
            later = np.zeros(0)
        elif poisson:
            later = np.cumsum(rng.exponential(gap, int(until / gap) * 2 + 50))
        else:
            later = gap * np.arange(1, int(until / gap) + 2)
        found.append(np.concatenate([before, later]))
    return found


def read_one_by_one(
    came: list[Floats], conditions: Conditions, until: float, *, batch: int, pause: float = 0.0
) -> RecordRun:
    """Each member reads up to `batch` records of a partition, then goes on with the next one that
    has any. It stands still for `pause` seconds first."""
    read: list[list[float]] = [[] for _ in came]
    for member, capacity in enumerate(conditions.capacity.tolist()):
        if capacity > 0:
            held = _held(conditions.owner, member)
            _read_of_member(came, read, held, 1 / capacity, (pause, until), batch)
    return RecordRun(came, read)


def _held(owner: Index, member: int) -> deque[int]:
    return deque(np.flatnonzero(owner == member).tolist())


def _read_of_member(
    came: list[Floats],
    read: list[list[float]],
    held: deque[int],
    each: float,
    span: tuple[float, float],
    batch: int,
) -> None:
    now, until = span
    while held and now < until:
        for _ in range(len(held)):
            if len(read[held[0]]) < len(came[held[0]]) and came[held[0]][len(read[held[0]])] <= now:
                break
            held.rotate(-1)
        else:  # nothing is there: wait for what comes next
            coming = [came[p][len(read[p])] for p in held if len(read[p]) < len(came[p])]
            now = float(min(coming, default=until))
            continue
        partition = held[0]
        held.rotate(-1)
        for _ in range(batch):
            done = len(read[partition])
            if done == len(came[partition]) or came[partition][done] > now:
                break
            now += each
            read[partition].append(now)
