"""What happens to a group while rules are compared: rates and speeds over half an hour.

The first two scenarios are those of the issue's design: 10 members, 120 partitions, lognormal
rates that are dealt anew every 10 minutes, 80 % of the capacity used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from equilag.domain.columns import Flags, Floats

MEMBERS: Final = 10
PARTITIONS: Final = 120
SECONDS: Final = 1_800
DEAL_S: Final = 600
SPEED: Final = 500.0
"""Records per second of a member. Lags and rates grow with it, ages and moves do not."""
SLOW: Final = 0.4
"""Speed of a slow member, as a share of SPEED."""
USED: Final = 0.8
"""Records produced, as a share of what all members can process."""
SIGMA: Final = 1.0
"""Of the lognormal rates. With it, balancing lag makes about as many moves in the first two
scenarios (9 and 77) as in the prototype of the design (10 and 102)."""
HEAVIEST: Final = 0.8
"""Rate of the heaviest partition at most, as a share of SPEED: above 1 no assignment helps, and
even counts leave about a tenth of a member to the 11 partitions beside it."""
ZIPF: Final = 1.0
"""Exponent of the Zipf rates. Without the limit of HEAVIEST the heaviest partition alone would
have 1.5 times the rate that a member can process."""
CURVE_S: Final = 1_800
"""Length of the compressed day: the whole run."""
CURVE_STEP_S: Final = 30
"""Seconds between changes along the daily curve, half an hour of the day."""
CURVE: Final = 0.8
"""How far rates go above and below their mean in the course of the day."""
ZONES: Final = 3
"""Time zones that partitions belong to; their days are shifted by a third."""

Draw: TypeAlias = Callable[[np.random.Generator, float], Floats]


@dataclass(frozen=True)
class Script:
    """Rates and speeds in steps: line i holds from `…_at[i]` seconds on; the first is at 0."""

    rates_at: Floats
    rates: Floats
    """[steps, P] records produced per second."""
    speeds_at: Floats
    speeds: Floats
    """[steps, M] records that a member can process per second; 0 before it joins."""

    def rates_of(self, second: float) -> Floats:
        """The very same array as long as rates do not change."""
        return self.rate_steps[int(np.searchsorted(self.rates_at, second, "right")) - 1]

    @cached_property
    def rate_steps(self) -> list[Floats]:
        return list(self.rates)

    def speeds_of(self, second: float) -> Floats:
        line: Floats = self.speeds[np.searchsorted(self.speeds_at, second, "right") - 1]
        return line

    def present(self, second: float) -> Flags:
        """[M] the members of the group."""
        there: Flags = self.speeds_of(second) > 0.0
        return there


@dataclass(frozen=True)
class Scenario:
    name: str
    words: str
    make: Callable[[np.random.Generator], Script]

    def script(self, seed: int) -> Script:
        return self.make(np.random.default_rng(seed))


def lognormal(rng: np.random.Generator, total: float) -> Floats:
    return _cut(rng.lognormal(0.0, SIGMA, PARTITIONS), total)


def zipf(rng: np.random.Generator, total: float) -> Floats:
    return _cut(rng.permutation(np.arange(1.0, PARTITIONS + 1) ** -ZIPF), total)


def _cut(weights: Floats, total: float) -> Floats:
    """Rates in proportion to the weights, none above the heaviest; what is cut goes to others."""
    rates = weights
    for _ in range(50):
        rates = np.minimum(rates * (total / rates.sum()), HEAVIEST * SPEED)
    return rates


def _dealt(rng: np.random.Generator, draw: Draw, total: float) -> tuple[Floats, Floats]:
    """Rates that are drawn anew every DEAL_S seconds."""
    at = np.arange(0.0, SECONDS, DEAL_S)
    return at, np.array([draw(rng, total) for _ in at])


def _speeds(slow: int = 0) -> Floats:
    speeds = np.full(MEMBERS, SPEED)
    speeds[:slow] *= SLOW
    return speeds


def _always(draw: Draw, slow: int) -> Callable[[np.random.Generator], Script]:
    def make(rng: np.random.Generator) -> Script:
        speeds = _speeds(slow)
        at, rates = _dealt(rng, draw, USED * float(speeds.sum()))
        return Script(at, rates, np.zeros(1), speeds[np.newaxis])

    return make


def _slows_down(rng: np.random.Generator) -> Script:
    speeds = np.array([_speeds(), _speeds(1)])
    at, rates = _dealt(rng, lognormal, USED * float(speeds[1].sum()))
    return Script(at, rates, np.array([0.0, SECONDS / 2]), speeds)


def _joins(rng: np.random.Generator) -> Script:
    speeds = np.array([_speeds(), _speeds()])
    speeds[0, 0] = 0.0
    at, rates = _dealt(rng, lognormal, USED * float(speeds[1].sum()))
    return Script(at, rates, np.array([0.0, SECONDS / 2]), speeds)


def _day(rng: np.random.Generator) -> Script:
    speeds = _speeds()
    mean = lognormal(rng, USED * float(speeds.sum()))
    zone = rng.integers(0, ZONES, PARTITIONS)
    at = np.arange(0.0, SECONDS, CURVE_STEP_S)
    hour = at[:, np.newaxis] / CURVE_S + zone / ZONES
    rates = mean * (1.0 + CURVE * np.sin(2.0 * np.pi * hour))
    most = USED * float(speeds.sum()) / rates.sum(axis=1).max()
    return Script(at, np.minimum(rates * most, HEAVIEST * SPEED), np.zeros(1), speeds[np.newaxis])


SCENARIOS: Final = (
    Scenario("equal", "equal members", _always(lognormal, 0)),
    Scenario("slow", "2 of 10 members at 40 % speed", _always(lognormal, 2)),
    Scenario("slows-down", "a member slows down to 40 % in the middle", _slows_down),
    Scenario("joins", "the tenth member joins in the middle", _joins),
    Scenario("day", "rates with a daily curve in three time zones, a day in 30 minutes", _day),
    Scenario("zipf", "Zipf rates, equal members", _always(zipf, 0)),
    Scenario("zipf-slow", "Zipf rates, 2 of 10 members at 40 % speed", _always(zipf, 2)),
)
