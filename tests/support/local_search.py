"""What the tests of local searches start from, and what they check of every search over a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from support.constraints import balanced_assignment
from support.groups import LAG_KINDS, ODD, random_group

from equilag.domain.constraint import CountConstraint, constraint_of
from equilag.domain.group.group import Group, Index
from equilag.domain.group.loads import excess
from equilag.domain.plan.metrics import (
    count_moves,
    is_valid,
    load_figures,
    member_loads,
    spread,
)
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import BALANCES
from equilag.solver.local_search.load_targets import ImprovementGoal
from equilag.solver.moves.fewest_moves import fewest_moves

POLICIES: Final = [
    Policy(name, balance) for balance in BALANCES for name in ("lag-aware", "sticky-yet-fair")
]

Search = Callable[..., Index]
"""Takes group, constraint, assignment, rng, stop, goal and rounds; returns an assignment."""


def never() -> bool:
    return False


def excess_of(group: Group, assigned: Index) -> float:
    """What lies above the mean load."""
    return excess(load_figures(group, assigned).by_member[~group.idle])


def spread_of(group: Group, assigned: Index) -> int:
    return spread(member_loads(assigned, group.lag, group.n_members), group.idle)


def starts(seed: int, n: int) -> Iterator[tuple[Group, Policy, CountConstraint, Index]]:
    """Groups of some size under every policy, each with an assignment to begin with."""
    rng = np.random.default_rng(seed)
    for number in range(n):
        group = random_group(
            rng, topics=6, members=10, size=9, reads=(0.3, 0.6, 1.0)[number % 3],
            kind=LAG_KINDS[number % len(LAG_KINDS)],
        )  # fmt: skip
        for policy in POLICIES:
            yield group, policy, *start(group, policy, keep=bool(number % 2))


def start(group: Group, policy: Policy, keep: bool) -> tuple[CountConstraint, Index]:
    """The constraint and an assignment that meets it; with `keep` one with the fewest moves."""
    assigned = balanced_assignment(group, policy)
    constraint = constraint_of(group, policy, assigned)
    return constraint, fewest_moves(group, constraint).assigned if keep else assigned


def check_never_worse(search: Search, n: int, rounds: int, keep_moves: bool) -> None:
    """On `n` groups: it keeps the constraint, makes some plans better and none worse."""
    better = 0
    for group, _, constraint, assigned in starts(seed=51, n=n):
        given = assigned.copy()
        found = search(
            group, constraint, assigned, np.random.default_rng(1), never,
            ImprovementGoal(keep_moves=keep_moves), rounds,
        )  # fmt: skip
        assert np.array_equal(assigned, given)
        assert is_valid(group, found)
        assert constraint.admits(found)
        assert spread_of(group, found) <= spread_of(group, given)
        better += spread_of(group, found) < spread_of(group, given)
        if keep_moves:
            assert count_moves(group, found) <= count_moves(group, given)
    assert better > 5


def check_stops(search: Search) -> None:
    """The search changes nothing when it is stopped, or when the spread is good enough."""
    for group, _, constraint, assigned in starts(seed=52, n=4):
        rng = np.random.default_rng(1)
        assert np.array_equal(
            search(group, constraint, assigned, rng, lambda: True, ImprovementGoal()), assigned
        )
        enough = spread_of(group, assigned)
        found = search(group, constraint, assigned, rng, never, ImprovementGoal(enough))
        assert np.array_equal(found, assigned)


def check_odd_group(search: Search, name: str, policy: Policy) -> None:
    group = ODD[name]()
    constraint, assigned = start(group, policy, keep=True)
    found = search(
        group, constraint, assigned, np.random.default_rng(1), never, ImprovementGoal(), 3
    )
    assert constraint.admits(found)
    assert spread_of(group, found) <= spread_of(group, assigned)
