"""A controller of a group: it looks, measures, plans, and decides whether to rebalance."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import equilag
from benchmarks.simulation.observed import GroupSample, Observed
from benchmarks.simulation.rules import Rule, Settings
from equilag.domain.columns import Floats, Index, Ints
from equilag.domain.group.group import Group, Member

TOPIC: Final = "t"
PATIENCE_S: Final = 300.0
"""Seconds for which the excess that the last plan left counts as what no plan can save."""
LIMIT_S: Final = 60.0
"""Time limit of a plan; the effort ends it long before, so that a run is repeatable."""


class Controller:
    """Follows one rule. Members that come or go make it plan at once, whatever the rule."""

    def __init__(self, rule: Rule, settings: Settings, members: int) -> None:
        self._rule = rule
        self._settings = settings
        self._observed = Observed(members, settings.window_s, rule.by_speed)
        self._present: list[bool] = []
        self._rebalanced_at = -np.inf
        self._planned_at = -np.inf
        self._left = 0.0
        """Excess that the last plan left, in percent of the mean load."""
        self._confirmed = 0
        self.plans = 0

    def look(self, sample: GroupSample) -> Index | None:
        """Return the assignment [P] to change to, None to change nothing."""
        self._observed.add(sample)
        present = sample.present.tolist()
        came_or_left, self._present = present != self._present, present
        if came_or_left:
            self._rebalanced_at = sample.at
            return self._plan(sample)
        if self._rule.weight is None or np.isnan(self._observed.rates()).any():
            return None
        if sample.at - self._rebalanced_at < self._settings.min_interval_s:
            return None
        return self._if_worth_it(sample)

    def _if_worth_it(self, sample: GroupSample) -> Index | None:
        """A plan, if enough samples in a row show excess to save and the plan saves enough of it.

        What the last plan left over cannot be saved, as long as it is there."""
        least = self._settings.gain_percent
        now = self._excess(sample, sample.holder)
        known = sample.at - self._planned_at <= PATIENCE_S
        self._left = min(self._left, now) if known else 0.0
        self._confirmed = self._confirmed + 1 if now - self._left >= least else 0
        if self._confirmed < self._settings.confirm:
            return None
        planned = self._plan(sample)
        self._confirmed, self._planned_at = 0, sample.at
        self._left = self._excess(sample, planned)
        if now - self._left < least:
            return None
        self._rebalanced_at = sample.at
        return planned

    def _excess(self, sample: GroupSample, assigned: Index) -> float:
        """What lies above the members' fair shares, in percent of the mean load per member."""
        weight = self._weight(sample)
        capacity = np.where(sample.present, self._capacities(), 0.0)
        loads = np.bincount(assigned, weight, len(capacity))
        total = float(weight.sum())
        if total == 0.0:
            return 0.0
        above = np.maximum(loads - total * capacity / capacity.sum(), 0.0)
        return 100.0 * float(above.sum()) * np.count_nonzero(capacity) / total

    def _weight(self, sample: GroupSample) -> Floats:
        """[P] records."""
        ahead = self._observed.rates() * self._settings.horizon_s
        if self._rule.weight == "lag":
            return sample.lag.astype(np.float64)
        return ahead if self._rule.weight == "rate" else sample.lag + ahead

    def _capacities(self) -> Floats:
        """[M] measured speeds where the rule knows them, else 1."""
        speeds = self._observed.speeds()
        return speeds if self._rule.by_speed and np.isfinite(speeds).all() else np.ones(len(speeds))

    def _plan(self, sample: GroupSample) -> Index:
        self.plans += 1
        there = np.flatnonzero(sample.present)
        rates = self._observed.rates()
        asked: dict[str, Any] = {"policy": "fair-yet-sticky"}
        if self._rule.weight is not None and np.isfinite(rates).all():
            asked = {
                "weight": self._rule.weight,
                "horizon": self._settings.horizon_s,
                "balance": self._rule.balance,
                "tolerance": self._settings.tolerance,
            }
        plan = equilag.solve(
            _group(sample, rates, self._capacities(), there),
            effort=self._settings.effort, time_limit=LIMIT_S, **asked,
        )  # fmt: skip
        return there[plan.assigned].astype(np.int32)


def _group(sample: GroupSample, rates: Floats, capacities: Floats, there: Ints) -> Group:
    ids = [f"member-{number:02d}" for number in there.tolist()]
    owned = {
        name: {TOPIC: np.flatnonzero(sample.holder == number)}
        for name, number in zip(ids, there.tolist(), strict=True)
    }
    speeds = np.round(capacities[there], 1).tolist()
    return Group.build(
        name="simulated",
        topics={TOPIC: len(sample.lag)},
        members=[Member(name, capacity=speed) for name, speed in zip(ids, speeds, strict=True)],
        subscriptions={name: [TOPIC] for name in ids},
        owned=owned,
        lags=sample.lag,
        rates=rates,
    )
