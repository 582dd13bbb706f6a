"""A snapshot from what `kafka-consumer-groups --describe` prints, and what has to be assumed.

The text has no subscriptions, no log starts, no sizes of topics, no time. Whatever is put in their
place is said in `DescribeResult.assumed`; what could lose lag without a trace is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from equilag.adapters.describe.printed_rows import Offsets, read_members, read_offsets
from equilag.adapters.show import below, guess, shorten, show
from equilag.adapters.snapshot.load import FORMAT
from equilag.adapters.snapshot.read_lags import read_reset
from equilag.errors import InputError
from equilag.group import MAX_PARTITIONS

_ALL = "all"


@dataclass(frozen=True, slots=True)
class DescribeResult:
    """A snapshot as parsed JSON, and in sentences what was assumed to make it."""

    snapshot: dict[str, Any]
    assumed: list[str]


def snapshot_from_describe(
    describe: str,
    members: str | None = None,
    *,
    group: str | None = None,
    subscribe: Mapping[str, Sequence[str]] | None = None,
    as_owned: bool = False,
    auto_offset_reset: str = "latest",
    source: str | None = None,
    members_source: str | None = None,
) -> DescribeResult:
    """A snapshot from the text of `--describe`, and of `--describe --members --verbose`.

    `members` adds the members that own nothing. `group` picks one of several groups. Members
    subscribe to what `subscribe` says for their id, else with `as_owned` to the topics they own
    partitions of, else to all topics of the group. `auto_offset_reset` goes into the snapshot.
    Raises InputError with `source` or `members_source`, a place like `line 12`, or the name of
    the argument that is wrong.
    """
    reset = read_reset(auto_offset_reset)
    with _named(source):
        offsets = read_offsets(describe, group)
        assumed = list(offsets.remarks)
        assumed += _check_gaps(offsets, reset)
    instances: dict[str, str | None] = dict.fromkeys(offsets.owned)
    if members is None:
        assumed.append(
            "members that own nothing are not in the text; there are none unless --members is given"
        )
    else:
        with _named(members_source):
            instances = read_members(members, offsets)
    assumed += _about_offsets(offsets, reset)
    subscriptions, remarks = _subscriptions(offsets, sorted(instances), subscribe or {}, as_owned)
    assumed += remarks

    listed: list[dict[str, Any]] = []
    for member in sorted(instances):
        entry: dict[str, Any] = {"id": member, "subscription": subscriptions[member]}
        if instances[member]:
            entry["instance_id"] = instances[member]
        if offsets.owned.get(member):
            entry["owned"] = offsets.owned[member]
        listed.append(entry)
    topics = sorted(offsets.topics)
    snapshot: dict[str, Any] = {
        "format": FORMAT,
        "group": offsets.group,
        "topics": {topic: offsets.size(topic) for topic in topics},
        "members": listed,
        "offsets": {topic: _arrays(offsets, topic) for topic in topics},
        "auto_offset_reset": reset,
    }
    if _ALL in subscriptions.values():
        snapshot["subscriptions"] = {_ALL: topics}
    return DescribeResult(snapshot, assumed)


@contextmanager
def _named(source: str | None) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise InputError(error.problem, error.place, source) from error


def _arrays(offsets: Offsets, topic: str) -> dict[str, Any]:
    """The topic's entry in `offsets`; what is not listed was never committed."""
    size = offsets.size(topic)
    ends: list[int] = [0] * size
    committed: list[int | None] = [None] * size
    for number, partition in offsets.topics[topic].items():
        ends[number], committed[number] = partition.end, partition.committed
    return {"log_start": [0] * size, "log_end": ends, "committed": committed}


