"""What the tests of local searches start from, and how they compare plans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from support.constraints import balanced_assignment
from support.groups import LAG_KINDS, random_group

from equilag.certificate.bounds.counting import Counting
from equilag.domain.constraint import CountConstraint, constraint_of
from equilag.domain.group.group import Group, Index
from equilag.domain.group.loads import roughly
from equilag.domain.plan.metrics import alike, member_loads, spread
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import BALANCES
from equilag.solver.local_search.assignment_state import Window
from equilag.solver.lower_bounds.load_bounds import load_bounds
from equilag.solver.moves.fewest_moves import fewest_moves

POLICIES: Final = [
    Policy(name, balance) for balance in BALANCES for name in ("lag-aware", "sticky-yet-fair")
]


def never() -> bool:
    return False


def excess_of(group: Group, assigned: Index) -> float:
    """What lies above the mean load."""
    return alike(member_loads(assigned, group.lag, group.n_members), group.idle).excess


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


def window_of(group: Group, constraint: CountConstraint) -> Window:
    """The loads that the bounds leave open."""
    bounds = load_bounds(Counting(group, constraint), never)
    low, high = (bounds.lowest.value, bounds.highest.value) if bounds else (0, 0)
    return Window(roughly(low), roughly(max(low, high)))
