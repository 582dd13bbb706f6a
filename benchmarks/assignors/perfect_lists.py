"""Lists of integers for which perfectly even plans exist, and how many of them equilag reaches.

The sizes and distributions are those of a public benchmark of balanced multiway number
partitioning with known optima (doi 10.5281/zenodo.18461711): distinct uniform integers, dealt to
members so that counts and sums differ by 1 at most. The lists themselves are drawn anew by seed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from benchmarks.assignors.case import Case
from benchmarks.assignors.prove import proved_by
from equilag.domain.group.group import NOBODY, Ints
from equilag.planner.solve import solve

LIMIT: Final = 10.0
"""Seconds per list."""
LIMIT_LARGE: Final = 30.0
"""Seconds per list of so many numbers as `LARGE`."""
LARGE: Final = 100_000
SHORT: Final = 1
FULL: Final = 2
"""Draws of every list; the lists that divide in one draw do not in the next one."""


class NumberList(NamedTuple):
    """Distinct uniform integers from 1 to `top`, to be dealt to so many members."""

    numbers: int
    top: int
    members: int

    def __str__(self) -> str:
        return f"{self.numbers:,} up to {self.top:,} for {self.members:,}"

    def draw(self, seed: int, divides: bool) -> Ints:
        """[numbers] integers. With `divides`, the members divide their sum, otherwise they do not.

        For that, the smallest integer is changed.
        """
        rng = np.random.default_rng([seed, self.numbers, self.top, self.members])
        several = rng.integers(1, self.top + 1, 3 * self.numbers)
        values: Ints = rng.permutation(np.unique(several))
        if len(values) < self.numbers:  # dense lists
            values = rng.permutation(np.arange(1, self.top + 1))
        values = values[: self.numbers]
        rest = int(values.sum()) % self.members
        values[values.argmin()] += (self.members - rest) * divides + (not divides and not rest)
        return values


GRID: Final = tuple(
    NumberList(numbers, top, members)
    for numbers, top, parts in (
        (100, 10**5, (10,)),
        (100, 10**6, (10,)),
        (100, 10**9, (4,)),
        (300, 10**7, (20, 25, 30)),
        (500, 10**7, (20, 30, 50)),
        (500, 10**9, (10,)),
        (1_000, 10**4, (3, 7, 9, 19, 21, 27, 57, 63, 100, 133, 171, 189)),
        (1_000, 10**5, (100, 145, 162)),
        (1_000, 10**6, (100,)),
        (1_000, 10**9, (12,)),
        (10_000, 10**5, (887, 1_000, 1_417)),
        (10_000, 10**6, (1_000,)),
        (100_000, 10**6, (10, 100, 1_000, 10_000)),
    )
    for members in parts
)
"""The 35 lists of the public benchmark."""

HEAD: Final = ("list", "sum", "time", "status", "counts", "spread", "optimum")


def measure(draws: int, lists: Sequence[NumberList] = GRID) -> list[dict[str, Any]]:
    """Plan every list of each draw with a tolerance of 0; return one row each."""
    return [
        _planned(one, seed, divides=(number + seed) % 2 == 0)
        for seed in range(draws)
        for number, one in enumerate(lists)
    ]


def _planned(one: NumberList, seed: int, divides: bool) -> dict[str, Any]:
    values = one.draw(seed, divides)
    case = _case(one, values)
    group = case.group()
    limit = LIMIT_LARGE if one.numbers >= LARGE else LIMIT
    start = time.monotonic()
    plan = solve(group, tolerance=0, time_limit=limit)
    seconds = time.monotonic() - start
    proof, figures = proved_by(case, plan)
    even = int(figures.counts[-1] - figures.counts[0]) <= 1
    optimum = int(int(values.sum()) % one.members > 0)
    return {
        "list": str(one),
        "divides": not optimum,
        "seconds": seconds,
        "limit_s": limit,
        "status": plan.status,
        "counts_even": even,
        "spread": figures.spread,
        "optimum": optimum,
        "problems": [*figures.problems, *proof.findings],
        "solved": even
        and not figures.problems
        and not proof.findings
        and plan.status == "optimal"
        and figures.spread == optimum,
    }


def _case(one: NumberList, values: Ints) -> Case:
    names = tuple(f"m{number:05}" for number in range(one.members))
    return Case(
        f"perfect/{one}", "perfect", names, ("numbers",), (one.numbers,), ((0,),),
        np.zeros(one.members, np.int32), np.full(one.numbers, NOBODY, np.int32), values,
    )  # fmt: skip


def rows(found: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """The table of a report, with the columns of `HEAD`."""
    return [
        (
            row["list"],
            "divides" if row["divides"] else "",
            f"{row['seconds']:.2f} of {row['limit_s']:g} s",
            row["status"],
            "even" if row["counts_even"] else "**not even**",
            f"{row['spread']:,}" if row["solved"] else f"**{row['spread']:,}**",
            str(row["optimum"]),
        )
        for row in found
    ]
