"""What every local search keeps to: the constraint, the plan it is given, its limits, its seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple

import numpy as np
import pytest
from support.groups import ODD, group_of, odd_cases
from support.local_search import POLICIES, never, start, starts, window_of
from support.reduced_groups import capacity_cases

from equilag.domain.budget import limit_steps
from equilag.domain.constraint import CountConstraint, constraint_of
from equilag.domain.group.group import Group, Index
from equilag.domain.group.loads import roughly
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.metrics import count_moves, is_valid, loads_of
from equilag.domain.policy.policy import Policy
from equilag.solver.exchange.paired_exchange import exchange_in_pairs
from equilag.solver.local_search.assignment_state import Window
from equilag.solver.local_search.equal_loads import equalise_loads
from equilag.solver.local_search.greedy_descent import descend
from equilag.solver.local_search.layers import deal_layers
from equilag.solver.local_search.levelling import descend_in_windows, level_loads
from equilag.solver.local_search.three_way_splits import bring_close
from equilag.solver.local_search.way_back import UnevennessLimit, return_to_owners
from equilag.solver.local_search.window_search import search_window


class Case(NamedTuple):
    """What a search starts from, and how it is told to stop."""

    group: Group
    constraint: CountConstraint
    assigned: Index
    stop: Callable[[], bool] = never
    enough: float = 0
    """The spread that is good enough, of searches that know one."""

    def spread(self, assigned: Index) -> Load:
        return loads_of(self.group, assigned).spread

    def goal(self, keep_moves: bool) -> Window:
        moves = count_moves(self.group, self.assigned) if keep_moves else None
        window = window_of(self.group, self.constraint)
        return window._replace(enough=self.enough, most_moves=moves)


Rng = np.random.Generator


def windows(case: Case, rng: Rng) -> Iterator[Index]:
    window = window_of(case.group, case.constraint)
    yield search_window(*case[:3], window, rng, limit_steps(600, case.stop))


def narrower(case: Case, rng: Rng) -> Iterator[Index]:
    window, mean = (
        window_of(case.group, case.constraint),
        float(loads_of(case.group, case.assigned).mean),
    )
    stop = limit_steps(60, case.stop)
    yield from descend_in_windows(*case[:3], rng, stop, window, [0.01 * mean])


def layers(case: Case, rng: Rng) -> Iterator[Index]:
    window = window_of(case.group, case.constraint)
    yield deal_layers(*case[:3], window, rng, limit_steps(60, case.stop))


def levelling(case: Case, rng: Rng, keep_moves: bool) -> Iterator[Index]:
    stop = limit_steps(60, case.stop)
    yield level_loads(*case[:3], rng, stop, case.goal(keep_moves), len(case.assigned) % 4)


def set_by_set(search: Callable[..., Index], case: Case, rng: Rng) -> Iterator[Index]:
    """A search among members that are alike, which changes no others."""
    found = case.assigned
    for members in case.constraint.alike_members():
        before, stop = found, limit_steps(100, case.stop)
        found = search(case.group, before, rng, stop, members=members)
        others = ~np.isin(before, members)
        assert np.array_equal(found[others], before[others])
        yield found


def way_back(case: Case, _: Rng) -> Iterator[Index]:
    loads = loads_of(case.group, case.assigned)
    limit = UnevennessLimit(roughly(loads.spread), float(loads.excess) * (1 + 1e-9))
    yield return_to_owners(*case[:3], limit, case.stop)


class Search(NamedTuple):
    """A search, and on which groups it is tried."""

    run: Callable[[Case, Rng], Iterator[Index]]
    """Its plans in order, each no less even than the one before."""
    groups: tuple[str, ...] = ("plain",)
    keeps_moves: bool = False
    """True if no plan moves more than the one given."""


EVERY: Final = ("plain", "by capacity", "several owners")
SEARCHES: Final = {
    "greedy descent": Search(lambda c, rng: descend(*c[:3], rng, limit_steps(60, c.stop)), EVERY),
    "descent in windows": Search(narrower, EVERY),
    "window": Search(windows),
    "layers": Search(layers, ("plain", "by capacity")),
    "levelling": Search(partial(levelling, keep_moves=False), EVERY),
    "levelling, moves kept": Search(partial(levelling, keep_moves=True), EVERY, True),
    "paired exchange": Search(partial(set_by_set, exchange_in_pairs), ("alike",)),
    "exact transfers": Search(partial(set_by_set, equalise_loads), ("alike",)),
    "three-way splits": Search(partial(set_by_set, bring_close), ("alike",)),
    "way back": Search(way_back, EVERY, True),
}
SATISFIED: Final = ("levelling", "levelling, moves kept")
"""Those that end at a spread that is good enough."""

by_search = pytest.mark.parametrize("name", SEARCHES)


def cases(groups: str, seed: int, n: int) -> Iterator[Case]:
    """Groups of some size, under every policy or with counts that may change by one; `alike`: of
    one or two subscriptions, some with partitions far heavier than the others."""
    if groups == "plain":
        yield from (Case(group, *start) for group, _, *start in starts(seed, n))
    elif groups == "alike":
        rng = np.random.default_rng(seed)
        for number in range(n):
            reading = [[0]] * int(rng.integers(4, 13)) + [[1]] * (5 * (number % 2))
            sizes = [int(rng.integers(2, 5) * 12), 17]
            lags = rng.integers(1, 10_000, sum(sizes))
            lags[rng.choice(len(lags), number % 3, replace=False)] += 10**6
            group = group_of(sizes, reading, lags=lags)
            yield Case(group, *start(group, Policy(), keep=False))
    else:
        for case in capacity_cases(seed, n, stakes=groups == "several owners"):
            yield Case(*case)


def check(case: Case, search: Search) -> int:
    """How many plans are the best so far: more even, or as even with fewer moves."""
    given, better = case.assigned.copy(), 0
    best = case.spread(given), count_moves(case.group, given)
    for found in search.run(case, np.random.default_rng(1)):
        assert is_valid(case.group, found)
        assert case.constraint.admits(found)
        now = case.spread(found), count_moves(case.group, found)
        assert now[0] <= best[0]
        assert now[1] <= best[1] or not search.keeps_moves
        better += now < best
        best = min(best, now)
    assert np.array_equal(case.assigned, given)
    return better


@pytest.mark.parametrize(
    ("name", "groups"),
    [(name, groups) for name, search in SEARCHES.items() for groups in search.groups],
)
def test_no_plan_becomes_worse_and_some_better(name: str, groups: str) -> None:
    n = 3 if groups == "plain" else 6
    assert sum(check(case, SEARCHES[name]) for case in cases(groups, 51, n)) > 2


@by_search
def test_a_search_that_is_stopped_or_satisfied_changes_nothing(name: str) -> None:
    run, groups = SEARCHES[name][:2]
    for case in cases(groups[0], 52, 1):
        told = [case._replace(stop=lambda: True)]
        if name in SATISFIED:
            told.append(case._replace(enough=roughly(case.spread(case.assigned))))
        for one in told:
            for found in run(one, np.random.default_rng(1)):
                assert np.array_equal(found, case.assigned)


@by_search
def test_the_same_seed_gives_the_same_plans(name: str) -> None:
    run, groups = SEARCHES[name][:2]
    for case in cases(groups[0], 53, 1):
        one, other = (list(run(case, np.random.default_rng(5))) for _ in range(2))
        assert [found.tolist() for found in one] == [found.tolist() for found in other]


def test_levelling_evens_out_a_plain_group() -> None:
    group = group_of([40], [[0]] * 4, lags=range(40))
    blocks = np.repeat(np.arange(4, dtype=np.int32), 10)
    case = Case(group, constraint_of(group, Policy(), blocks), blocks)
    (found,) = levelling(case, np.random.default_rng(1), keep_moves=False)
    assert case.spread(case.assigned) == 300
    assert case.spread(found) <= 4


@pytest.mark.parametrize("odd", odd_cases(POLICIES), ids=lambda case: case[0])
@by_search
def test_odd_groups(name: str, odd: tuple[str, int]) -> None:
    group = ODD[odd[0]]()
    check(Case(group, *start(group, odd[1], keep=True), limit_steps(20, never)), SEARCHES[name])


@pytest.mark.parametrize("most_moves", [None, 3])
def test_levelling_without_anything_free_changes_nothing(most_moves: int | None) -> None:
    group = group_of([4], [[0], [0]], owners=[0, 0, 1, 1], lags=[9, 9, 1, 1])
    constraint, assigned = start(group, Policy("sticky-yet-fair"), keep=True)
    assert not constraint.free.any()
    goal = Window(10, 10, 0, most_moves)
    found = level_loads(group, constraint, assigned, np.random.default_rng(1), never, goal)
    assert np.array_equal(found, assigned)
