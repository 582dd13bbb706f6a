"""Plans of one group agree with each other, and what must not matter does not."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any, Final, NamedTuple

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.groups import LAG_KINDS, Snapshot, groups, random_group, snapshots
from support.oracles import Assignments

import equilag
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.group.group import Group
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy_settings import BALANCES, POLICIES
from equilag.planner.facts.group import group_facts
from equilag.planner.facts.plan import choice_facts

EFFORT: Final = 0.03
"""Seconds' worth of work: enough for small groups, and too little for the others."""
NOTHING: Final = 0.001
"""Part of the mean load by which a plan may be beaten."""


class Found(NamedTuple):
    asked: str
    moves: int
    spread: int

    def is_no_worse_than(self, other: Found) -> bool:
        return self.moves <= other.moves and self.spread <= other.spread


def plan(group: Group, **wanted: Any) -> Plan:
    return equilag.solve(group, **{"effort": EFFORT, "time_limit": 60.0, **wanted})


def found(group: Group, **wanted: Any) -> Found:
    made = plan(group, **wanted)
    assert made.settings["run"] == "repeatable"
    return Found(str(wanted), len(made.moves), made.lag.spread)


def scattered(seed: int) -> Group:
    rng = np.random.default_rng(seed)
    members, size = int(rng.integers(3, 9)), int(rng.integers(8, 25))
    kind = LAG_KINDS[seed % len(LAG_KINDS)]
    return random_group(
        rng, topics=2, members=members, size=size, reads=(1.0, 0.7)[seed % 2], owned=1.0, kind=kind
    )


def check_limits(group: Group, tolerance: float) -> None:
    """A limit on moves that does not bind changes nothing."""
    free = found(group, tolerance=tolerance)
    for more in (0, 1, 7):
        limited = found(group, tolerance=tolerance, max_moves=free.moves + more)
        assert limited.is_no_worse_than(free)


def check_hints(group: Group, tolerance: float) -> None:
    """A point that is printed with a hint gives, under that hint, a plan at least as good."""
    made = plan(group, tolerance=tolerance)
    choices, _ = choice_facts(made, group_facts(made.current))
    for one in choices:
        wanted, point = {"tolerance": tolerance, **one.settings}, one.choice
        assert found(group, **wanted).is_no_worse_than(Found("", point.moves, point.spread))
    for point in equilag.frontier(group, effort=EFFORT, time_limit=60.0):
        limited = found(group, tolerance=0, max_moves=point.moves)
        assert limited.is_no_worse_than(Found("", point.moves, point.spread))


def check_nothing_is_beaten(group: Group) -> None:
    """Of all that is found, nothing is beaten on moves and spread at once."""
    free = plan(group, tolerance=0)
    fewest, most = free.moves_lower_bound, len(free.moves)
    wanted: list[dict[str, Any]] = [{"tolerance": t} for t in (0, 0.5, 1, 5, 50)]
    wanted += [{"max_moves": n} for n in {fewest, fewest + 2, (fewest + most) // 2, most}]
    wanted += [{"move_cost": int(free.lag.mean * part)} for part in (0.001, 0.02, 0.3)]
    points = equilag.frontier(group, effort=EFFORT, time_limit=60.0)
    every = [Found("frontier", point.moves, point.spread) for point in points]
    every += [found(group, **settings) for settings in wanted]
    slack = NOTHING * free.lag.mean
    for one, other in permutations(every, 2):
        assert not (other.moves <= one.moves and other.spread + slack < one.spread), (one, other)


@settings(max_examples=settings().max_examples * 2 // 5)  # of some 40 plans each
@given(groups(limit=300), st.sampled_from([0.0, 1.0, 30.0]))
@example(scattered(4), 20.0)
@example(scattered(5), 0.0)
@example(scattered(5), 1.0)
def test_plans_agree(group: Group, tolerance: float) -> None:
    """Odd shapes, and two groups that are larger."""
    check_limits(group, tolerance)
    check_hints(group, tolerance)
    check_nothing_is_beaten(group)


@given(groups(limit=300), st.sampled_from([0.0, 5.0, 40.0]))
def test_an_early_optimum_goes_on_for_fewer_moves(group: Group, tolerance: float) -> None:
    made = plan(group, tolerance=tolerance)
    assert made.status == "optimal"
    balanced = Assignments.all(group).balanced("total")
    limit = int(balanced.spread.min()) + int(made.lag.mean * tolerance / 100)
    within = balanced.where(balanced.spread <= limit)
    best = balanced.where(balanced.spread == balanced.spread.min()).excesses.min()
    least = best + int(made.lag.mean * tolerance / 100) * len(within.active) / 4
    assert len(made.moves) == within.where(within.excesses <= least + 1e-6).moves.min()


SMALL: Final = snapshots(limit=200)
POLICY: Final = st.sampled_from(POLICIES)
BALANCE: Final = st.sampled_from(BALANCES)


def figures(snapshot: Snapshot, policy: str, balance: str, unit: int = 1) -> tuple[Any, ...]:
    """What a plan reaches: counts, where they count, moves, spread in units of lag, and that it is
    proved."""
    group = load_snapshot(snapshot)
    plan: Plan = equilag.solve(group, policy, balance=balance, time_limit=30.0, tolerance=0)
    assert equilag.verify(group, plan) == []
    counts = sorted(plan.counts.by_member.values()) if balance in ("total", "both") else None
    moves = len(plan.moves) if policy in ("fair-yet-sticky", "sticky-yet-fair") else None
    assert plan.lag.spread % unit == 0
    return plan.status, counts, moves, plan.moves_lower_bound, plan.lag.spread // unit


def renamed(
    snapshot: Snapshot, member: Callable[[str], str], topic: Callable[[str], str]
) -> Snapshot:
    """The same group under other names."""
    return {
        **snapshot,
        "topics": {topic(name): size for name, size in snapshot["topics"].items()},
        "lags": {topic(name): lags for name, lags in snapshot.get("lags", {}).items()},
        "members": [
            {
                "id": member(row["id"]),
                "subscription": [topic(name) for name in row["subscription"]],
                "owned": {topic(name): numbers for name, numbers in row["owned"].items()},
            }
            for row in snapshot["members"]
        ],
    }


@given(SMALL, POLICY, BALANCE, st.integers(0, 10**6))
def test_names_do_not_matter(snapshot: Snapshot, policy: str, balance: str, salt: int) -> None:
    def other(name: str) -> str:
        return f"{(hash_of(name) * (2 * salt + 1)) % 9973:04}-{name}"

    before = figures(snapshot, policy, balance)
    assert figures(renamed(snapshot, other, str), policy, balance) == before
    assert figures(renamed(snapshot, str, other), policy, balance) == before


def hash_of(name: str) -> int:
    """Not Python's own, which differs from run to run."""
    return sum(ord(letter) * 131**place for place, letter in enumerate(name))


@given(SMALL, POLICY, BALANCE)
def test_the_order_of_lists_does_not_matter(snapshot: Snapshot, policy: str, balance: str) -> None:
    group = load_snapshot(snapshot)
    turned = {
        **snapshot,
        "topics": dict(reversed(snapshot["topics"].items())),
        "members": [
            {
                **row,
                "subscription": row["subscription"][::-1],
                "owned": {topic: numbers[::-1] for topic, numbers in row["owned"].items()},
            }
            for row in snapshot["members"][::-1]
        ],
    }
    first, second = (
        equilag.solve(g, policy, balance=balance, time_limit=30.0, tolerance=0)
        for g in (group, load_snapshot(turned))
    )
    assert first.assignment == second.assignment
    assert equilag.verify(group, second) == []
