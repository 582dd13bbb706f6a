"""The part `scale`: how many members a group runs over a day of load, by rule.

The load has the shape of NAB's tweets (realTweets: counts in 5 minutes): a daily curve, noise, and
spikes that fade. All rules have the same members, the same delays and the same load.
"""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from benchmarks.simulation.worst_fit import modified_worst_fit
from equilag.domain.columns import NOBODY, Floats, Index
from equilag.domain.group.group import Group, Member
from equilag.live.exporter.group_scaler import GroupScaler
from equilag.planner.sizes.scaling import ScaleSettings
from equilag.planner.solve import solve

PARTITIONS: Final = 64
SPEED: Final = 1_000.0
"""Records per second that a member reads."""
SIGMA: Final = 0.3
"""Of the lognormal shares of partitions: the heaviest has some 3 %."""
MEAN: Final = 8_000.0
"""Records per second over the day, without spikes."""
MOST: Final = 28_000.0
"""The heaviest partition alone is just within a member's speed then."""
DAY_S: Final = 86_400
"""Seconds. A shorter day has the same curve."""
COUNTED_S: Final = 300
STEP_S: Final = 5
LOOK_S: Final = 15
"""Between two looks of Kubernetes' autoscaler."""
START_S: Final = 30
"""From the start of a member to its first record."""
PAUSE_S: Final = 5
"""Without a reader for a partition that moves."""
COMMIT_S: Final = 5
RATE_S: Final = 60
"""Over which rates are measured."""
STABLE_S: Final = 300
"""The autoscaler's window, and that of /scale: a number falls if none in it was larger."""
TOLERANCE: Final = 0.1
"""Part of the number by which the autoscaler leaves it."""
THRESHOLDS: Final = (1_000, 10_000, 100_000)
SEEDS: Final = 3
EFFORT: Final = 0.02
"""Counted seconds for a plan."""


