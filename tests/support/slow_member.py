"""A group with rates and speeds: one of three members is too slow for what it owns."""

from __future__ import annotations

from typing import Any

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.group.group import Group


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
