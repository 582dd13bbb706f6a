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
from equilag.live.rebalance.decision import Decision
from equilag.live.rebalance.joined_members import JoinedMember, Partitions, group_of
from equilag.live.rebalance.member_assignments import (
    MemberAssignments,
    assignments_now,
    count_withheld,
)
from equilag.plan import by_name

COOPERATIVE: Final = "cooperative-sticky"
BUILT_IN: Final = ("range", "roundrobin", "sticky", COOPERATIVE)
"""What the assignors that come with Kafka's clients are called, in the order of our vote."""
Origin = Literal["target", "plan", "heuristic"]


@dataclass(frozen=True, slots=True)
class TargetAssignment:
    """Where the group is to go: an assignment, and the group that it is for.

    Members go by their key: the instance id of static members, who come back under another member
    id, the member id of all others.
    """

    assignment: Mapping[str, Partitions]
    topics: Mapping[str, frozenset[str]]
    """By key."""
    sizes: Mapping[str, int]

    def matches(self, members: Sequence[JoinedMember], sizes: Mapping[str, int]) -> bool:
        """Is it for these members, subscriptions and topics?"""
        return dict(sizes) == dict(self.sizes) and self.topics == topics_by_member(members)


@dataclass(frozen=True, slots=True)
class RebalanceAnswer:
    """What each member is given, by member id, and where that leads."""

    given: MemberAssignments
    target: TargetAssignment
    origin: Origin
    fallback_reasons: tuple[str, ...] = ()
    withheld: int = 0
    """Partitions that wait for their old consumer to let go of them."""


@dataclass(frozen=True, slots=True)
class JoinedMembers:
    """A group as it stands in a rebalance."""

    members: list[JoinedMember]
    cooperative: bool
    fallback_reasons: tuple[str, ...] = ()


def member_key(member: JoinedMember) -> str:
    return member.instance_id or member.id


def topics_by_member(members: Iterable[JoinedMember]) -> dict[str, frozenset[str]]:
    return {member_key(member): frozenset(member.topics) for member in members}


def read_joined_members(
    protocol: str,
    entries: Iterable[tuple[str, str | None, bytes]],
    held: Mapping[str, Partitions],
) -> JoinedMembers:
    """The members out of what they sent: member id, instance id and subscription of each.

    `held` is what they had before, by key. A member whose subscription cannot be read is taken to
    read the topics that it had partitions of.
    """
    members = []
    fallback_reasons = []
    for member, instance, metadata in entries:
        before = held.get(instance or member, {})
        try:
            told = read_subscription(metadata)
        except BrokenRecord as error:
            fallback_reasons.append(
                f"the subscription of {instance or member} cannot be read: {error}"
            )
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
    return JoinedMembers(members, cooperative, tuple(fallback_reasons))


def _possible(claims: Partitions) -> Partitions:
    """Claims without partitions that cannot be: nobody holds those."""
    return {topic: [n for n in numbers if n >= 0] for topic, numbers in claims.items()}


def answer_rebalance(
    name: str,
    here: JoinedMembers,
    sizes: Mapping[str, int],
    lags: Mapping[str, Sequence[int | None]],
    target: TargetAssignment | None,
    decide: Callable[[Group, str | None], Decision],
    fallback_reason: str | None,
) -> RebalanceAnswer:
    """Return what every member gets.

    `sizes` and `lags` are those of the members' topics. `fallback_reason` says why there is no lag
    to plan with. `decide` plans, or runs a heuristic if it gets a fallback reason. If the group is
    still the one that `target` was made for, the target is the answer. Raises EquilagError if not
    even a heuristic can answer.
    """
    group = group_of(name, here.members, sizes, lags)
    fallback_reasons = [*here.fallback_reasons, *([fallback_reason] if fallback_reason else [])]
    if target is not None and not here.fallback_reasons and target.matches(here.members, sizes):
        ids = {member_key(member): member.id for member in here.members}
        named = {ids[one]: partitions for one, partitions in target.assignment.items()}
        assigned = read_assignment(group, named, [])
        if assigned is not None:
            given = assignments_now(group, assigned, here.cooperative)
            return RebalanceAnswer(given, target, "target", (), count_withheld(group, given))
        fallback_reasons.append("the plan made before does not go with the group")
    decision = decide(group, fallback_reasons[0] if fallback_reasons else None)
    if decision.fallback_reason and decision.fallback_reason not in fallback_reasons:
        fallback_reasons.append(decision.fallback_reason)
    assigned = decision.plan.assigned
    try:
        given = assignments_now(group, assigned, here.cooperative)
    except ValueError as error:
        raise EquilagError(f"no valid assignment: {error}") from error
    return RebalanceAnswer(
        given,
        target_assignment(here.members, by_name(group, assigned), sizes),
        "heuristic" if decision.fallback_reason else "plan",
        tuple(fallback_reasons),
        count_withheld(group, given),
    )


def target_assignment(
    members: Sequence[JoinedMember], assignment: Mapping[str, Partitions], sizes: Mapping[str, int]
) -> TargetAssignment:
    """A target from an assignment by member id."""
    return TargetAssignment(
        {member_key(member): assignment.get(member.id, {}) for member in members},
        topics_by_member(members),
        dict(sizes),
    )
