"""Exchanges of two, three and any number of members: the best of their kind, never harm."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from support import local_search
from support.groups import group_of, random_group, small_groups
from support.local_search import never, spread_of, starts, window_of
from support.oracles import Assignments

import equilag.solver.local_search.window_search as window_search
from equilag.domain.budget import limit_steps
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Group, Index, Ints
from equilag.domain.plan.metrics import is_valid, member_counts, member_loads
from equilag.domain.policy.policy import Policy
from equilag.solver.exchange.cyclic_exchanges import (
    Window,
    exchange_of_three,
    exchange_of_two,
)
from equilag.solver.local_search.assignment_state import AssignmentState
from equilag.solver.local_search.window_search import find_chain, rotate, search_window

STEPS = 600
"""Enough for the groups here; some would go on without an end, see below."""


def steps(most: int = STEPS) -> Callable[[], bool]:
    return limit_steps(most, never)


def start(group: Group, policy: Policy) -> tuple[CountConstraint, Index, Window]:
    constraint, assigned = local_search.start(group, policy, keep=False)
    return constraint, assigned, window_of(group, constraint)


def window_for(state: AssignmentState, rng: np.random.Generator) -> Window:
    """Somewhere among the loads, so that there are members on either side."""
    low, high = np.sort(rng.choice(state.loads, 2)).tolist()
    return Window(low, high)


def one_of(state: AssignmentState, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(~state.group.idle)))


def check(state: AssignmentState) -> None:
    """Within the constraint, and all figures those of the assignment."""
    group, constraint = state.group, state.constraint
    assert is_valid(group, state.assigned)
    assert constraint.admits(state.assigned)
    assert np.array_equal(state.loads, member_loads(state.assigned, group.lag, group.n_members))
    assert np.array_equal(state.counts, member_counts(state.assigned, group.n_members))
    movable = state.movable
    for member, held in enumerate(state.held):
        assert sorted(held) == np.flatnonzero(movable & (state.assigned == member)).tolist()


def wrong(loads: Ints, window: Window) -> int:
    return int(window.outside(loads).sum())


# The plain way: all exchanges, one after the other.


def swapped(state: AssignmentState, hand_over: dict[int, int]) -> Index | None:
    """The assignment after partitions went to members, None where the constraint forbids it."""
    assigned = state.assigned.copy()
    for partition, member in hand_over.items():
        assigned[partition] = member
    group = state.group
    admitted = is_valid(group, assigned) and state.constraint.admits(assigned)
    return assigned if admitted else None


def best_gain(state: AssignmentState, window: Window, options: Iterator[dict[int, int]]) -> int:
    group, best = state.group, 0
    for hand_over in options:
        after = swapped(state, hand_over)
        if after is not None:
            loads = member_loads(after, group.lag, group.n_members)
            best = max(best, wrong(state.loads, window) - wrong(loads, window))
    return best


def movable(state: AssignmentState) -> list[int]:
    return np.flatnonzero(state.movable).tolist()


def taking(state: AssignmentState, member: int) -> Iterator[dict[int, int]]:
    """`member` takes one, for one of its own or for nothing."""
    for p in movable(state):
        other = int(state.assigned[p])
        if other != member:
            yield {p: member}
            for r in movable(state):
                if state.assigned[r] == member:
                    yield {p: member, r: other}


def giving(state: AssignmentState, member: int) -> Iterator[dict[int, int]]:
    for r in movable(state):
        if state.assigned[r] == member:
            yield from ({r: m} for m in range(state.group.n_members) if m != member)


def three_of(state: AssignmentState, member: int) -> Iterator[dict[int, int]]:
    """`member` takes one of another, which takes one of a third, which takes one of `member`."""
    owner = state.assigned
    for passed in passing(state, member):
        third = int(owner[next(iter(passed))])
        yield from ({r: third, **passed} for r in movable(state) if owner[r] == member)


def passing(state: AssignmentState, member: int) -> Iterator[dict[int, int]]:
    """`member` takes one of another, which takes one of a third, which takes nothing."""
    owner = state.assigned
    for s in movable(state):
        for p in movable(state):
            if len({member, int(owner[s]), int(owner[p])}) == 3:
                yield {s: int(owner[p]), p: member}


def plain_chain(
    state: AssignmentState, given: int, window: Window, first: int | None
) -> tuple[int, int] | None:
    """How many are passed on at least, and the lightest that can then come back."""
    group, lag = state.group, state.group.lag.tolist()
    giver = int(state.assigned[given])

    def may(partition: int, member: int) -> bool:
        return bool(state.constraint.may(partition, member))

    others = [m for m in range(group.n_members) if m != giver]
    if first is None:
        front = [m for m in others if may(given, m) and state.loads[m] + lag[given] <= window.high]
    else:
        front = [first]
    seen, length = set(front), 1
    while front:
        out = [
            p for p in movable(state)
            if state.assigned[p] in front and state.loads[state.assigned[p]] - lag[p] >= window.low
        ]  # fmt: skip
        back = [lag[p] for p in out if may(p, giver) and (first is not None or lag[p] < lag[given])]
        if back:
            return length, min(back)
        front = [m for m in others if m not in seen and any(may(p, m) for p in out)]
        seen |= set(front)
        length += 1
    return None


# One exchange at a time.


@pytest.mark.parametrize("method", [exchange_of_two, exchange_of_three])
def test_an_exchange_is_the_best_of_its_kind(method: Callable[..., bool]) -> None:
    rng, helped = np.random.default_rng(92), 0
    for group in small_groups(seed=92, n=32, limit=10**9, topics=5, members=5, size=4, owned=0.2):
        for policy in local_search.POLICIES[:2]:
            constraint, assigned, _ = start(group, policy)
            if group.idle.all():
                continue
            state = AssignmentState.of(group, constraint, assigned)
            member, window = one_of(state, rng), window_for(state, rng)
            if method is exchange_of_two:
                best = best_gain(state, window, taking(state, member))
                best = best or best_gain(state, window, giving(state, member))
            else:
                best = best_gain(state, window, three_of(state, member))
                best = best or best_gain(state, window, passing(state, member))
            was = wrong(state.loads, window)
            assert method(state, member, window, rng) is (best > 0)
            check(state)
            assert was - wrong(state.loads, window) == best
            helped += best > 0
    assert helped > 4


def test_chains_are_found_where_there_are_any_and_the_shortest() -> None:
    rng, found, long = np.random.default_rng(93), 0, 0
    for number in range(9):
        n = 4 + number % 6
        # A ring, where most ways are long, and a member that reads any two topics.
        across = sorted(rng.choice(n, 2, replace=False).tolist())
        reading = [[i, (i + 1) % n] for i in range(n)] + [across]
        lags = rng.integers(1, 100, 2 * n + 2)
        group = group_of([2] * (n - 1) + [4], reading, lags=lags)
        constraint, assigned, _ = start(group, Policy())
        state = AssignmentState.of(group, constraint, assigned)
        for given in rng.permutation(movable(state))[:6].tolist():
            window = window_for(state, rng)._replace(low=int(state.loads.min()) // 2)
            giver = int(assigned[given])
            readers = [m for m in np.flatnonzero(constraint.takers(given)).tolist() if m != giver]
            for first in [None, *readers[:2]]:
                chain = find_chain(state, given, window, first)
                expected = plain_chain(state, given, window, first)
                assert (chain is None) == (expected is None)
                if chain is None or expected is None:
                    continue
                assert (len(chain), int(group.lag[chain[-1]])) == expected
                assert np.array_equal(state.assigned, assigned)
                tried = AssignmentState.of(group, constraint, assigned)
                rotate(tried, given, chain)
                check(tried)
                changed = np.flatnonzero(tried.assigned != assigned)
                assert sorted(changed.tolist()) == sorted([given, *chain])
                assert tried.assigned[chain[-1]] == giver
                assert first in (None, int(tried.assigned[given]))
                below = np.flatnonzero(tried.loads < np.minimum(state.loads, window.low))
                assert set(below.tolist()) <= {giver}
                found, long = found + 1, long + (len(chain) > 2)
    assert found > 50
    assert long > 7


# Groups that only one kind of step helps.


def test_where_the_heaviest_partition_must_change_its_holder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading = [[0, 1], [0, 2], [2, 3], [1, 3]]
    group = group_of([1, 2, 2, 2], reading, lags=[100, 10, 25, 55, 10, 60, 55])
    constraint, assigned, _ = start(group, Policy())
    window = Window(71, 100)
    assert assigned[0] == 1
    truth = Assignments.all(group).balanced("total")
    best = int(truth.spread.min())
    assert best < truth.spread[truth.rows[:, 0] == 1].min()
    found = search_window(group, constraint, assigned, window, np.random.default_rng(0), steps())
    assert spread_of(group, found) == best
    assert found[0] == 0
    # Nothing else gets there.
    monkeypatch.setattr(window_search, "MAX_HOLDERS", 0)
    found = search_window(group, constraint, assigned, window, np.random.default_rng(0), steps())
    assert spread_of(group, found) > best


# All together.


def test_small_groups_reach_the_best_of_all_assignments() -> None:
    number = reached = 0
    for group in small_groups(seed=96, n=40, limit=1500, topics=4, reads=0.5, owned=0.3):
        for policy in local_search.POLICIES[:2]:
            constraint, assigned, window = start(group, policy)
            given = assigned.copy()
            found = search_window(
                group, constraint, assigned, window, np.random.default_rng(0), steps()
            )
            truth = Assignments.all(group, policy.name == "sticky-yet-fair").balanced("total")
            assert np.array_equal(assigned, given)
            assert found in truth
            best = int(truth.spread.min())
            assert best <= spread_of(group, found) <= spread_of(group, assigned)
            if spread_of(group, assigned) > best:
                number, reached = number + 1, reached + (spread_of(group, found) == best)
    assert number > 12
    assert reached > 0.95 * number


@pytest.mark.parametrize("balance", ["per-topic", "both"])
def test_nothing_where_topics_count_one_by_one(balance: str) -> None:
    rng = np.random.default_rng(98)
    for _ in range(10):
        group = random_group(rng, topics=6, members=8, size=8)
        policy = Policy(balance=balance)
        constraint, assigned, window = start(group, policy)
        found = search_window(group, constraint, assigned, window, rng, steps())
        assert np.array_equal(found, assigned)


def test_nothing_changes_where_all_loads_are_inside_the_window() -> None:
    for group, _, constraint, assigned in starts(seed=99, n=2):
        loads = member_loads(assigned, group.lag, group.n_members)
        inside = Window(int(loads.min()), int(loads.max()))
        rng = np.random.default_rng(0)
        found = search_window(group, constraint, assigned, inside, rng, steps())
        assert np.array_equal(found, assigned)


def test_a_descent_ends_by_itself() -> None:
    group = group_of(
        [1, 1, 5], [[1], [1, 2], [0, 2], [1, 2]], lags=[50013, 12, 206, 13, 131, 21, 50013]
    )
    constraint, assigned, window = start(group, Policy())
    stop = steps(3000)
    search_window(group, constraint, assigned, window, np.random.default_rng(0), stop)
    assert not stop()
