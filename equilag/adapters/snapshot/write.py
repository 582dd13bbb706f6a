"""A snapshot (`equilag/snapshot/1`) of what is known of a group."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from equilag.adapters.snapshot.input_of_group import input_of_group
from equilag.adapters.snapshot.read_input import FORMAT
from equilag.adapters.whole_file import replace_file
from equilag.domain.building.group_input import GroupInput
from equilag.domain.building.member_fields import MEMBER_DEFAULTS
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group, Member

_COLUMNS: Final = "only a group described by mappings can be written, not one by columns"


def snapshot_document(given: Group | GroupInput) -> dict[str, Any]:
    """Return the snapshot, `equilag/snapshot/1`, of a group as a dict of JSON values.

    `given` is a `Group`, or the arguments of `Group.build` as a dict; `load_snapshot` makes the
    same group of the result. A `Group` knows lags and where they came from, but no offsets: those
    written start at 0 and give the same lags. It does not know claims on partitions that do not
    exist, so these are not written and not counted again. A subscription that several members have
    is written once.

    Raises InputError for a group that was made for planning (`plan.planned.group` of a real
    group), and TypeError where an argument is a column in place of a mapping by topic.
    """
    if isinstance(given, Group):
        given = input_of_group(given)
    document: dict[str, Any] = {"format": FORMAT, "group": given["name"]}
    if given.get("taken_at") is not None:
        document["taken_at"] = given["taken_at"]
    document["topics"] = dict(given["topics"])
    shared = _shared(given)
    if shared:
        document["subscriptions"] = {name: list(topics) for topics, name in shared.items()}
    document["members"] = [_member(given, one, shared) for one in given["members"]]
    if given.get("generation") is not None:
        document["generation"] = given["generation"]
    if "offsets" in given:
        arrays = {name: _lists(rows) for name, rows in given["offsets"]._asdict().items()}
        document["offsets"] = {
            topic: {name: rows[topic] for name, rows in arrays.items()}
            for topic in arrays["log_end"]
        }
    if "lags" in given:
        document["lags"] = _lists(given["lags"])
    if given.get("unknown_lags"):
        document["unknown_lags"] = _lists(given["unknown_lags"])
    document |= _partition_fields(given)
    if "auto_offset_reset" in given:
        document["auto_offset_reset"] = given["auto_offset_reset"]
    return document


def _partition_fields(given: GroupInput) -> dict[str, Any]:
    """What is known of partitions beside their lag; only what is given."""
    document: dict[str, Any] = {}
    if given.get("rates") is not None:
        document["rates"] = _lists(given["rates"])
    if given.get("weights") is not None:
        document["weights"] = _lists(given["weights"])
    if "racks" in given:
        document["racks"] = {
            topic: [list(racks) for racks in row] for topic, row in given["racks"].items()
        }
    if given.get("allowed"):
        document["allowed"] = {
            topic: {str(number): list(ids) for number, ids in numbers.items()}
            for topic, numbers in given["allowed"].items()
        }
    if given.get("co_partitioned"):
        document["co_partitioned"] = [list(topics) for topics in given["co_partitioned"]]
    return document


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
    if not isinstance(owned, Mapping):
        raise TypeError(_COLUMNS)
    held = {topic: row for topic, row in _lists(owned.get(known.id, {})).items() if row}
    if held:
        entry["owned"] = held
    generation = given.get("generation")
    for name, default in MEMBER_DEFAULTS.items():
        inherited = name == "generation" and generation is not None
        value = getattr(known, name)
        if value != (generation if inherited else default):
            entry[name] = value
    return entry


def _lists(rows: object) -> dict[str, list[Any]]:
    if not isinstance(rows, Mapping):
        raise TypeError(_COLUMNS)
    return {topic: list(row) for topic, row in rows.items()}


def save_snapshot(group: Group, path: str | os.PathLike[str]) -> None:
    """Write the snapshot of a group, `equilag/snapshot/1`, whole or not at all.

    `load_snapshot(path)` then gives the same group. A name that ends in ``.gz`` gets gzip data.
    What `snapshot_document` says of offsets and of claims applies here too. Raises InputError
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
