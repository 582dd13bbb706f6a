"""How many processes to run, from sizes and over time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import sliding_window_view

from equilag.domain.errors import InputError
from equilag.domain.group.group import Group, Member
from equilag.planner.size import size
from equilag.planner.sizes.scaling import ScaleSettings, SteadyScale, scale_wish
from equilag.planner.sizes.sizing import Sizing

MINUTE = 60.0
DAY = 1_440
"""Minutes."""
WINDOW = 5
"""Minutes, as by default."""


def sized(rates: Sequence[float], capacity: float | None = 1_000.0, threads: int = 1) -> Sizing:
    """A topic with these rates, and one process that reads nothing yet."""
    ids = [f"c-{number}" for number in range(threads)]
    group = Group.build(
        name="g", topics={"t": len(rates)}, members=[Member(one, capacity=capacity) for one in ids],
        subscriptions={one: ["t"] for one in ids}, owned={}, rates={"t": list(rates)},
    )  # fmt: skip
    return size(group, effort=0.02, threads=threads)


@pytest.mark.parametrize(
    ("rates", "settings", "rate", "wanted", "reason"),
    [
        ([100.0] * 64, ScaleSettings(), None, 8, "8 keep up with 6,400 records/s and 20 % more"),
        # The example of docs/metrics.md.
        (
            [20_100 / 64] * 64,
            ScaleSettings(),
            None,
            32,
            "32 keep up with 20,100 records/s and 20 %",
        ),
        # 33 to 63 leave two partitions at the heaviest one, as 32 do.
        ([100.0] * 64, ScaleSettings(), 27_000.0, 64, "64 keep up with 27,000 records/s"),
        ([100.0] * 64, ScaleSettings(least=65), None, 64, "at least 65 are asked for"),
        ([100.0] * 64, ScaleSettings(least=33), None, 64, "at least 33 are asked for"),
        ([100.0] * 64, ScaleSettings(most=63), 27_000.0, 32, "at most 63 are allowed"),
        ([100.0] * 64, ScaleSettings(headroom=0), None, 7, "7 keep up with 6,400 records/s"),
        ([2_000.0] + [10.0] * 9, ScaleSettings(), None, 4, "t-0 alone is too much"),
        ([0.0] * 4, ScaleSettings(), None, 1, "1 keeps up with 0 records/s"),
    ],
)
def test_what_is_wanted(
    rates: list[float], settings: ScaleSettings, rate: float | None, wanted: int, reason: str
) -> None:
    found = scale_wish(sized(rates), sum(rates) if rate is None else rate, settings)
    assert found.wanted == wanted
    assert wanted in found.helps
    assert reason in found.reason


def test_threads_are_counted_as_processes() -> None:
    assert scale_wish(sized([100.0] * 64, threads=4), 6_400.0, ScaleSettings()).wanted == 2


@pytest.mark.parametrize(
    ("capacity", "rate", "what"),
    [
        (None, 6_400.0, "the speed of its members"),
        (1_000.0, None, "how much is produced"),
        (None, None, "how much is produced"),
    ],
)
def test_without_speeds_or_rates_nothing_is_wanted(
    capacity: float | None, rate: float | None, what: str
) -> None:
    found = scale_wish(sized([100.0] * 64, capacity), rate, ScaleSettings())
    assert (found.wanted, found.need) == (None, None)
    assert found.reason == f"{what} is not known yet, so the number stays"
    assert found.helps[-1] == 64


def test_a_maximum_below_the_minimum_is_refused() -> None:
    with pytest.raises(InputError, match="2 is below the minimum, 3"):
        ScaleSettings(least=3, most=2)


def steady_scale(minutes: float = WINDOW, **settings: int) -> SteadyScale:
    return SteadyScale(ScaleSettings(window_s=minutes * MINUTE, **settings))


def test_a_rise_is_at_once_and_a_fall_waits_for_a_window() -> None:
    steady = steady_scale()
    course = [(0, 2), (60, 4), (120, 2), (419, 1), (420, 1), (718, 1), (719, 1), (720, 8)]
    found = [steady.step(float(at), wanted) for at, wanted in course]
    assert found == [2, 4, 4, 4, 2, 2, 1, 8]


def test_what_runs_in_the_first_window_stays_until_its_end() -> None:
    """The members of a group that starts at the same time join one after the other."""
    steady = steady_scale()
    course = [(0.0, 2), (15.0, 5), (30.0, 4), (300.0, 5), (301.0, 5)]
    assert [steady.step(at, 1, present) for at, present in course] == [2, 5, 5, 5, 1]


def test_what_runs_while_nothing_is_known_stays_for_a_window_after() -> None:
    steady = steady_scale()
    course = [(0.0, None), (250.0, None), (900.0, None), (915.0, 1), (1_214.0, 1), (1_215.0, 1)]
    assert [steady.step(at, wanted, 5) for at, wanted in course] == [5, 5, 5, 5, 5, 1]


@pytest.mark.parametrize(("present", "number"), [(1, 3), (5, 5), (50, 8)])
def test_what_runs_at_the_start_keeps_to_the_limits(present: int, number: int) -> None:
    steady = steady_scale(0, least=3, most=8)
    assert [steady.step(at, None, present) for at in (0.0, 1e6)] == [number] * 2


def turns_up(numbers: Sequence[int]) -> list[int]:
    """The steps at which a fall was taken back."""
    found, fell = [], False
    for step, (before, now) in enumerate(pairwise(numbers), start=1):
        if now > before and fell:
            found.append(step)
        fell = now < before or (fell and now == before)
    return found


@given(
    wishes=st.lists(st.one_of(st.none(), st.integers(1, 40)), min_size=1, max_size=60),
    present=st.integers(0, 50),
)
def test_whatever_is_wanted_it_does_not_flap_and_comes(
    wishes: list[int | None], present: int
) -> None:
    """Where rates or speeds are unknown nothing is wanted."""
    steady, numbers = steady_scale(), list[int]()
    last = next((one for one in reversed(wishes) if one is not None), max(1, present))
    # The last wish stays for two windows.
    for minute, wanted in enumerate([*wishes, *[last] * (2 * WINDOW)]):
        numbers.append(steady.step(minute * MINUTE, wanted, present if minute == 0 else 0))
        assert numbers[-1] >= (wanted or numbers[-2:][0])
        assert minute > WINDOW or numbers[-1] >= present
    assert all(later - step > WINDOW for step, later in pairwise(turns_up(numbers)))
    assert numbers[-1] == last


@cache
def sizings(partitions: int, threads: int, variant: int) -> Sizing:
    """Groups of one size whose rates have other proportions by variant."""
    draw = np.random.default_rng([partitions, threads, variant])
    rates = draw.lognormal(0, draw.choice([0.0, 0.3, 1.0]), partitions)
    return sized((1_000.0 * rates).round(3).tolist(), threads=threads)


def history(seed: int) -> tuple[list[int], list[int], float]:
    """What ran and what was wanted in each minute of a day, and the member-hours of hindsight.

    A daily wave, noise, up to three bursts, a change of level; the proportions of the rates drift
    and speeds are measured anew, so that other numbers help.
    """
    draw = np.random.default_rng(seed)
    partitions, threads = int(draw.choice([6, 12, 24, 40])), int(draw.choice([1, 1, 2]))
    times = np.arange(DAY)
    load = 1 + draw.uniform(0, 0.9) * np.sin(2 * np.pi * (times / DAY + draw.random()))
    load[int(draw.integers(DAY)) :] *= draw.uniform(0.5, 2)
    for _ in range(int(draw.integers(4))):
        begin, long = int(draw.integers(DAY)), int(draw.integers(10, 180))
        load[begin : begin + long] *= draw.uniform(1, 3)
    load *= draw.normal(1, draw.uniform(0, 0.05), DAY).clip(0.5, 1.5)
    load *= draw.uniform(0.05, 0.6) * 1_000.0 * partitions
    settings = ScaleSettings(headroom=float(draw.choice([0, 20, 50])))
    steady, ran, wishes = steady_scale(), list[int](), list[int]()
    drift = np.sort(draw.integers(DAY, size=2))
    for minute, rate in enumerate(load.tolist()):
        variant = int(np.searchsorted(drift, minute, side="right"))
        sizing = sizings(partitions, threads, variant)
        _, helps, *_ = wish = scale_wish(sizing, rate, settings)
        wanted = wish.wanted
        assert wanted in helps
        ran.append(steady.step(minute * MINUTE, wanted))
        wishes.append(wanted)
    return ran, wishes, hindsight(np.array(wishes))


def hindsight(wanted: np.ndarray) -> float:
    """The fewest member-minutes of those that never run less than is wanted and keep each number
    for a window: a sum over pieces of one to two windows, by dynamic programming."""
    costs = {
        long: long * sliding_window_view(wanted, long).max(axis=1)
        for long in range(WINDOW, 2 * WINDOW)
    }
    best = np.full(len(wanted) + 1, np.inf)
    best[0] = 0.0
    for end in range(WINDOW, len(wanted) + 1):
        ways = [best[end - n] + cost[end - n] for n, cost in costs.items() if n <= end]
        best[end] = min(ways)
    return float(best[-1])


def check_histories(seeds: range) -> None:
    for seed in seeds:
        ran, wishes, least = history(seed)
        assert all(now >= wish for now, wish in zip(ran, wishes, strict=True)), seed
        # Each number is one that helped less than a window ago.
        assert all(ran[at] in wishes[max(0, at - WINDOW) : at + 1] for at in range(DAY)), seed
        assert all(b - a > WINDOW for a, b in pairwise(turns_up(ran))), seed
        for minute in range(2 * WINDOW, DAY):
            recent = wishes[minute - 2 * WINDOW : minute + 1]
            if len(set(recent)) == 1:
                assert ran[minute] == recent[0], (seed, minute)
        assert sum(ran) <= 1.15 * least, (seed, sum(ran) / least)


def test_days_of_load() -> None:
    check_histories(range(15))


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_ten_thousand_days_of_load(part: int) -> None:
    check_histories(range(1_000 * part, 1_000 * part + 1_000))
