"""One scenario under one rule: the fluid model with a controller that looks at it."""

from __future__ import annotations

import time
from typing import Final, NamedTuple

import numpy as np

from benchmarks.simulation.controller import Controller
from benchmarks.simulation.observed import GroupSample
from benchmarks.simulation.rules import Rule, Settings
from benchmarks.simulation.scenarios import SECONDS, Script
from equilag.domain.columns import NOBODY, Floats, Index
from equilag.planner.simulation.fluid import Conditions, FluidState

COMMIT_S: Final = 5
"""Seconds between the commits of a member, the default of auto.commit.interval.ms."""
PAUSE_S: Final = 3
"""Seconds without a reader for a partition that moves: a cooperative member hears of a rebalance
with its next heartbeat, by default every 3 s."""


class Outcome(NamedTuple):
    age_p95_s: float
    """95th percentile over time of the age of the oldest unread record."""
    age_max_s: float
    lag: float
    """Mean over time of the total lag in records."""
    moves: int
    rebalances: int
    plans: int
    cpu_s: float


class SimulatedGroup:
    """Members that read, commit every COMMIT_S seconds, each at its own second, and pause moves."""

    def __init__(self, script: Script) -> None:
        partitions, members = script.rates.shape[1], script.speeds.shape[1]
        self._script = script
        self._state = FluidState.start(np.zeros(partitions), script.rates_of(0.0))
        self._produced = np.zeros(partitions)
        self._committed = np.zeros(partitions)
        self._phase = np.arange(members) % COMMIT_S
        self._resumes = np.zeros(partitions)
        self.assigned = np.full(partitions, NOBODY, np.int32)
        self.moves = self.rebalances = 0

    @property
    def lag(self) -> Floats:
        return self._state.lag

    @property
    def oldest_s(self) -> float:
        return float(self._state.age().max())

    def sample(self, second: int) -> GroupSample:
        present = self._script.present(second)
        log_end, committed = self._produced.astype(np.int64), self._committed.astype(np.int64)
        return GroupSample(second, log_end, committed, self.assigned, present)

    def assign(self, second: int, target: Index) -> None:
        """Move partitions; their old owners commit before they let go."""
        moved = (target != self.assigned) & (self.assigned != NOBODY)
        self._committed[moved] = (self._produced - self._state.lag)[moved]
        self._resumes[moved] = second + PAUSE_S
        self.moves += int(moved.sum())
        self.rebalances += bool(moved.any())
        self.assigned = target

    def advance(self, second: int) -> None:
        """Go on to the next second."""
        rates = self._script.rates_of(second)
        reads = np.where(self._resumes > second, NOBODY, self.assigned).astype(np.int32)
        conditions = Conditions(rates, self._script.speeds_of(second), reads)
        self._state = self._state.after(1.0, conditions)
        self._produced = self._produced + rates
        commits = np.equal((second + 1) % COMMIT_S, self._phase)
        due = commits[self.assigned] & (self.assigned != NOBODY)
        self._committed[due] = (self._produced - self._state.lag)[due]


def run_episode(script: Script, rule: Rule, settings: Settings) -> Outcome:
    began = time.process_time()
    group, controller = SimulatedGroup(script), Controller(rule, settings, script.speeds.shape[1])
    ages, lags = [], []
    for second in range(SECONDS):
        if second % settings.look_every_s == 0:
            target = controller.look(group.sample(second))
            if target is not None and (target != group.assigned).any():
                group.assign(second, target)
        group.advance(second)
        ages.append(group.oldest_s)
        lags.append(float(group.lag.sum()))
    return Outcome(
        float(np.percentile(ages, 95)), max(ages), float(np.mean(lags)), group.moves,
        group.rebalances, controller.plans, time.process_time() - began,
    )  # fmt: skip
