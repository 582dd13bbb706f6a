"""A group from what `kafka-consumer-groups --describe` prints, and what has to be assumed.

The text has no subscriptions, no log starts, no sizes of topics and no time. `DescribeResult` lists
what is assumed instead; a text whose lag would be lost that way is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from equilag.adapters.describe.printed_rows import PrintedGroup, read_members, read_offsets
from equilag.adapters.describe.printed_table import PrintedText
from equilag.building.group_input import GroupInput, PartitionOffsets
from equilag.building.topic_index import MAX_PARTITIONS
from equilag.errors import InputError
from equilag.group import Member
from equilag.lag import as_reset
from equilag.show import below, form, guess, plural, shorten, show


@dataclass(frozen=True, slots=True)
class DescribeResult:
    """What is known of the group, and in sentences what was assumed."""

    given: GroupInput
    assumed: list[str]


def read_describe(
    describe: PrintedText,
    members: PrintedText | None = None,
    *,
    group: str | None = None,
    subscribe: Mapping[str, Sequence[str]] | None = None,
    as_owned: bool = False,
    auto_offset_reset: str = "latest",
) -> DescribeResult:
    """Read a group from the output of `--describe`, and of `--describe --members --verbose`.

    `members` adds the members that own nothing. `group` picks one of several groups. A member
    subscribes to the topics that `subscribe` has for its id, else with `as_owned` to the topics it
    owns partitions of, else to all topics of the group. Raises InputError with the text's source
    and a place like `line 12`, or with the name of the argument that is wrong.
    """
    reset = as_reset(auto_offset_reset)
    with _source_of(describe):
        offsets = read_offsets(describe.text, group)
        assumed = [*offsets.remarks, *_check_gaps(offsets, reset)]
    known = offsets.members
    if members is None:
        assumed.append(
            "members that own nothing are not in the text; there are none unless --members is given"
        )
    else:
        with _source_of(members):
            known = read_members(members.text, offsets)
    assumed += _about_offsets(offsets, reset)
    ids = sorted(known)
    subscriptions, remarks = _subscriptions(offsets, ids, subscribe or {}, as_owned)
    given: GroupInput = {
        "name": offsets.group,
        "topics": {topic: offsets.size(topic) for topic in sorted(offsets.topics)},
        "members": [Member(member, **known[member]._asdict()) for member in ids],
        "subscriptions": subscriptions,
        "owned": offsets.owned,
        "offsets": _offsets(offsets),
        "auto_offset_reset": reset,
    }
    return DescribeResult(given, [*assumed, *remarks])


@contextmanager
def _source_of(printed: PrintedText) -> Iterator[None]:
    """Add the name of the file to what is wrong in it."""
    try:
        yield
    except InputError as error:
        raise InputError(error.problem, error.place, printed.source) from error


def _offsets(offsets: PrintedGroup) -> PartitionOffsets:
    """The offsets of all topics; a partition that is not listed has no commit."""
    starts: dict[str, list[int]] = {}
    ends: dict[str, list[int]] = {}
    committed: dict[str, list[int | None]] = {}
    for topic, partitions in offsets.topics.items():
        size = offsets.size(topic)
        starts[topic], ends[topic], committed[topic] = [0] * size, [0] * size, [None] * size
        for number, partition in partitions.items():
            ends[topic][number], committed[topic][number] = partition.end, partition.committed
    return PartitionOffsets(starts, ends, committed)


def _check_gaps(offsets: PrintedGroup, reset: str) -> list[str]:
    """Return what is assumed of sizes, and of partitions that are missing below the highest one.

    Kafka lists all partitions that are assigned or committed, so a missing one is neither. Under
    `latest` its lag is 0 whatever its log end is; otherwise its lag would be lost: raises
    InputError.
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
        missing = f"{plural(count, 'partition')} below {size - 1} {form(count, 'is', 'are')}"
        problem = f"{shorten(topic)}: {missing} not listed ({shown})"
        if reset != "latest":
            raise InputError(
                f"{problem}; their log ends are needed, as a partition without a commit does not"
                f" count as 0 under auto.offset.reset {reset}",
                f"line {partitions[size - 1].line}",
            )
        remarks.append(f"{problem}: neither assigned nor committed, lag 0")
    return remarks


def _about_offsets(offsets: PrintedGroup, reset: str) -> list[str]:
    """Return what is assumed of log starts, and of partitions without a commit."""
    rows = [row for partitions in offsets.topics.values() for row in partitions.values()]
    remarks = ["log starts are not in the text: 0"]
    none = sum(row.committed is None for row in rows)
    if none:
        counts = "0" if reset == "latest" else "everything up to the log end"
        remarks.append(
            f"{plural(none, 'partition')} {form(none, 'has', 'have')} no commit: under"
            f" auto.offset.reset {reset} {form(none, 'its', 'their')} lag is {counts}"
        )
    return remarks


def _subscriptions(
    offsets: PrintedGroup,
    members: list[str],
    subscribe: Mapping[str, Sequence[str]],
    as_owned: bool,
) -> tuple[dict[str, list[str]], list[str]]:
    """Return the topics of each member, and what that assumes. Raises InputError."""
    everything = sorted(offsets.topics)
    for member in subscribe:
        if member not in members:
            raise _unknown_member(member, members)
    chosen: dict[str, list[str]] = {}
    remarks: list[str] = []
    for member in members:
        owned = sorted(offsets.owned.get(member, {}))
        if member not in subscribe:
            chosen[member] = owned if as_owned else everything
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
        members_assumed = plural(assumed, "member")
        remarks.insert(0, f"subscriptions are not in the text: for {members_assumed}, {which}")
    if assumed and not as_owned and len(_topics_owned(offsets, members, subscribe)) > 1:
        remarks.insert(
            1,
            "WARNING: members own partitions of different topics; if they also subscribe to"
            " different topics, a plan from this snapshot is wrong: say so with --as-owned or"
            " --subscribe",
        )
    idle = sum(not chosen[member] and member not in subscribe for member in members)
    if idle:
        remarks.append(
            f"{plural(idle, 'member')} {form(idle, 'owns', 'own')} nothing, and so"
            f" {form(idle, 'is', 'are')} taken to subscribe to nothing"
        )
    return chosen, remarks


def _topics_owned(
    offsets: PrintedGroup, members: list[str], subscribe: Mapping[str, Sequence[str]]
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