def _check_gaps(offsets: Offsets, reset: str) -> list[str]:
    """What is assumed of sizes, and of partitions below the highest one listed that are not listed.

    Kafka lists all that are assigned or committed, so these are neither. Under `latest` they count
    as lag 0 whatever their log ends are; otherwise their lag would be lost: raises InputError.
    """
    sizes = {topic: offsets.size(topic) for topic in sorted(offsets.topics)}
    total = sum(sizes.values())
    if total > MAX_PARTITIONS:
        raise InputError(f"the partition numbers make {total} in all, more than {MAX_PARTITIONS}")
    listed = ", ".join(f"{shorten(topic)} {size}" for topic, size in sizes.items())
    remarks = [f"each topic ends with the highest partition listed: {listed}"]
    for topic, size in sizes.items():
        partitions = offsets.topics[topic]
        count = size - len(partitions)
        if not count:
            continue
        gaps = [str(n) for n in islice((n for n in range(size) if n not in partitions), 10)]
        shown = ", ".join(gaps) + (", …" if count > len(gaps) else "")
        problem = f"{shorten(topic)}: {count} partitions below {size - 1} are not listed ({shown})"
        if reset != "latest":
            raise InputError(
                f"{problem}; their log ends are needed, as a partition without a commit does not"
                f" count as 0 under auto.offset.reset {reset}",
                f"line {partitions[size - 1].line}",
            )
        remarks.append(f"{problem}: neither assigned nor committed, lag 0")
    return remarks


def _about_offsets(offsets: Offsets, reset: str) -> list[str]:
    rows = [row for partitions in offsets.topics.values() for row in partitions.values()]
    remarks = ["log starts are not in the text: 0"]
    none = sum(row.committed is None for row in rows)
    if none:
        counts = "0" if reset == "latest" else "everything up to the log end"
        remarks.append(
            f"{none} partitions have no commit: under auto.offset.reset {reset}"
            f" their lag is {counts}"
        )
    return remarks


def _subscriptions(
    offsets: Offsets,
    members: list[str],
    subscribe: Mapping[str, Sequence[str]],
    as_owned: bool,
) -> tuple[dict[str, str | list[str]], list[str]]:
    """What goes into `subscription` of each member, and what that assumes. Raises InputError."""
    for member in subscribe:
        if member not in members:
            raise _unknown_member(member, members)
    chosen: dict[str, str | list[str]] = {}
    remarks: list[str] = []
    for member in members:
        owned = sorted(offsets.owned.get(member, {}))
        if member not in subscribe:
            chosen[member] = owned if as_owned else _ALL
            continue
        topics = subscribe[member]
        if isinstance(topics, str):
            raise InputError("a string, not a list of topics", below("subscribe", member))
        chosen[member] = sorted(set(topics))
        remarks += [
            f"{shorten(member)} subscribes to {shorten(topic)}, of which the text has no partition"
            for topic in sorted(set(topics) - offsets.topics.keys())
        ]
        remarks += [
            f"{shorten(member)} owns partitions of {shorten(topic)} without subscribing to it"
            for topic in owned
            if topic not in topics
        ]
    assumed = len(members) - len(subscribe)
    if assumed:
        which = "the topics they own" if as_owned else "all topics of the group"
        remarks.insert(0, f"subscriptions are not in the text: for {assumed} members, {which}")
    if assumed and not as_owned and len(_topics_owned(offsets, members, subscribe)) > 1:
        remarks.insert(
            1,
            "WARNING: members own partitions of different topics; if they also subscribe to"
            " different topics, a plan from this snapshot is wrong: say so with --as-owned or"
            " --subscribe",
        )
    idle = sum(not chosen[member] and member not in subscribe for member in members)
    if idle:
        remarks.append(f"{idle} members own nothing, and so are taken to subscribe to nothing")
    return chosen, remarks


def _topics_owned(
    offsets: Offsets, members: list[str], subscribe: Mapping[str, Sequence[str]]
) -> set[frozenset[str]]:
    """The sets of topics that members without a given subscription own partitions of."""
    owned = {frozenset(offsets.owned.get(m, {})) for m in members if m not in subscribe}
    return owned - {frozenset()}


def _unknown_member(member: str, members: list[str]) -> InputError:
    begins = [known for known in members if known.startswith(member)]
    if begins:
        shown = ", ".join(map(show, begins[:3])) + (", …" if len(begins) > 3 else "")
        hint = f"; the whole id is needed: {shown}"
    else:
        hint = guess(member, members)
    return InputError(f"no member has the id {show(member)}{hint}", "subscribe")
