"""A group from two texts of different moments: what came and what was read in between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from equilag.domain.building.group_input import GroupInput, PartitionOffsets
from equilag.domain.errors import InputError
from equilag.domain.group.group import Member

Column = dict[str, list[Any]]


def add_earlier(given: GroupInput, earlier: GroupInput, seconds: float) -> None:
    """Add to a group what an earlier text says of it: its offsets, rates, and speeds.

    Log ends that grew are rates. Where all members had a backlog that they could not have read,
    what they read are their speeds. Topics of another size are left out, and so are commits of
    partitions that changed hands. Raises InputError for log ends that went back, and
    for texts of different groups.
    """
    if given["name"] != earlier["name"]:
        problem = f"the text before is of group {earlier['name']}, the other of {given['name']}"
        raise InputError(problem, "--from-describe")
    now, then = given["offsets"], earlier["offsets"]
    same = [t for t, size in given["topics"].items() if earlier["topics"].get(t) == size]
    owner, before = _owners(given), _owners(earlier)
    start, end, commit = (_rows(rows, same) for rows in then)
    ends, commits = _rows(now.log_end, same), _rows(now.committed, same)
    rates: dict[str, list[float | None]] = {}
    for topic in same:
        rates[topic] = []
        for place, (last, first) in enumerate(zip(ends[topic], end[topic], strict=True)):
            if owner.get((topic, place)) != before.get((topic, place)):
                commit[topic][place] = None
            if _is_missing(given, last) or _is_missing(earlier, first):
                start[topic][place] = end[topic][place] = 0
                rates[topic].append(None)
                continue
            if last < first:
                told = f"the log of {topic} is shorter than in the text before"
                raise InputError(f"{told}: are they in order?", "--from-describe")
            rates[topic].append(float(f"{(last - first) / seconds:.6g}"))
    given["previous"] = seconds, PartitionOffsets(start, end, commit)
    given["rates"] = rates
    _add_speeds(given, {"end": end, "commit": commit, "ends": ends, "commits": commits}, seconds)


def _add_speeds(given: GroupInput, columns: Mapping[str, Column], seconds: float) -> None:
    """What members read per second, if every one of them had a backlog all along."""
    speeds: dict[str, float] = {}
    end, commit, ends, commits = columns.values()
    owned: Any = given["owned"]
    for member, topics in owned.items():
        read, first, last = 0, 0, 0
        for topic, numbers in topics.items():
            for place in numbers if topic in end else ():
                if commit[topic][place] is None or commits[topic][place] is None:
                    return
                read += commits[topic][place] - commit[topic][place]
                first += end[topic][place] - commit[topic][place]
                last += ends[topic][place] - commits[topic][place]
        if not 0 < read < min(first, last):
            return
        speeds[member] = float(f"{read / seconds:.6g}")
    given["members"] = [
        replace(one, capacity=speeds.get(one.id)) if isinstance(one, Member) else one
        for one in given["members"]
    ]


def _is_missing(given: GroupInput, end: int) -> bool:
    """True for a partition that a text which is cut off may not list: it counts as empty."""
    return end == 0 and "incomplete" in given


def _rows(rows: object, topics: list[str]) -> Column:
    assert isinstance(rows, Mapping)
    return {topic: list(rows[topic]) for topic in topics}


def _owners(given: GroupInput) -> dict[tuple[str, int], str]:
    owned: Any = given["owned"]
    return {
        (topic, number): member
        for member, topics in owned.items()
        for topic, numbers in topics.items()
        for number in numbers
    }
