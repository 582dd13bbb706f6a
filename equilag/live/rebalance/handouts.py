"""What a leader has handed out, and what the next rebalance leads to."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from equilag.live.rebalance.joined_members import JoinedMember, Partitions, member_key

PENDING_S: Final = 60.0
"""How long a target waits for its rebalance, and the rest of an unfinished change for the next one:
members join within seconds, and after a minute the load behind a plan is old."""


@dataclass(frozen=True, slots=True)
class TargetAssignment:
    """An assignment to reach, and the group that it was made for.

    Members go by their member key: the instance id of a static member, which returns with another
    member id; the member id of any other member.
    """

    assignment: Mapping[str, Partitions]
    topics: Mapping[str, frozenset[str]]
    """Member key -> subscribed topics, of members that have any."""
    sizes: Mapping[str, int]
    capacities: Mapping[str, float] = field(default_factory=dict)
    """Member key -> capacity that it was planned with; empty if all members counted as equal."""

    @staticmethod
    def of(
        members: Sequence[JoinedMember],
        assignment: Mapping[str, Partitions],
        sizes: Mapping[str, int],
        capacities: Mapping[str, float],
    ) -> TargetAssignment:
        """Return the target of an assignment by member id."""
        named = {member_key(one): assignment.get(one.id, {}) for one in members if one.topics}
        return TargetAssignment(named, topics_by_member(members), dict(sizes), dict(capacities))

    def matches(self, members: Sequence[JoinedMember], sizes: Mapping[str, int]) -> bool:
        """True if these members, their subscriptions and the topics are those of the target.

        Members without topics, such as other stewards, may come and go.
        """
        return dict(sizes) == dict(self.sizes) and self.topics == topics_by_member(members)


def topics_by_member(members: Iterable[JoinedMember]) -> dict[str, frozenset[str]]:
    """Return the topics of the members that subscribe to any, by member key."""
    return {member_key(one): frozenset(one.topics) for one in members if one.topics}


@dataclass(frozen=True, slots=True)
class HandedOut:
    """What is known at one moment. Times are in seconds of a monotonic clock."""

    rebalances: int = 0
    """Rebalances so far: what began before the last one is out of date."""
    at: float = float("-inf")
    """When the last assignment was handed out."""
    held: Mapping[str, Partitions] = field(default_factory=dict)
    """Member key -> partitions that the member held when they were last known."""
    target: TargetAssignment | None = None
    """The assignment that the next rebalance of an unchanged group leads to."""
    unfinished: bool = False
    """True if the last assignment withheld partitions on the way to the target."""
    capacities: Mapping[str, float] = field(default_factory=dict)
    """Member key -> capacity that the assignment in force was planned with; empty if all members
    counted as equal."""
    requested_at: float | None = None
    """When a rebalance was requested that has had no assignment yet."""
    withheld_since: float | None = None
    """When partitions were first withheld in the change that is under way."""
    pending_until: float = float("-inf")

    def pending(self, now: float) -> bool:
        """True while a rebalance is on its way: one that was requested, or the second one of a
        cooperative group."""
        return now < self.pending_until

    @property
    def going_on(self) -> Mapping[str, Partitions] | None:
        """Member key -> partitions of the change that the last assignment began and did not finish;
        it goes on if members come or go."""
        return self.target.assignment if self.unfinished and self.target is not None else None

    def without_target(self) -> HandedOut:
        return replace(self, target=None, unfinished=False)


class Handouts:
    """The state of the leader of one group. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.known = HandedOut()
        """Replaced as a whole, so that a thread that reads it needs no lock."""

    def begin(self, leads: bool = True) -> HandedOut:
        """A rebalance has begun; another leader assigns as it wants. Return what was known."""
        with self._lock:
            known = self.known
            self.known = replace(
                known,
                rebalances=known.rebalances + 1,
                unfinished=known.unfinished and leads,
                requested_at=known.requested_at if leads else None,
                withheld_since=known.withheld_since if leads else None,
            )
            return known

    def forget(self) -> None:
        """Another member leads, and nothing is known of what it assigns."""
        with self._lock:
            self.known = HandedOut(self.known.rebalances + 1)

    def observe(
        self,
        held: Mapping[str, Partitions],
        target: TargetAssignment | None,
        rebalances: int,
        now: float,
    ) -> bool:
        """The group was seen with a complete assignment. It becomes the target, unless that is None
        since it breaks rules, or a rebalance to another target is on its way. False if another
        rebalance came since there were so many, when the group was seen."""
        with self._lock:
            known = self.known
            if rebalances != known.rebalances:
                return False
            if not known.pending(now):
                unfinished = known.unfinished and target is None
                target = target or known.target
                self.known = replace(known, held=held, target=target, unfinished=unfinished)
            return True

    def request(self, target: TargetAssignment, rebalances: int, now: float) -> bool:
        """Set the target of a rebalance that is to be requested; False if another one came since
        there were so many, for which it was planned."""
        with self._lock:
            if rebalances != self.known.rebalances:
                return False
            self.known = replace(
                self.known,
                target=target,
                unfinished=False,
                requested_at=now,
                pending_until=now + PENDING_S,
            )
            return True

    def record(self, target: TargetAssignment, complete: bool, now: float) -> float | None:
        """An assignment was handed out on the way to `target`; `complete` if nothing was withheld.

        Return for how many seconds the rebalance paused partitions, if that is known: since they
        were first withheld, or since the rebalance was requested.

        What was withheld follows in the next rebalance, under the same target even if the load has
        changed: with a new one each time it might never end.
        """
        with self._lock:
            known, since = self.known, self.known.withheld_since
            self.known = replace(
                known,
                at=now,
                held=target.assignment,
                target=target,
                unfinished=not complete,
                capacities=target.capacities,
                requested_at=None,
                withheld_since=None if complete else now if since is None else since,
                pending_until=float("-inf") if complete else now + PENDING_S,
            )
            since = known.requested_at if since is None else since
            return now - since if complete and since is not None else None

    def record_partial(self, held: Mapping[str, Partitions], now: float) -> None:
        """Something was handed out that leads to no target: removed members are away."""
        with self._lock:
            self.known = replace(self.known.without_target(), at=now, held=held)
