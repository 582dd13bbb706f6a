"""A small group: three members, two topics, and what a test puts in place of that."""

from __future__ import annotations

from typing import Any

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.group.group import Group


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
