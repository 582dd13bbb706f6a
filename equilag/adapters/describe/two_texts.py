"""A group from two texts of different moments: what came and what was read in between."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from equilag.domain.building.group_input import GroupInput, PartitionOffsets
from equilag.domain.errors import InputError
from equilag.domain.group.group import Member


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
    rows: list[Any] = [*then, now.log_end]
    start, end, commit, ends = ({topic: list(row[topic]) for topic in same} for row in rows)
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
    previous = PartitionOffsets(start, end, commit)
    given["previous"], given["rates"] = (seconds, previous), rates
    speeds = _speeds(given, previous, seconds)
    given["members"] = [
        replace(one, capacity=speeds.get(one.id)) if isinstance(one, Member) and speeds else one
        for one in given["members"]
    ]


def _speeds(given: GroupInput, then: Any, seconds: float) -> dict[str, float]:
    """What members read per second; nothing unless every one of them had a backlog all along."""
    speeds: dict[str, float] = {}
    now: Any = given["offsets"]
    owned: Any = given["owned"]
    for member, topics in owned.items():
        held = [(t, n) for t, numbers in topics.items() if t in then.log_end for n in numbers]
        commits = [(then.committed[t][n], now.committed[t][n]) for t, n in held]
        if any(None in pair for pair in commits):
            return {}
        first, last = (
            sum(at.log_end[t][n] - at.committed[t][n] for t, n in held) for at in (then, now)
        )
        read = sum(later - earlier for earlier, later in commits)
        if not 0 < read < min(first, last):
            return {}
        speeds[member] = float(f"{read / seconds:.6g}")
    return speeds


def _is_missing(given: GroupInput, end: int) -> bool:
    """True for a partition that a text which is cut off may not list: it counts as empty."""
    return end == 0 and "incomplete" in given


def _owners(given: GroupInput) -> dict[tuple[str, int], str]:
    owned: Any = given["owned"]
    return {
        (topic, number): member
        for member, topics in owned.items()
        for topic, numbers in topics.items()
        for number in numbers
    }
