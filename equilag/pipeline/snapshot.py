"""A group's row of `problems/` as what the builder takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from equilag.building.group_input import GroupInput, PartitionOffsets
from equilag.building.member_fields import MEMBER_DEFAULTS
from equilag.group import Member

Row = Mapping[str, Any]


def group_input(problem: Row, weight: str = "lag", reset: str = "latest") -> GroupInput:
    """Return what a row says of its group.

    With `weight` "lag" it has the offsets as they were sampled, else the weights as given lags.
    A partition that was never sampled counts as empty.
    """
    entries, members = problem["topics"], problem["members"]
    given: GroupInput = {
        "name": problem["group"],
        "taken_at": time_text(problem["last_ms"]),
        "topics": {entry["topic"]: entry["partitions"][-1] + 1 for entry in entries},
        "members": [_member(member) for member in members],
        "subscriptions": {
            member["member"]: sorted({t for t in member["subscription"] or () if t is not None})
            for member in members
        },
        "owned": {member["member"]: _owned(member) for member in members},
    }
    if weight == "lag":
        given["auto_offset_reset"] = reset
        given["offsets"] = PartitionOffsets(
            {entry["topic"]: _dense(entry, "log_start", 0) for entry in entries},
            {entry["topic"]: _dense(entry, "log_end", 0) for entry in entries},
            {entry["topic"]: _dense(entry, "committed", None) for entry in entries},
        )
    else:
        given["lags"] = {entry["topic"]: _dense(entry, "weights", 0) for entry in entries}
    racks = {entry["topic"]: _racks(entry) for entry in entries if any(entry.get("racks") or ())}
    if racks:
        given["racks"] = racks
    return given


def time_text(ms: int) -> str:
    """Milliseconds since 1970 as RFC 3339, in UTC."""
    when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
    return when.isoformat().replace("+00:00", "Z")


def _racks(entry: Row) -> list[list[str]]:
    """The racks of each partition from 0 on, none where nothing is known."""
    return [
        [name for name in names or () if name is not None] for names in _dense(entry, "racks", None)
    ]


def _dense(entry: Row, column: str, empty: int | None) -> list[Any]:
    """One value per partition from 0 on."""
    numbers: Sequence[int] = entry["partitions"]
    values: list[Any] = entry[column]
    if numbers[-1] + 1 == len(numbers):
        return values
    dense: list[Any] = [empty] * (numbers[-1] + 1)
    for number, value in zip(numbers, values, strict=True):
        dense[number] = value
    return dense


def _member(member: Row) -> Member:
    known = {name: member[name] for name in MEMBER_DEFAULTS if member.get(name) is not None}
    return Member(member["member"], **known)


def _owned(member: Row) -> dict[str, list[int]]:
    return {
        held["key"]: sorted({p for p in held["value"] or () if p is not None and p >= 0})
        for held in member["owned"] or ()
    }
