"""Who counts as the owner of each partition when a rebalance is planned.

Claims tell it in a cooperative group. They leave gaps: members of an eager group have released
everything when they join, a static member that restarts claims nothing, and half-way through a
cooperative change its partitions are with nobody. What was held before fills the gaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from equilag.live.rebalance.joined_members import JoinedMember, Partitions, member_key

_Named = tuple[str, int]


def with_prior_owners(
    members: Sequence[JoinedMember], going_on: Mapping[str, Partitions] | None = None
) -> list[JoinedMember]:
    """Return the members with what counts as theirs in place of claims and hints.

    A member's claims are its own, and those of its hints that nobody claims. `going_on` maps member
    keys to partitions of a change that is under way: those count as their members' already, whoever
    claims them.
    """
    given = going_on or {}
    decided = {
        one
        for member in members
        for one in _named(given.get(member_key(member), {}))
        if one[0] in member.topics
    }
    claimed = decided.union(*(_named(member.claims) for member in members))
    return [
        replace(
            member,
            claims=_by_topic(
                [
                    *(p for p in _named(given.get(member_key(member), {})) if p in decided),
                    *(p for p in _named(member.claims) if p not in decided),
                    *(p for p in _named(member.hints) if p not in claimed),
                ]
            ),
            hints={},
        )
        for member in members
    ]


def _named(partitions: Partitions) -> Iterable[_Named]:
    return ((topic, number) for topic, numbers in partitions.items() for number in numbers)


def _by_topic(partitions: Iterable[_Named]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for topic, number in partitions:
        found.setdefault(topic, []).append(number)
    return found
