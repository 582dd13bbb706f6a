"""A snapshot (`equilag/snapshot/1`) of what is known of a group."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from equilag.adapters.files import replace_file
from equilag.adapters.snapshot.read_input import FIELDS, FORMAT, lists
from equilag.domain.building.group_input import GroupInput, PartitionOffsets
from equilag.domain.building.member_fields import MEMBER_DEFAULTS
from equilag.domain.building.number_columns import NULL
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group, Member
from equilag.domain.group.lag import GIVEN, NO_COMMIT, UNKNOWN, OffsetColumns
from equilag.domain.plan.assignment import iter_names

_REDUCED: Final = "was made for planning; only a group as it was read or built can be written"


def snapshot_document(given: Group | GroupInput) -> dict[str, Any]:
    """Return the snapshot, `equilag/snapshot/1`, of a group as a dict of JSON values.

    `given` is a `Group`, or the arguments of `Group.build` as a dict; `load_snapshot` makes the
    same group of the result. A `Group` does not know claims on partitions that do not exist, so
    these are not written and not counted again. A subscription that several members have is written
    once.

    Raises InputError for a group that was made for planning (`plan.planned.group` of an extended
    group), and TypeError where an argument is a column in place of a mapping by topic.
    """
    if isinstance(given, Group):
        given = input_of_group(given)
    shared = _shared(given)
    document = {
        "format": FORMAT,
        "group": given["name"],
        "taken_at": given.get("taken_at"),
        "topics": dict(given["topics"]),
        "subscriptions": {name: list(topics) for topics, name in shared.items()} or None,
        "members": [_member(given, one, shared) for one in given["members"]],
    }
    for name, field in FIELDS.items():
        value: Any = given.get(name)
        if value is not None and (not field.if_any or value):
            document[name] = field.write(value)
    return {name: value for name, value in document.items() if value is not None}


def _shared(given: GroupInput) -> dict[tuple[str, ...], str]:
    """The subscriptions of several members, each with a name of its own."""
    count = Counter(map(tuple, given["subscriptions"].values()))
    shared = [topics for topics, members in count.items() if members > 1]
    names = ((f"s{number}", topics) for number, topics in enumerate(shared, 1))
    return {topics: "all" if {*topics} == {*given["topics"]} else name for name, topics in names}


def _member(
    given: GroupInput, member: Member | str, shared: dict[tuple[str, ...], str]
) -> dict[str, Any]:
    known = member if isinstance(member, Member) else Member(member)
    topics = given["subscriptions"][known.id]
    entry: dict[str, Any] = {
        "id": known.id,
        "subscription": shared.get(tuple(topics), list(topics)),
    }
    owned = given.get("owned", {})
    mine = owned.get(known.id, {}) if isinstance(owned, Mapping) else owned
    held = {topic: row for topic, row in lists(mine).items() if row}
    if held:
        entry["owned"] = held
    generation = given.get("generation")
    for name, default in MEMBER_DEFAULTS.items():
        inherited = name == "generation" and generation is not None
        value = getattr(known, name)
        if value != (generation if inherited else default):
            entry[name] = value
    return entry


def save_snapshot(group: Group, path: str | os.PathLike[str]) -> None:
    """Write the snapshot of a group, `equilag/snapshot/1`, whole or not at all.

    `load_snapshot(path)` then gives the same group. A name that ends in ``.gz`` gets gzip data.
    What `snapshot_document` says of claims applies here too. Raises InputError
    where the file cannot be written, for a name that ends in ``.zst``, which cannot, and for a
    group that was made for planning.
    """
    name = os.fspath(path)
    if name.endswith(".zst"):
        raise InputError("cannot be written as zstd; a name that ends in .gz can", source=name)
    data = (json.dumps(snapshot_document(group), allow_nan=False) + "\n").encode("ascii")
    if name.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    try:
        replace_file(Path(name).resolve(), data)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise InputError(f"cannot be written: {reason or error}", source=name) from error


def input_of_group(group: Group) -> GroupInput:
    """Return the arguments from which `Group.build` makes the same group, as mappings.

    Topics without partitions and claims on what does not exist are no longer known. Raises
    InputError for a group that was made for planning.
    """
    if group.reduced is not None or group.partition_classes is not None:
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
        "incomplete": group.incomplete,
        "assumed_subscribers": group.assumed_subscribers,
    }
    _add_lags(group, given)
    _add_extended(group, ids, given)
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
    marks = _by_topic(group, quality.tolist())
    lags = _by_topic(group, lag.tolist())
    plain = {topic: row for topic, row in lags.items() if int(GIVEN) in marks[topic]}
    if plain:
        given["lags"] = plain
    if group.offsets is not None:
        given["offsets"] = _partition_offsets(group, group.offsets)
    if (lag[quality == NO_COMMIT] > 0).any():
        given["auto_offset_reset"] = "earliest"
    if group.previous is not None:
        earlier = _partition_offsets(group, group.previous.offsets)
        given["previous"] = group.previous.seconds_before, earlier
    ends = given["offsets"].log_end if "offsets" in given else {}
    told = {*plain, *(ends if isinstance(ends, Mapping) else ())}
    unknown: dict[str, list[int]] = {}
    for topic, number in iter_names(group, np.flatnonzero(quality == UNKNOWN)):
        if topic in told:
            unknown.setdefault(topic, []).append(number)
    if unknown:
        given["unknown_lags"] = unknown


def _partition_offsets(group: Group, known: OffsetColumns) -> PartitionOffsets:
    """The offsets of the topics that have some."""
    start, end = (_by_topic(group, column.tolist()) for column in (known.log_start, known.log_end))
    commits = [None if offset == NULL else offset for offset in known.committed.tolist()]
    there = [topic for topic, row in end.items() if NULL not in row]
    arrays = start, end, _by_topic(group, commits)
    return PartitionOffsets(*({topic: rows[topic] for topic in there} for rows in arrays))


def _add_extended(group: Group, ids: list[str], given: GroupInput) -> None:
    """Add the fields of extended groups that the group has."""
    if group.rates is not None:
        rates = [None if rate != rate else rate for rate in group.rates.tolist()]
        given["rates"] = _by_topic(group, rates)
    if group.weights is not None:
        given["weights"] = _by_topic(group, group.weights.tolist())
    if group.move_weights is not None:
        given["move_weights"] = _by_topic(group, group.move_weights.tolist())
    if group.racks is not None:
        given["racks"] = _by_topic(group, list(group.racks))
    if group.allowed is not None:
        allowed: dict[str, dict[int, list[str]]] = {}
        names = iter_names(group, np.array([*group.allowed], dtype=np.int64))
        for (topic, number), members in zip(names, group.allowed.values(), strict=True):
            allowed.setdefault(topic, {})[number] = [ids[m] for m in members]
        given["allowed"] = allowed
