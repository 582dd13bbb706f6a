"""What must not matter does not: names, the order of lists, the unit of lag, idle bystanders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st
from support.groups import Snapshot, snapshots

import equilag
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy_settings import BALANCES, POLICIES

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
