"""A group as the values that it could be built from."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from equilag.domain.building.group_input import GroupInput, PartitionOffsets
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group, Ints, iter_names
from equilag.domain.group.lag import AHEAD_OF_END, BELOW_LOG_START, GIVEN, NO_COMMIT, UNKNOWN

_REDUCED: Final = "was made for planning; only a group as it was read or built can be written"


def input_of_group(group: Group) -> GroupInput:
    """Return the arguments from which `Group.build` makes the same group, as mappings.

    The group knows lags and where they came from, but no offsets: those here start at 0, and give
    the same lags with the same marks. Topics without partitions and claims on what does not exist
    are no longer known. Raises InputError for a group that was made for planning.
    """
    if group.real is not None or group.partition_classes is not None:
        raise InputError(_REDUCED, "group")
    sizes = group.topic_size.tolist()
    read = [[group.topics[t] for t in topics.tolist()] for topics in group.class_topics]
    ids = [member.id for member in group.members]
    given: GroupInput = {
        "name": group.name,
        "topics": dict(zip(group.topics, sizes, strict=True)),
        "members": group.members,
        "subscriptions": {
            name: read[number] for name, number in zip(ids, group.class_of.tolist(), strict=True)
        },
        "owned": _owned(group, ids),
        "taken_at": group.taken_at,
        "generation": group.generation,
        "co_partitioned": [[group.topics[t] for t in row] for row in group.co_partitioned],
    }
    _add_lags(group, given)
    _add_real(group, ids, given)
    return given


def _owned(group: Group, ids: list[str]) -> dict[str, dict[str, list[int]]]:
    owned: dict[str, dict[str, list[int]]] = {}
    names = iter_names(group, group.claim_partition)
    for member, (topic, number) in zip(group.claim_member.tolist(), names, strict=True):
        owned.setdefault(ids[member], {}).setdefault(topic, []).append(number)
    return owned


def _by_topic(group: Group, column: list[Any]) -> dict[str, list[Any]]:
    """A column [P] by topic, without topics that have no partitions."""
    starts = group.topic_start.tolist()
    rows = zip(group.topics, starts, starts[1:], strict=False)
    return {topic: column[start:end] for topic, start, end in rows if end > start}


def _add_lags(group: Group, given: GroupInput) -> None:
    lag, quality = group.lag, group.quality
    marks = {topic: {*row} for topic, row in _by_topic(group, quality.tolist()).items()}
    plain = {topic for topic, found in marks.items() if int(GIVEN) in found}
    counted = {topic for topic, found in marks.items() if found - {int(GIVEN), int(UNKNOWN)}}
    lags = _by_topic(group, lag.tolist())
    if plain:
        given["lags"] = {topic: row for topic, row in lags.items() if topic in plain}
    if counted - plain:
        arrays = [_by_topic(group, column) for column in _offsets(group)]
        given["offsets"] = PartitionOffsets(
            *({t: row for t, row in rows.items() if t in counted - plain} for rows in arrays)
        )
    if (lag[quality == NO_COMMIT] > 0).any():
        given["auto_offset_reset"] = "earliest"
    unknown: dict[str, list[int]] = {}
    for topic, number in iter_names(group, np.flatnonzero(quality == UNKNOWN)):
        if topic in plain | counted:
            unknown.setdefault(topic, []).append(number)
    if unknown:
        given["unknown_lags"] = unknown


def _offsets(group: Group) -> tuple[list[int], list[int], list[int | None]]:
    """Log start, log end and commit of each partition [P] that give its lag and its mark."""
    quality = group.quality
    start: Ints = (quality == BELOW_LOG_START).astype(np.int64)
    commit = np.where(quality == AHEAD_OF_END, 1, 0).tolist()
    missing = (quality == NO_COMMIT).tolist()
    commits = [None if none else offset for none, offset in zip(missing, commit, strict=True)]
    return start.tolist(), (start + group.lag).tolist(), commits


def _add_real(group: Group, ids: list[str], given: GroupInput) -> None:
    """Add the fields of extended groups that the group has."""
    if group.rates is not None:
        rates = [None if rate != rate else rate for rate in group.rates.tolist()]
        given["rates"] = _by_topic(group, rates)
    if group.weights is not None:
        given["weights"] = _by_topic(group, group.weights.tolist())
    if group.racks is not None:
        given["racks"] = _by_topic(group, list(group.racks))
    if group.allowed is not None:
        allowed: dict[str, dict[int, list[str]]] = {}
        names = iter_names(group, np.array([*group.allowed], dtype=np.int64))
        for (topic, number), members in zip(names, group.allowed.values(), strict=True):
            allowed.setdefault(topic, {})[number] = [ids[m] for m in members]
        given["allowed"] = allowed
