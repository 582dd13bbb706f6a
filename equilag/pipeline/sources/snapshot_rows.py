"""A group's row of `problems/` as what the builder takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from equilag.adapters.measuring.speeds import joined_speeds
from equilag.domain.building.group_input import GroupInput, PartitionOffsets
from equilag.domain.building.member_fields import MEMBER_DEFAULTS
from equilag.domain.group.group import Member
from equilag.pipeline.sources.signals import AS_SAMPLED

Row = Mapping[str, Any]


def group_input(
    problem: Row, weight: str = "lag", reset: str = "latest", measured: bool = True
) -> GroupInput:
    """Return what a row says of its group.

    With a weight of `AS_SAMPLED` it has the offsets as they were sampled, and for work the rates;
    else it has the weights as given lags. A partition that was never sampled counts as empty,
    and its rate is unknown.
    Measured capacities are taken if `measured`, and if no member has one of the user's.
    """
    entries, members = problem["topics"], problem["members"]
    given: GroupInput = {
        "name": problem["group"],
        "taken_at": time_text(problem["last_ms"]),
        "topics": {entry["topic"]: entry["partitions"][-1] + 1 for entry in entries},
        "members": _members(members, weight == "work" and measured),
        "subscriptions": {
            member["member"]: sorted({t for t in member["subscription"] or () if t is not None})
            for member in members
        },
        "owned": {member["member"]: _owned(member) for member in members},
    }
    if weight in AS_SAMPLED:
        given["auto_offset_reset"] = reset
        given["offsets"] = PartitionOffsets(
            {entry["topic"]: _dense(entry, "log_start", 0) for entry in entries},
            {entry["topic"]: _dense(entry, "log_end", 0) for entry in entries},
            {entry["topic"]: _dense(entry, "committed", None) for entry in entries},
        )
        known = (rate for entry in entries for rate in entry.get("rates") or ())
        if weight == "work" and any(rate is not None for rate in known):
            given["rates"] = {entry["topic"]: _dense(entry, "rates", None) for entry in entries}
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


def _members(members: Sequence[Row], measured: bool) -> list[Member]:
    capacity = _measured(members) if measured else {}
    found = []
    for member in members:
        known = {name: member[name] for name in MEMBER_DEFAULTS if member.get(name) is not None}
        if member["member"] in capacity:
            known["capacity"] = capacity[member["member"]]
        found.append(Member(member["member"], **known))
    return found


def _measured(members: Sequence[Row]) -> dict[str, float]:
    """Capacities to plan with, as `usable_capacities` makes them; none if a member has one of the
    user's, which is in any unit."""
    if any(member["capacity"] is not None for member in members):
        return {}
    value = np.array([member.get("measured") or np.nan for member in members], dtype=np.float64)
    if np.isnan(value).all():
        return {}
    reads = np.array([member.get("reads") or 0.0 for member in members], dtype=np.float64)
    value = joined_speeds(np.where(np.isnan(value) & (reads > np.nanmedian(value)), reads, value))
    known = np.flatnonzero(value > 0).tolist()
    return {members[m]["member"]: float(value[m]) for m in known}


def _owned(member: Row) -> dict[str, list[int]]:
    return {
        held["key"]: sorted({p for p in held["value"] or () if p is not None and p >= 0})
        for held in member["owned"] or ()
    }
