"""What a leader has handed out, and what the next rebalance leads to."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

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
    shares: Mapping[str, float] = field(default_factory=dict)
    """Member key -> its share of the partitions, in any unit; empty if all members have equal
    ones."""

    @staticmethod
    def of(
        members: Sequence[JoinedMember],
        assignment: Mapping[str, Partitions],
        sizes: Mapping[str, int],
        shares: Mapping[str, float],
    ) -> TargetAssignment:
        """Return the target of an assignment by member id."""
        named = {member_key(one): assignment.get(one.id, {}) for one in members if one.topics}
        return TargetAssignment(named, topics_by_member(members), dict(sizes), dict(shares))

    def by_speed(self) -> TargetAssignment:
        """The same, with the numbers of partitions as shares: it was planned by speeds."""
        return replace(self, shares=counts_of(self.assignment))

    def matches(self, members: Sequence[JoinedMember], sizes: Mapping[str, int]) -> bool:
        """True if these members, their subscriptions and the topics are those of the target.

        Members without topics, such as other stewards, may come and go.
        """
        return dict(sizes) == dict(self.sizes) and self.topics == topics_by_member(members)


def counts_of(assignment: Mapping[str, Partitions]) -> dict[str, float]:
    """Return the number of partitions of each member, at least 1, as its share."""
    return {
        member: float(max(1, sum(map(len, topics.values()))))
        for member, topics in assignment.items()
    }


def topics_by_member(members: Iterable[JoinedMember]) -> dict[str, frozenset[str]]:
    """Return the topics of the members that subscribe to any, by member key."""
    return {member_key(one): frozenset(one.topics) for one in members if one.topics}


class Round(NamedTuple):
    """From one assignment, or the request for one, to the next."""

    seconds: float
    rounds: int | None
    """How many the change took that this one finished; None if it withheld nothing before."""


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
    shares: Mapping[str, float] = field(default_factory=dict)
    """Those of the assignment in force."""
    requested_at: float | None = None
    """When a rebalance was requested, or noticed, that has had no assignment yet."""
    rounds: int = 0
    """Assignments of the change that is under way that withheld partitions."""
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

    def begin(self, leads: bool = True, now: float | None = None) -> HandedOut:
        """A rebalance has begun, or was noticed now; another leader assigns as it wants. Return
        what was known."""
        with self._lock:
            known = self.known
            since = now if known.requested_at is None else known.requested_at
            self.known = replace(
                known,
                rebalances=known.rebalances + 1,
                unfinished=known.unfinished and leads,
                requested_at=since if leads else None,
                rounds=known.rounds if leads else 0,
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
                # Before anything was handed out, proportions in force are those that were found.
                first = target is not None and known.at == float("-inf")
                self.known = replace(
                    known,
                    held=held,
                    target=target,
                    unfinished=unfinished,
                    shares=target.shares if first and target else known.shares,
                )
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

    def record(self, target: TargetAssignment, complete: bool, now: float) -> Round | None:
        """An assignment was handed out on the way to `target`; `complete` if nothing was withheld.

        Return how long this round took, if that is known.

        What was withheld follows in the next rebalance, under the same target even if the load has
        changed: with a new one each time it might never end.
        """
        with self._lock:
            known = self.known
            since, rounds = known.at if known.rounds else known.requested_at, known.rounds + 1
            self.known = replace(
                known,
                at=now,
                held=target.assignment,
                target=target,
                unfinished=not complete,
                shares=target.shares,
                requested_at=None,
                rounds=0 if complete else rounds,
                pending_until=float("-inf") if complete else now + PENDING_S,
            )
            finished = rounds if complete and rounds > 1 else None
            return None if since is None else Round(now - since, finished)

    def carried(self, now: float) -> None:
        """What was handed out was brought to a broker, which tells the members: until that is
        confirmed it is under way."""
        with self._lock:
            self.known = replace(self.known, unfinished=True, pending_until=now + PENDING_S)

    def confirm(self, now: float) -> float:
        """The members have what was handed out. Return how long that took, in seconds."""
        with self._lock:
            since = self.known.at
            self.known = replace(self.known, at=now, unfinished=False, pending_until=float("-inf"))
            return now - since

    def record_partial(self, held: Mapping[str, Partitions], now: float) -> None:
        """Something was handed out that leads to no target: removed members are away."""
        with self._lock:
            self.known = replace(self.known.without_target(), at=now, held=held)
