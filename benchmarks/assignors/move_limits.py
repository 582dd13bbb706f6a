"""Small groups with a limit on moves: how many optima are proved, and how far plans are from them.

72 cases: 4 x 24, 6 x 36 and 8 x 64 members and partitions of one topic, three distributions of
lags, owners at random or dealt evenly, and 2, 4, 6 or 8 moves beyond those that the counts force.
What is not proved is compared with the best plan of a longer run.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from benchmarks.assignors.case import Case
from benchmarks.assignors.lags import lags
from benchmarks.assignors.prove import proved_by
from equilag.domain.group.group import Ints
from equilag.domain.plan.plan import Plan
from equilag.planner.solve import solve

LIMIT: Final = 2.0
"""Seconds per case."""
SHORT: Final = 5.0
FULL: Final = 10.0
"""Seconds of the longer run."""
SIZES: Final = ((4, 24), (6, 36), (8, 64))
DISTRIBUTIONS: Final = ("lognormal", "uniform", "zipf")
OWNERS: Final = ("random", "even")
EXTRA: Final = (2, 4, 6, 8)
HEAD: Final = ("case", "moves", "status", "time", "spread", "above the best")


class FewMovesCase(NamedTuple):
    members: int
    partitions: int
    distribution: str
    owners: str
    extra: int

    def __str__(self) -> str:
        size = f"{self.members}x{self.partitions}"
        return f"{size}/{self.distribution}/{self.owners} owners/{self.extra}"

    def owned(self) -> Ints:
        """[partitions] the owner of each."""
        rng = np.random.default_rng([self.members, DISTRIBUTIONS.index(self.distribution)])
        even = rng.permutation(np.arange(self.partitions) % self.members)
        random = rng.integers(0, self.members, self.partitions)
        return random if self.owners == "random" else even

    def case(self) -> Case:
        names = tuple(f"m{number}" for number in range(self.members))
        lag = lags(self.distribution, self.partitions, self.members)
        return Case(
            f"few-moves/{self}", "few-moves", names, ("t",), (self.partitions,), ((0,),),
            np.zeros(self.members, np.int32), self.owned().astype(np.int32), lag,
        )  # fmt: skip

    @property
    def max_moves(self) -> int:
        """The fewest moves that the counts allow, and `extra` more."""
        least, rest = divmod(self.partitions, self.members)
        held = np.bincount(self.owned(), minlength=self.members)
        kept = int(np.minimum(held, least).sum()) + min(rest, int((held > least).sum()))
        return self.partitions - kept + self.extra


def cases() -> Iterator[FewMovesCase]:
    """All 72."""
    for members, partitions in SIZES:
        for distribution in DISTRIBUTIONS:
            for owners in OWNERS:
                for extra in EXTRA:
                    yield FewMovesCase(members, partitions, distribution, owners, extra)


def measure(longer: float, some: Sequence[FewMovesCase] | None = None) -> list[dict[str, Any]]:
    """Plan every case; return one row each. `longer` are the seconds of the longer run."""
    return [_planned(one, longer) for one in (some if some is not None else tuple(cases()))]


def _planned(one: FewMovesCase, longer: float) -> dict[str, Any]:
    case = one.case()
    group = case.group()
    start = time.monotonic()
    plan = solve(group, tolerance=0, max_moves=one.max_moves, time_limit=LIMIT)
    seconds = time.monotonic() - start
    proof, figures = proved_by(case, plan)
    proved = _proved(plan) and not proof.findings
    best = figures.spread
    if not proved:
        again = solve(group, tolerance=0, max_moves=one.max_moves, time_limit=longer)
        best = min(best, proved_by(case, again)[1].spread)
    mean = int(group.lag.sum()) / one.members
    return {
        "case": str(one),
        "max_moves": one.max_moves,
        "seconds": seconds,
        "status": plan.status,
        "proved": proved,
        "spread": figures.spread,
        "best": best,
        "above_percent": 100.0 * (figures.spread - best) / mean,
        "problems": [*figures.problems, *proof.findings],
    }


def _proved(plan: Plan) -> bool:
    """True if the plan is proved optimal without a solver's word."""
    return plan.status == "optimal" and plan.evidence == "checked"


def rows(found: Sequence[dict[str, Any]]) -> list[list[str]]:
    """The rows of a table under `HEAD`."""
    return [
        [
            row["case"],
            str(row["max_moves"]),
            "proved" if row["proved"] else row["status"],
            f"{row['seconds']:.2f} s",
            f"{row['spread']:,}",
            f"{row['above_percent']:.3f} %",
        ]
        for row in found
    ]
