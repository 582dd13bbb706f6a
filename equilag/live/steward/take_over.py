"""After a take-over: what the removed members held is kept for them until they are back.

A removed member learns of it with its next heartbeat; a Java member that processes a batch stops
with its next poll. Until then it reads on. When it joins again, its client has reported its
partitions as lost, so it reads no longer. What it held must not go to another member before that,
or before its rebalance timeout is over, which nobody can read from outside.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from equilag.adapters.kafka.described import ClientPlace
from equilag.live.rebalance.joined_members import (
    JoinedMember,
    MemberAssignments,
    Partitions,
    client_id_in,
    member_key,
)


class _Alike(NamedTuple):
    """Members that cannot be told apart when they join again."""

    instance_id: str | None
    """Of a static member, which is always told apart."""
    client_id: str | None = None
    host: str | None = None


class TakeOver:
    """The members that were removed, and which of them are back.

    A static member is known by its instance id. A dynamic one gets a new member id; it is known by
    client id and host. Where several share both, they count as away until as many are back. A new
    member with the same client id and host counts as one that is back.
    """

    def __init__(self, removed: Iterable[JoinedMember], until: float) -> None:
        """`removed` claim what they held. `until` is in monotonic seconds: when they count as
        gone for good."""
        self.until = until
        self._removed = sorted(removed, key=member_key)
        self._back: dict[str, _Alike] = {}
        """Member keys that have joined since."""

    def note_joined(
        self, members: Sequence[JoinedMember], places: Mapping[str, ClientPlace]
    ) -> None:
        """Members have joined; `places` are those of their member ids, as far as they are known."""
        for member in members:
            place = places.get(member.id, ClientPlace(None, None))
            client_id = place.client_id or member.client_id or client_id_in(member.id)
            self._back[member_key(member)] = _Alike(member.instance_id, client_id, place.host)

    @property
    def missing(self) -> list[JoinedMember]:
        """The members that may still read what they held."""
        return [
            one
            for removed, back in self._matched()
            if len(back) < len(removed)
            for one in removed
            if any(one.claims.values())
        ]

    @property
    def waits_for(self) -> int:
        """How many members are to come back before all partitions are handed out."""
        return sum(
            max(0, len(removed) - len(back))
            for removed, back in self._matched()
            if any(any(one.claims.values()) for one in removed)
        )

    def with_hints(self, members: Sequence[JoinedMember]) -> list[JoinedMember]:
        """Return the members with what they held before the take-over as hints, unless they have
        hints or claims since."""
        held: dict[str, Partitions] = {}
        for removed, back in self._matched():
            if len(back) >= len(removed):
                held |= {key: one.claims for key, one in zip(back, removed, strict=False)}
        return [
            one if one.claims or one.hints else replace(one, hints=held.get(member_key(one), {}))
            for one in members
        ]

    def _matched(self) -> list[tuple[list[JoinedMember], list[str]]]:
        """Removed members that are alike, and the member keys that have joined in their place."""
        known = all(one.host for one in self._removed if one.instance_id is None) and all(
            alike.host for alike in self._back.values() if alike.instance_id is None
        )

        def normal(alike: _Alike) -> _Alike:
            if alike.instance_id is not None:
                return _Alike(alike.instance_id)
            return alike if known else alike._replace(host=None)

        removed: dict[_Alike, list[JoinedMember]] = defaultdict(list)
        back: dict[_Alike, list[str]] = defaultdict(list)
        for one in self._removed:
            client_id = one.client_id or client_id_in(one.id)
            removed[normal(_Alike(one.instance_id, client_id, one.host))].append(one)
        for key, alike in self._back.items():
            back[normal(alike)].append(key)
        return [(members, back.get(alike, [])) for alike, members in removed.items()]


def without_missing(
    given: Mapping[str, Partitions], missing: Iterable[JoinedMember]
) -> tuple[MemberAssignments, int]:
    """Return assignments by member id without what the missing members held, and the number of
    partitions that nobody gets."""
    held = {(topic, n) for one in missing for topic, ns in one.claims.items() for n in ns}
    left = {
        member: {
            t: some for t, ns in topics.items() if (some := [n for n in ns if (t, n) not in held])
        }
        for member, topics in given.items()
    }
    before, after = (
        sum(len(ns) for topics in one.values() for ns in topics.values()) for one in (given, left)
    )
    return left, before - after
