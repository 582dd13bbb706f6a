"""The part `size`: the numbers of members that help, against closed forms and enumeration."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

import equilag
from equilag.domain.group.group import Group, Member

CAPACITY: Final = 100.0
"""Records per second of a member."""
CLOSE: Final = 1e-3
"""Relative difference of two loads that are the same: rates count with four digits."""
TINY: Final = 40
"""Random groups that are compared with the enumeration of all assignments."""
TINY_PARTITIONS: Final = 6
"""At most: with as many members, 6^6 = 46,656 assignments."""
TIME_LIMIT_S: Final = 20.0


class SizeCase(NamedTuple):
    name: str
    words: str
    rates: tuple[float, ...]
    present: int
    """Members of the group, or threads of its processes."""
    threads: int | None
    expected: Callable[[int], float]
    """The heaviest load with so many members, or processes."""


def _hot(size: int) -> float:
    """The hot partition and the fewest others that even counts put beside it."""
    return 0.9 + (64 // size - 1) * 0.1 / 63


def _even(size: int) -> float:
    return -(-126 // size) / CAPACITY


def _threads(size: int) -> float:
    return -(-24 // (4 * size)) * 10.0 / CAPACITY


CASES: Final = (
    SizeCase("hot", "64 partitions, one with 90 % of the load", (90.0, *[10 / 63] * 63), 4, None,
             _hot),
    SizeCase("even", "126 even partitions", (1.0,) * 126, 10, None, _even),
    SizeCase("threads", "24 partitions, 4 threads a process", (10.0,) * 24, 8, 4, _threads),
)  # fmt: skip


def group_of(rates: tuple[float, ...], members: int) -> Group:
    ids = [f"member-{number:03d}" for number in range(members)]
    return Group.build(
        name="sized",
        topics={"t": len(rates)},
        members=[Member(name, capacity=CAPACITY) for name in ids],
        subscriptions={name: ["t"] for name in ids},
        rates=np.array(rates),
        lags=np.zeros(len(rates), np.int64),
    )


def measure() -> dict[str, Any]:
    return {"cases": [_case(case) for case in CASES], "enumerated": enumerated(TINY)}


def _case(case: SizeCase) -> dict[str, Any]:
    began = time.process_time()
    sizing = equilag.size(
        group_of(case.rates, case.present), weight="rate", threads=case.threads,
        time_limit=TIME_LIMIT_S,
    )  # fmt: skip
    cpu = time.process_time() - began
    right = [np.isclose(row.load, case.expected(row.size), rtol=CLOSE) for row in sizing.rows]
    return {
        "name": case.name,
        "words": case.words,
        "sizes": len(sizing.rows),
        "proved": sum(row.proved for row in sizing.rows),
        "as_expected": sum(map(bool, right)),
        "helping": [row.size for row in sizing.helping],
        "loads": [round(row.load, 4) for row in sizing.helping],
        "cpu_s": round(cpu, 3),
    }


def enumerated(number: int) -> dict[str, int]:
    """Random groups, every size: how many loads are those of the best of all assignments."""
    rng = np.random.default_rng(0)
    sizes = equal = 0
    for _ in range(number):
        partitions = int(rng.integers(2, TINY_PARTITIONS + 1))
        rates = tuple(rng.integers(1, 60, partitions).astype(float).tolist())
        sizing = equilag.size(group_of(rates, 2), weight="rate", time_limit=TIME_LIMIT_S)
        for row in sizing.rows:
            best = least_heaviest(rates, row.size) / CAPACITY
            sizes += 1
            equal += row.proved and bool(np.isclose(row.load, best, rtol=CLOSE))
    return {"groups": number, "sizes": sizes, "equal": equal}


def least_heaviest(rates: tuple[float, ...], members: int) -> float:
    """The least heaviest load of all assignments with even counts, one by one."""
    low, rest = divmod(len(rates), members)
    counts = sorted([low + 1] * rest + [low] * (members - rest))
    best = np.inf
    for assigned in itertools.product(range(members), repeat=len(rates)):
        if sorted(np.bincount(assigned, minlength=members).tolist()) == counts:
            best = min(best, float(np.bincount(assigned, rates, members).max()))
    return best
