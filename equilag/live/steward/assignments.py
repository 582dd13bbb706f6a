"""What the steward hands out when the group rebalances: a plan made before, or one made now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from equilag.adapters.kafka.consumer_protocol import read_subscription
from equilag.adapters.kafka.wire import BrokenRecord
from equilag.certificate.verify import read_assignment
from equilag.errors import EquilagError
from equilag.group import Group
from equilag.live.rebalance.joined_group import (
    Assignment,
    Decision,
    JoinedMember,
    Partitions,
    group_of,
    handed_out,
    withheld,
)
from equilag.plan import by_name

COOPERATIVE: Final = "cooperative-sticky"
BUILT_IN: Final = ("range", "roundrobin", "sticky", COOPERATIVE)
"""What the assignors that come with Kafka's clients are called, in the order of our vote."""
Origin = Literal["target", "plan", "heuristic"]


@dataclass(frozen=True, slots=True)
class Target:
    """Where the group is to go: an assignment, and the group that it is for.

    Members go by their key: the instance id of static members, who come back under another member
    id, the member id of all others.
    """

    assignment: Mapping[str, Partitions]
    topics: Mapping[str, frozenset[str]]
    """By key."""
    sizes: Mapping[str, int]

    def suits(self, members: Sequence[JoinedMember], sizes: Mapping[str, int]) -> bool:
        """Is it for these members, subscriptions and topics?"""
        return dict(sizes) == dict(self.sizes) and self.topics == topics_by_key(members)


@dataclass(frozen=True, slots=True)
class Handout:
    """What each member is given, by member id, and where that leads."""

    given: Assignment
    target: Target
    origin: Origin
    doubts: tuple[str, ...] = ()
    withheld: int = 0
    """Partitions that wait for their old consumer to let go of them."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A group as it stands in a rebalance."""

    members: list[JoinedMember]
    cooperative: bool
    doubts: tuple[str, ...] = ()


def key(member: JoinedMember) -> str:
    return member.instance_id or member.id


def topics_by_key(members: Iterable[JoinedMember]) -> dict[str, frozenset[str]]:
    return {key(member): frozenset(member.topics) for member in members}


def arrival(
    protocol: str,
    entries: Iterable[tuple[str, str | None, bytes]],
    held: Mapping[str, Partitions],
) -> Arrival:
    """The members out of what they sent: member id, instance id and subscription of each.

    `held` is what they had before, by key. A member whose subscription cannot be read is taken to
    read the topics that it had partitions of.
    """
    members = []
    doubts = []
    for member, instance, metadata in entries:
        before = held.get(instance or member, {})
        try:
            told = read_subscription(metadata)
        except BrokenRecord as error:
            doubts.append(f"the subscription of {instance or member} cannot be read: {error}")
            members.append(
                JoinedMember(member, tuple(sorted(before)), before, instance_id=instance)
            )
            continue
        members.append(
            JoinedMember(
                member,
                tuple(dict.fromkeys(told.topics)),
                _possible(told.owned or {}),
                -1 if told.generation is None else told.generation,
                instance,
                told.rack,
                before,
            )
        )
    # Of a protocol that we do not know, members that claim something are cooperative.
    cooperative = protocol == COOPERATIVE or (
        protocol not in BUILT_IN and any(member.claims for member in members)
    )
    if cooperative:  # there the claims are all there is: who lost everything holds nothing
        members = [replace(member, hints={}) for member in members]
    return Arrival(members, cooperative, tuple(doubts))


def _possible(claims: Partitions) -> Partitions:
    """Claims without partitions that cannot be: nobody holds those."""
    return {topic: [n for n in numbers if n >= 0] for topic, numbers in claims.items()}


def allot(
    name: str,
    here: Arrival,
    sizes: Mapping[str, int],
    lags: Mapping[str, Sequence[int | None]],
    target: Target | None,
    decide: Callable[[Group, str | None], Decision],
    doubt: str | None,
) -> Handout:
    """What to hand out. `sizes` and `lags` are those of the members' topics; `doubt` is why there
    is no lag to plan with, `decide` plans or, given a doubt, takes a heuristic.

    The target stays where the group is still the one that it is for. Raises EquilagError if not
    even a heuristic can answer.
    """
    group = group_of(name, here.members, sizes, lags)
    doubts = [*here.doubts, *([doubt] if doubt else [])]
    if target is not None and not here.doubts and target.suits(here.members, sizes):
        ids = {key(member): member.id for member in here.members}
        named = {ids[one]: partitions for one, partitions in target.assignment.items()}
        assigned = read_assignment(group, named, [])
        if assigned is not None:
            given = handed_out(group, assigned, here.cooperative)
            return Handout(given, target, "target", (), withheld(group, given))
        doubts.append("the plan made before does not go with the group")
    decision = decide(group, doubts[0] if doubts else None)
    if decision.doubt and decision.doubt not in doubts:
        doubts.append(decision.doubt)
    assigned = decision.plan.assigned
    try:
        given = handed_out(group, assigned, here.cooperative)
    except ValueError as error:
        raise EquilagError(f"no valid assignment: {error}") from error
    return Handout(
        given,
        target_of(here.members, by_name(group, assigned), sizes),
        "heuristic" if decision.doubt else "plan",
        tuple(doubts),
        withheld(group, given),
    )


def target_of(
    members: Sequence[JoinedMember], assignment: Mapping[str, Partitions], sizes: Mapping[str, int]
) -> Target:
    """A target from an assignment by member id."""
    return Target(
        {key(member): assignment.get(member.id, {}) for member in members},
        topics_by_key(members),
        dict(sizes),
    )
