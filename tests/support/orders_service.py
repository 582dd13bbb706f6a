"""Small groups by hand, and what a test puts in place of their fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.group.group import Group, Member


def orders_snapshot(**fields: Any) -> dict[str, Any]:
    """The snapshot, with `fields` in place of its own."""
    both = ["orders", "payments"]
    return {
        "format": "equilag/snapshot/1",
        "group": "orders-service",
        "topics": {"orders": 5, "payments": 4},
        "members": [
            {"id": "a", "subscription": both, "owned": {"orders": [0, 1, 2]}},
            {"id": "b", "subscription": both, "owned": {"orders": [3, 4]}},
            {"id": "c", "subscription": both, "owned": {"payments": [0, 1, 2, 3]}},
        ],
        "lags": {"orders": [1000, 2, 3, 400, 5], "payments": [60, 7, 800, 9]},
        **fields,
    }


def orders_group(**fields: Any) -> Group:
    """The group in such a snapshot."""
    return load_snapshot(orders_snapshot(**fields))


def slow_snapshot(**fields: Any) -> dict[str, Any]:
    """The snapshot, with `fields` in place of its own. 180 records/s come, and 260 can be read."""
    members = [
        {"id": "a", "subscription": ["t"], "owned": {"t": [0, 1]}, "capacity": 100},
        {"id": "b", "subscription": ["t"], "owned": {"t": [2, 3]}, "capacity": 100},
        {"id": "slow", "subscription": ["t"], "owned": {"t": [4, 5]}, "capacity": 60},
    ]
    return {
        "format": "equilag/snapshot/1",
        "group": "clicks",
        "topics": {"t": 6},
        "members": members,
        "lags": {"t": [0, 0, 0, 0, 600, 300]},
        "rates": {"t": [30, 20, 20, 30, 50, 30]},
        **fields,
    }


def slow_group(**fields: Any) -> Group:
    """The group in such a snapshot."""
    return load_snapshot(slow_snapshot(**fields))


def even_assignment() -> dict[str, Any]:
    """A plan's JSON, as far as a simulation reads it: everybody keeps up."""
    assignment = {"a": {"t": [0, 4]}, "b": {"t": [2, 3, 5]}, "slow": {"t": [1]}}
    return {"format": "equilag/plan/1", "group": "clicks", "assignment": assignment}


def rated_group(
    rates: Sequence[float | None] | None,
    capacities: Sequence[float | None],
    lags: Sequence[int] | None = None,
    **fields: Any,
) -> Group:
    """One topic, whose partitions have these rates and lags, and a member for each capacity."""
    members = [Member(f"m{n}", capacity=capacity) for n, capacity in enumerate(capacities)]
    size = len(rates if rates is not None else lags or ())
    given: dict[str, Any] = {
        "topics": {"orders": size},
        "members": members,
        "subscriptions": {m.id: ["orders"] for m in members},
        "lags": {"orders": lags or [0] * size},
        "rates": None if rates is None else {"orders": rates},
    }
    return Group.build(name="orders-service", **{**given, **fields})
