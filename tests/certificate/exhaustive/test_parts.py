"""The parts of the search against brute force: patterns, load windows, look-ahead.

A part may only leave out what belongs to no solution.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from support.groups import problem_of
from support.small_problems import random_problem, random_target, solutions

from equilag.certificate.exhaustive.candidates import MemberPatterns, required_items
from equilag.certificate.exhaustive.item_masks import ItemMasks
from equilag.certificate.exhaustive.load_windows import MemberSets, load_windows
from equilag.certificate.exhaustive.lookahead import completable, last_two_fit, open_load, taken_by
from equilag.certificate.exhaustive.node import FreeItems, SearchNode, SearchTask
from equilag.certificate.exhaustive.patterns import Patterns, kept_of
from equilag.certificate.exhaustive.small_problem import (
    UNLIMITED,
    OwnershipTarget,
    SearchTarget,
    SmallProblem,
)
from equilag.domain.budget import Budget
from equilag.domain.group.group import Ints

PLENTY = 10**9


class Case(NamedTuple):
    problem: SmallProblem
    target: SearchTarget
    task: SearchTask
    node: SearchNode
    solutions: list[list[int]]
    """[solutions][J] mask of each member, of those that agree with what was given before."""


def owned(items: ItemMasks, member: int) -> int:
    """The mask of the items that a member owns, where no item has several owners."""
    return sum(items.own[member][:1])


def task_of(problem: SmallProblem, target: SearchTarget) -> SearchTask:
    items = ItemMasks.of(problem)
    owned = OwnershipTarget.of(target, items.owned, items.total)
    return SearchTask(items, owned, items.member_classes(owned.counts_kept), Budget(PLENTY))


def root(task: SearchTask) -> SearchNode:
    members = tuple(range(len(task.items.base)))
    everything = (1 << len(task.items.bits)) - 1
    return SearchNode(everything, members, UNLIMITED, -UNLIMITED, 0)


def masks_of(items: ItemMasks, found: Ints) -> list[int]:
    by_bit = found[items.order]
    return [int((1 << items.bits)[by_bit == member].sum()) for member in range(len(items.base))]


def load(items: ItemMasks, member: int, mask: int) -> int:
    return items.load(mask) + int(items.base[member])


def given(task: SearchTask, node: SearchNode, member: int, mask: int) -> SearchNode:
    """The node after one member has got its items."""
    carried = load(task.items, member, mask)
    return SearchNode(
        node.free & ~mask,
        tuple(m for m in node.members if m != member),
        min(node.low, carried),
        max(node.high, carried),
        node.kept + (mask & owned(task.items, member)).bit_count(),
    )


def cases(seed: int, n: int, members: int = 3, items: int = 6) -> Iterator[Case]:
    """Roots, and nodes at which the first member has the items of some solution."""
    rng = np.random.default_rng(seed)
    for number in range(n):
        problem = random_problem(rng, members, items, topics=number % 3 == 0)
        target = random_target(rng)
        task = task_of(problem, target)
        found = [masks_of(task.items, row) for row in solutions(problem, target)]
        yield Case(problem, target, task, root(task), found)
        if found:
            first = found[int(rng.integers(len(found)))][0]
            agreeing = [masks for masks in found if masks[0] == first]
            node = given(task, root(task), 0, first)
            yield Case(problem, target, task, node, agreeing)


def test_what_a_member_owns_of_units_is_in_layers() -> None:
    stakes = np.array([[2, 1], [0, 3], [1, 0]])
    items = ItemMasks.of(problem_of([5, 9, 7], 2, 0, 3, stakes=stakes))
    # By lag: the second item, the third, the first.
    assert items.own == [(0b110, 0b100), (0b101, 0b001, 0b001)]
    assert items.owned == 7
    masks = np.array([0b111, 0b100, 0b001, 0])
    assert kept_of(masks, items.own[0]).tolist() == [3, 2, 0, 0]
    assert kept_of(masks, items.own[1]).tolist() == [4, 1, 3, 0]


def test_masks_say_the_same_as_the_columns() -> None:
    for case in cases(seed=61, n=30):
        problem, items = case.problem, case.task.items
        assert items.lag.tolist() == sorted(problem.lag.tolist(), reverse=True)
        assert items.lag.tolist() == problem.lag[items.order].tolist()
        assert items.total == problem.lag.sum() + problem.base.sum()
        for member in range(len(problem.base)):
            eligible, own = items.chosen(items.eligible[member]), items.chosen(owned(items, member))
            assert eligible.tolist() == problem.allowed[items.order, member].tolist()
            assert own.tolist() == (problem.owner[items.order] == member).tolist()
            may = (items.takers >> member) & 1 == 1
            assert may.tolist() == eligible.tolist()


def test_members_are_alike_unless_something_tells_them_apart() -> None:
    plain = problem_of([3, 2, 1], 4, 0, 3, owner=np.array([0, 0, 2]))
    items = ItemMasks.of(plain)
    assert items.member_classes(with_owners=False) == [0, 0, 0, 0]
    assert items.member_classes(with_owners=True) == [0, 1, 2, 1]
    loaded = problem_of([3, 2, 1], 3, 0, 3, base=np.array([5, 0, 5]))
    assert ItemMasks.of(loaded).member_classes(with_owners=False) == [0, 1, 0]
    counted = problem_of([3, 2, 1], 3, 0, 3, hi=np.array([3, 2, 3]))
    assert ItemMasks.of(counted).member_classes(with_owners=False) == [0, 1, 0]


def test_patterns_are_all_sets_that_meet_the_limits() -> None:
    rng = np.random.default_rng(62)
    several = 0
    for case in cases(seed=62, n=60):
        task, node, items = case.task, case.node, case.task.items
        source = MemberPatterns.of(case.problem, items, Budget(PLENTY))
        required = required_items(task, node, FreeItems.of(items, node))
        for member, must in required.items():
            low = int(rng.integers(0, 60))
            window = (low, low + int(rng.integers(0, 80)))
            join = source.join(task, node, member, window, must)
            found = join.patterns()
            expected = [
                mask
                for mask in range(1 << len(items.bits))
                if _is_pattern(case, member, mask, must)
                and window[0] <= load(items, member, mask) <= window[1]
            ]
            assert sorted(found.mask.tolist()) == expected
            assert join.total == len(expected)
            loads = [load(items, member, mask) for mask in found.mask.tolist()]
            assert found.load.tolist() == loads
            several += len(expected) > 1
    assert several > 20


def _is_pattern(case: Case, member: int, mask: int, must: int) -> bool:
    task, node, limits = case.task, case.node, case.task.items.limits[member]
    if mask & ~(node.free & task.items.eligible[member]) or mask & must != must:
        return False
    if not limits.lo <= mask.bit_count() <= limits.hi:
        return False
    if limits.topic_hi is not None and case.problem.topic is not None:
        topic = case.problem.topic[task.items.order][task.items.chosen(mask)]
        counts = np.bincount(topic, minlength=len(limits.topic_hi))
        if (counts > np.array(limits.topic_hi)).any():
            return False
    if not task.target.counts_kept:
        return True
    others = sum(task.may_keep(node, m) for m in node.members if m != member)
    kept = node.kept + (mask & owned(task.items, member)).bit_count() + others
    return kept >= task.target.min_kept


def test_windows_hold_the_loads_of_every_solution() -> None:
    narrower = without = 0
    for case in cases(seed=63, n=80):
        task, node = case.task, case.node
        spread = task.target.spread_with(task.most_kept(node))
        if spread < 0:
            assert not case.solutions
            continue
        free = FreeItems.of(task.items, node)
        sets = MemberSets.of(task.items, node.members)
        windows = load_windows(task, node, free, sets, spread)
        if windows is None:
            assert not case.solutions
            without += 1
            continue
        for masks in case.solutions:
            for member, (low, high) in windows.items():
                assert low <= load(task.items, member, masks[member]) <= high
        narrower += any(
            (low, high) != (task.target.floor, task.target.cap) for low, high in windows.values()
        )
    assert narrower > 20
    assert without > 5


def test_a_spread_of_nothing_leaves_one_load() -> None:
    task = task_of(problem_of([10, 4, 3, 3], 2, 0, 4), SearchTarget(0))
    node = root(task)
    sets = MemberSets.of(task.items, node.members)
    windows = load_windows(task, node, FreeItems.of(task.items, node), sets, 0)
    assert windows == {0: (10, 10), 1: (10, 10)}


@pytest.mark.parametrize("members", [2, 3])
def test_required_items_leave_a_solution_if_there_is_one(members: int) -> None:
    """Members of one class are exchangeable, so that one of them may be given an item."""
    required_some = 0
    for case in cases(seed=64 + members, n=60, members=members):
        if not case.solutions:
            continue
        required = required_items(case.task, case.node, FreeItems.of(case.task.items, case.node))
        for member, must in required.items():
            assert any(masks[member] & must == must for masks in case.solutions)
            required_some += must > 0
    assert required_some > 5


@pytest.mark.parametrize("members", [2, 3, 4])
def test_what_is_dropped_cannot_be_completed(members: int) -> None:
    dropped = 0
    for case in cases(seed=67 + members, n=40, members=members, items=5):
        task, node = case.task, case.node
        member, *others = node.members
        rest = tuple(others)
        if not rest:
            continue
        every = np.arange(1 << len(task.items.bits))
        every = every[every & ~(node.free & task.items.eligible[member]) == 0]
        loads = np.array([load(task.items, member, mask) for mask in every.tolist()])
        taken = taken_by(task, node, member, Patterns(every, loads))
        total = open_load(task, node)
        fits = completable(task, node, taken, rest, total)
        if len(rest) == 2:
            listed = _all_patterns(case, rest)
            fits &= last_two_fit(task, node, taken, rest, listed, total)
        good = {masks[member] for masks in case.solutions}
        assert good <= set(every[fits].tolist())
        dropped += int((~fits).sum())
    assert dropped > 100


def test_nothing_is_dropped_at_a_spread_of_nothing_that_is_reached() -> None:
    task = task_of(problem_of([2, 2, 2], 3, 1, 1), SearchTarget(0))
    node = root(task)
    taken = taken_by(task, node, 0, Patterns(np.array([1, 2, 4]), np.array([2, 2, 2])))
    assert completable(task, node, taken, (1, 2), open_load(task, node)).all()


def _all_patterns(case: Case, members: tuple[int, ...]) -> dict[int, Patterns]:
    """What each member may take, whatever the loads."""
    everything = (0, case.task.items.total)
    source = MemberPatterns.of(case.problem, case.task.items, Budget(PLENTY))
    return {
        member: source.join(case.task, case.node, member, everything, 0).patterns()
        for member in members
    }


def test_a_target_counts_moves_as_items_that_stay() -> None:
    target = OwnershipTarget.of(SearchTarget(10, max_moves=2, move_cost=3), owned=5, total=100)
    assert target.min_kept == 3
    assert target.counts_kept
    assert [target.spread_with(kept) for kept in (5, 4, 3)] == [10, 7, 4]
    dear = OwnershipTarget.of(SearchTarget(2 * 10**20 + 7, move_cost=10**20), owned=5, total=100)
    assert [dear.spread_with(kept) for kept in (5, 4, 3, 2)] == [100, 100, 7, -1]
    free = OwnershipTarget.of(SearchTarget(10**30), owned=5, total=100)
    assert (free.spread, free.min_kept, free.counts_kept) == (100, 0, False)
