"""Small problems at random, and all their assignments by brute force."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from equilag.certificate.exhaustive.small_problem import SearchTarget, SmallProblem
from equilag.domain.constraint import InstanceSums
from equilag.domain.group.group import NOBODY, Ints
from equilag.domain.group.member_capacities import MemberCapacities


def random_problem(
    rng: np.random.Generator, members: int = 3, items: int = 6, topics: bool = False
) -> SmallProblem:
    """Some members may not take some items; limits on counts are random too."""
    allowed = rng.random((items, members)) < 0.8
    allowed[np.arange(items), rng.integers(0, members, items)] = True
    lo = rng.integers(0, 2, members)
    topic = rng.integers(0, 2, items) if topics else None
    topic_lo = np.zeros((2, members), np.int64) if topics else None
    topic_hi = rng.integers(1, items, (2, members)) if topics else None
    return SmallProblem(
        lag=rng.integers(0, 40, items),
        allowed=allowed,
        base=rng.integers(0, 20, members),
        lo=lo,
        hi=lo + rng.integers(1, items, members),
        saved=saved_by(rng.integers(NOBODY, members, items), members),
        topic=topic,
        topic_lo=topic_lo,
        topic_hi=topic_hi,
    )


def saved_by(owner: Ints, members: int) -> Ints:
    """[I, J] where items have one owner each, or NOBODY."""
    return (owner[:, None] == np.arange(members)).astype(np.int64)


def moves_of(problem: SmallProblem, found: Ints) -> int:
    """Moves of an assignment [I]."""
    kept = problem.saved[np.arange(len(found)), found]
    return problem.moves_anyway + int(problem.saved.sum()) - int(kept.sum())


def random_target(rng: np.random.Generator) -> SearchTarget:
    return SearchTarget(
        int(rng.integers(0, 80)),
        floor=int(rng.integers(0, 20)),
        cap=int(rng.integers(40, 150)),
        max_moves=None if rng.random() < 0.5 else int(rng.integers(0, 6)),
        move_cost=0 if rng.random() < 0.5 else int(rng.integers(1, 9)),
    )


def loads_of(problem: SmallProblem, found: Ints) -> npt.NDArray[Any]:
    """[J] loads of an assignment [I], as they are compared: fractions where capacities differ."""
    loads = problem.base.copy()
    np.add.at(loads, found, problem.lag)
    if problem.capacities is None:
        return loads
    whole = problem.capacities.whole
    rates = [Fraction(whole[-1], whole[kind]) for kind in problem.capacities.kind_of]
    return loads.astype(object) * np.array(rates, dtype=object)


def is_met(target: SearchTarget, high: Any, low: Any, moves: int) -> bool:
    """True if an assignment with these extremes and moves meets the target, but for its limit."""
    spread = high - low + target.move_cost * moves
    if target.strict:
        return bool(spread < target.spread and target.floor < low and high < target.cap)
    return bool(spread <= target.spread and target.floor <= low and high <= target.cap)


def meets_limits(problem: SmallProblem, found: Ints) -> bool:
    """True if an assignment [I] keeps subscriptions and counts."""
    members = len(problem.base)
    counts = np.bincount(found, minlength=members)
    fits = bool(problem.allowed[np.arange(len(found)), found].all())
    fits &= bool((counts >= problem.lo).all() and (counts <= problem.hi).all())
    if problem.topic is not None and problem.topic_hi is not None:
        cells = np.zeros_like(problem.topic_hi)
        np.add.at(cells, (problem.topic, found), 1)
        fits &= bool((cells <= problem.topic_hi).all())
    if problem.sums is not None:
        fits &= problem.sums.admit(counts)
    if problem.reads is not None:
        across = problem.reads.cost[np.arange(len(found)), found].sum()
        fits &= int(across) <= problem.reads.most
    return fits


def extended_problem(rng: np.random.Generator, number: int) -> SmallProblem:
    """Of 2 to 4 members with capacities from 1 to 4, or of many digits, which no common multiple
    makes whole; now and then with forced moves, limits by topic, instances, or units of several
    partitions."""
    members = 2 + number % 3
    problem = random_problem(rng, members, items=7 - members, topics=number % 5 == 0)
    forced = int(rng.integers(0, 3)) if number % 3 == 0 else 0
    sums = None
    if number % 4 == 1:
        of = np.concatenate(([0, 1], rng.integers(0, 2, members - 2)))
        least = rng.integers(0, 4, 2)
        sums = InstanceSums(of, least, least + rng.integers(0, 3, 2))
    stakes = rng.integers(0, 3, problem.allowed.shape) if number % 7 > 3 else problem.saved
    chosen = [Fraction(one) for one in rng.integers(1, 5, members).tolist()]
    if number % 2:
        chosen = [one + Fraction(1, 10**11 + n) for n, one in enumerate(chosen)]
    return replace(
        problem,
        capacities=MemberCapacities.of(chosen),
        moves_anyway=forced,
        sums=sums,
        saved=stakes,
    )


def solutions(problem: SmallProblem, target: SearchTarget) -> Iterator[Ints]:
    """All assignments [I] that meet the target."""
    members = range(len(problem.base))
    for row in product(members, repeat=len(problem.lag)):
        found = np.array(row, np.int64)
        loads = loads_of(problem, found)
        moves = moves_of(problem, found)
        if not is_met(target, loads.max(), loads.min(), moves):
            continue
        if target.max_moves is not None and moves > target.max_moves:
            continue
        if meets_limits(problem, found):
            yield found
