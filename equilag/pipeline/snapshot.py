"""A group's row of `problems/` as the snapshot that the planner reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from equilag.adapters.snapshot.load import FORMAT

Row = Mapping[str, Any]


def snapshot_of(problem: Row, weight: str = "lag", reset: str = "latest") -> dict[str, Any]:
    """The snapshot `equilag/snapshot/1` of a group.

    With `weight` "lag" it holds the offsets as they were sampled, else the weights as given lags.
    A partition that was never sampled counts as empty.
    """
    topics = {entry["topic"]: entry["partitions"][-1] + 1 for entry in problem["topics"]}
    snapshot: dict[str, Any] = {
        "format": FORMAT,
        "group": problem["group"],
        "taken_at": time_text(problem["last_ms"]),
        "topics": topics,
        "members": [_member(member) for member in problem["members"]],
    }
    if weight == "lag":
        snapshot["auto_offset_reset"] = reset
        snapshot["offsets"] = {
            entry["topic"]: {
                "log_start": _dense(entry, "log_start", 0),
                "log_end": _dense(entry, "log_end", 0),
                "committed": _dense(entry, "committed", None),
            }
            for entry in problem["topics"]
        }
    else:
        snapshot["lags"] = {
            entry["topic"]: _dense(entry, "weights", 0) for entry in problem["topics"]
        }
    return snapshot


def time_text(ms: int) -> str:
    """Milliseconds since 1970 as RFC 3339, in UTC."""
    when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
    return when.isoformat().replace("+00:00", "Z")


def _dense(entry: Row, column: str, empty: int | None) -> list[int | None]:
    """One value per partition from 0 on."""
    numbers: Sequence[int] = entry["partitions"]
    values: list[int | None] = entry[column]
    if numbers[-1] + 1 == len(numbers):
        return values
    dense: list[int | None] = [empty] * (numbers[-1] + 1)
    for number, value in zip(numbers, values, strict=True):
        dense[number] = value
    return dense


def _member(member: Row) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": member["member"],
        "subscription": sorted({t for t in member["subscription"] or () if t is not None}),
        "owned": {
            held["key"]: sorted({p for p in held["value"] or () if p is not None and p >= 0})
            for held in member["owned"] or ()
        },
    }
    for name in ("rack", "capacity", "instance_id", "generation"):
        if member[name] is not None:
            fields[name] = member[name]
    return fields