def day_of_load(rng: np.random.Generator) -> Floats:
    """[steps] records per second of the whole topic."""
    times = np.arange(0, DAY_S, COUNTED_S) / DAY_S
    load = 1 + 0.7 * np.sin(2 * np.pi * (times - 0.3)) + 0.15 * np.sin(4 * np.pi * times)
    load = MEAN * load.clip(0.1) * rng.gamma(25, 1 / 25, len(times))  # a fifth up or down
    for _ in range(rng.poisson(5)):
        begin, high = int(rng.integers(len(times))), rng.uniform(0.5, 3)
        fading = np.exp(-np.arange(len(times) - begin) / rng.uniform(1, 8))
        load[begin:] += MEAN * high * fading
    return np.repeat(load.clip(50.0, MOST), COUNTED_S // STEP_S)


class ScaledGroup:
    """Members that read, and what a rule can know of them."""

    def __init__(self, shares: Floats, members: int) -> None:
        self.shares = shares
        self.lag = np.zeros(PARTITIONS)
        self.owner: Index = np.full(PARTITIONS, NOBODY, np.int32)
        self.running, self.reading = members, 0
        self.rates: deque[Floats] = deque(maxlen=RATE_S // STEP_S)
        self._ready: list[tuple[float, int]] = [(0.0, members)]
        self._resumes = np.zeros(PARTITIONS)
        self.changes = 0
        self._plans: dict[int, Index] = {}

    @property
    def rate(self) -> Floats:
        """[P] as measured."""
        rate: Floats = np.mean(self.rates, axis=0)
        return rate

    @property
    def lag_by_commits(self) -> float:
        return float(self.lag.sum() + self.rate.sum() * COMMIT_S / 2)

    def scale(self, now: float, members: int) -> None:
        """Run so many members; new ones read a while later."""
        if members != self.running:
            self.changes += 1
            self._ready = [(at, n) for at, n in self._ready if n < members]
            self._ready.append((now + START_S * (members > self.running), members))
        self.running = members

    def assign(self, now: float, owner: Index) -> None:
        self._resumes[(owner != self.owner) & (self.owner != NOBODY)] = now + PAUSE_S
        self.owner = owner

    def plan(self, members: int) -> Index:
        """[P] the plan for so many members; there is one for each number, as shares stay."""
        if members not in self._plans:
            made = solve(self.group(members), weight="rate", effort=EFFORT, time_limit=60.0)
            self._plans[members] = made.assigned
        return self._plans[members]

    def joined(self, now: float) -> int:
        """How many members there are to read."""
        return max((n for at, n in self._ready if at <= now), default=self.reading)

    def advance(self, now: float, load: float) -> float:
        """One step; the age of the oldest unread record at its end, in seconds."""
        rate = load * self.shares
        self.rates.append(rate)
        self.lag += rate * STEP_S
        reads = self._resumes <= now
        members = max(1, self.reading)
        waits = np.bincount(self.owner, self.lag * reads, members)
        part = np.minimum(1.0, SPEED * STEP_S / np.maximum(waits, 1e-9))
        self.lag -= np.where(reads, self.lag * part[self.owner], 0.0)
        return float((self.lag / rate).max())

    def group(self, members: int) -> Group:
        """As equilag sees it, with so many members."""
        ids = [f"c-{number:02}" for number in range(members)]
        held = [np.flatnonzero(self.owner == number).tolist() for number in range(members)]
        return Group.build(
            name="g", topics={"t": PARTITIONS},
            members=[Member(one, capacity=SPEED) for one in ids],
            subscriptions={one: ["t"] for one in ids},
            owned={one: {"t": mine} for one, mine in zip(ids, held, strict=True)},
            rates={"t": self.rate.round(3).tolist()},
        )  # fmt: skip


Wish = Callable[[ScaledGroup, float], int]
"""How many members a rule asks for at a second."""


def _by_lag(threshold: int) -> Wish:
    """KEDA's rule with Kubernetes' autoscaler: lag over a threshold, within the partitions."""
    asked: deque[tuple[float, int]] = deque()

    def wish(group: ScaledGroup, now: float) -> int:
        ratio = group.lag_by_commits / (threshold * group.running)
        number = group.running
        if abs(ratio - 1) > TOLERANCE:
            number = min(PARTITIONS, max(1, math.ceil(group.lag_by_commits / threshold)))
        asked.append((now, number))
        while asked[0][0] <= now - STABLE_S:
            asked.popleft()
        return max(number, min(group.running, max(n for _, n in asked)))

    return wish


def _by_scale() -> Wish:
    """The number of /scale."""
    scaler = GroupScaler(ScaleSettings(window_s=STABLE_S))

    def wish(group: ScaledGroup, now: float) -> int:
        seen = group.group(group.running)
        if now == 0:  # shares stay
            scaler.size(seen, now)
        facts = scaler.facts(seen, now)
        assert facts is not None
        return facts.replicas

    return wish


RULES: Final[dict[str, Callable[[], Wish] | None]] = {
    "`/scale`": _by_scale,
    "bin packing (Landau and others)": None,
    **{f"lag ÷ {one:,}": partial(_by_lag, one) for one in THRESHOLDS},
}


def run_day(rule: str, seed: int) -> dict[str, float]:
    """The figures of a rule on a day."""
    rng = np.random.default_rng(seed)
    shares = rng.lognormal(0, SIGMA, PARTITIONS)
    load = day_of_load(rng)
    group = ScaledGroup(shares / shares.sum(), math.ceil(1.2 * load[0] / SPEED))
    group.rates.append(load[0] * group.shares)
    made = RULES[rule]
    wish, hours, ages = made and made(), 0.0, list[float]()
    for step, now in enumerate(range(0, DAY_S, STEP_S)):
        if wish is None and now % (2 * LOOK_S) == 0:
            packed = modified_worst_fit(group.rate, group.owner, SPEED)
            group.scale(now, int(packed.max()) + 1)
        elif wish is not None and now % LOOK_S == 0:
            limit = max(group.running + 4, 2 * group.running)  # the autoscaler's policy
            group.scale(now, min(limit, wish(group, now)))
        if wish is None and group.joined(now) == group.running:
            group.reading = group.running
            group.assign(now, packed)
        elif (members := group.joined(now)) != group.reading:
            group.reading = members
            group.assign(now, group.plan(members))
        ages.append(group.advance(now, float(load[step])))
        hours += group.running * STEP_S / 3_600
    late = np.percentile(ages, (95, 99))
    needed = float(load.sum() * STEP_S / SPEED / 3_600)
    return {
        "member_hours": hours, "needed_hours": needed, "changes": group.changes,
        "p95_s": float(late[0]), "p99_s": float(late[1]), "worst_s": max(ages),
    }  # fmt: skip


def measure(seeds: int = SEEDS) -> dict[str, Any]:
    """Medians of the days of all rules."""
    rows = []
    for rule in RULES:
        days = [run_day(rule, seed) for seed in range(min(seeds, SEEDS))]
        medians = {name: round(statistics.median(d[name] for d in days), 1) for name in days[0]}
        rows.append({"rule": rule, **medians})
    settings = {
        "partitions": PARTITIONS, "speed": SPEED, "look_s": LOOK_S, "start_s": START_S,
        "pause_s": PAUSE_S, "stable_s": STABLE_S, "rate_s": RATE_S,
    }  # fmt: skip
    return {"seeds": min(seeds, SEEDS), "settings": settings, "rows": rows}
