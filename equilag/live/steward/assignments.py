"""The steward's answer to a rebalance: the target made in advance, or a plan made now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from equilag.adapters.kafka.consumer_protocol import read_subscription
from equilag.adapters.kafka.wire import BrokenRecord
from equilag.assignment import by_name, read_assignment
from equilag.errors import EquilagError
from equilag.group import Group
from equilag.live.rebalance.decision import Decision
from equilag.live.rebalance.joined_members import JoinedMember, Partitions, group_of
from equilag.live.rebalance.measured import Measured
from equilag.live.rebalance.member_assignments import (
    MemberAssignments,
    assignments_now,
    count_withheld,
)

COOPERATIVE: Final = "cooperative-sticky"
BUILT_IN: Final = ("range", "roundrobin", "sticky", COOPERATIVE)
"""The protocol names of the assignors in Kafka's clients, in the steward's order of preference."""
Origin = Literal["target", "plan", "heuristic"]


@dataclass(frozen=True, slots=True)
class TargetAssignment:
    """An assignment to reach, and the group that it was made for.

    Members go by their member key: the instance id of a static member, which returns with another
    member id; the member id of any other member.
    """

    assignment: Mapping[str, Partitions]
    topics: Mapping[str, frozenset[str]]
    """Member key -> subscribed topics."""
    sizes: Mapping[str, int]

    def matches(self, members: Sequence[JoinedMember], sizes: Mapping[str, int]) -> bool:
        """True if these members, their subscriptions and the topics are those of the target."""
        return dict(sizes) == dict(self.sizes) and self.topics == topics_by_member(members)


@dataclass(frozen=True, slots=True)
class RebalanceAnswer:
    """What each member gets, by member id, and the target that it leads to."""

    by_member: MemberAssignments
    target: TargetAssignment
    origin: Origin
    fallback_reasons: tuple[str, ...] = ()
    """Why a heuristic made it; empty for a plan."""
    withheld: int = 0
    """Partitions that wait for their old member to release them."""
    left_out: tuple[str, ...] = ()
    """What the group cannot keep of the policy for now."""


@dataclass(frozen=True, slots=True)
class JoinedMembers:
    """The members of a rebalancing group."""

    members: list[JoinedMember]
    cooperative: bool
    fallback_reasons: tuple[str, ...] = ()
    """Why the members are not fully known."""


def member_key(member: JoinedMember) -> str:
    """Return the name that a member keeps when it returns: instance id, else member id."""
    return member.instance_id or member.id


def topics_by_member(members: Iterable[JoinedMember]) -> dict[str, frozenset[str]]:
    return {member_key(member): frozenset(member.topics) for member in members}


def read_joined_members(
    protocol: str,
    entries: Iterable[tuple[str, str | None, bytes]],
    held: Mapping[str, Partitions],
) -> JoinedMembers:
    """Decode the members: member id, instance id and subscription of each.

    `held` maps member keys to the partitions that they held before. If a subscription cannot be
    decoded, the member counts as subscribed to the topics that it held.
    """
    members = []
    fallback_reasons = []
    for member, instance, metadata in entries:
        before = held.get(instance or member, {})
        try:
            subscription = read_subscription(metadata)
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
                tuple(dict.fromkeys(subscription.topics)),
                _existing(subscription.owned or {}),
                -1 if subscription.generation is None else subscription.generation,
                instance,
                subscription.rack,
                before,
            )
        )
    # With a protocol of another name, members that claim partitions are cooperative.
    cooperative = protocol == COOPERATIVE or (
        protocol not in BUILT_IN and any(member.claims for member in members)
    )
    if cooperative:  # claims say all: a member without any has lost its partitions
        members = [replace(member, hints={}) for member in members]
    return JoinedMembers(members, cooperative, tuple(fallback_reasons))


def _existing(claims: Partitions) -> Partitions:
    """Return the claims without negative partition numbers, which no member can hold."""
    return {topic: [n for n in numbers if n >= 0] for topic, numbers in claims.items()}


def answer_rebalance(
    name: str,
    joined: JoinedMembers,
    sizes: Mapping[str, int],
    measured: Measured,
    target: TargetAssignment | None,
    decide: Callable[[Group, str | None], Decision],
    fallback_reason: str | None,
) -> RebalanceAnswer:
    """Return what every member gets.

    `sizes` and `measured` are those of the members' topics. `fallback_reason` says why there is no
    lag to plan with. `decide` plans, or takes a quicker way if it gets a fallback reason. If the
    group is still the one that `target` was made for, the target is the answer. Raises EquilagError
    if not even a heuristic can answer.
    """
    group = group_of(name, joined.members, sizes, measured)
    fallback_reasons = [*joined.fallback_reasons, *([fallback_reason] if fallback_reason else [])]
    if target is not None and not joined.fallback_reasons and target.matches(joined.members, sizes):
        ids = {member_key(member): member.id for member in joined.members}
        named = {ids[one]: partitions for one, partitions in target.assignment.items()}
        assigned = read_assignment(group, named, [])
        if assigned is not None:
            by_member = assignments_now(group, assigned, joined.cooperative)
            return RebalanceAnswer(
                by_member, target, "target", (), count_withheld(group, by_member)
            )
        fallback_reasons.append("the plan made in advance does not fit the group")
    decision = decide(group, fallback_reasons[0] if fallback_reasons else None)
    if decision.fallback_reason and decision.fallback_reason not in fallback_reasons:
        fallback_reasons.append(decision.fallback_reason)
    assigned = decision.plan.assigned
    try:
        by_member = assignments_now(group, assigned, joined.cooperative)
    except ValueError as error:
        raise EquilagError(f"no valid assignment: {error}") from error
    return RebalanceAnswer(
        by_member,
        target_assignment(joined.members, by_name(group, assigned), sizes),
        "heuristic" if decision.fallback_reason else "plan",
        tuple(fallback_reasons),
        count_withheld(group, by_member),
        decision.left_out,
    )


def target_assignment(
    members: Sequence[JoinedMember], assignment: Mapping[str, Partitions], sizes: Mapping[str, int]
) -> TargetAssignment:
    """Return the target of an assignment by member id."""
    return TargetAssignment(
        {member_key(member): assignment.get(member.id, {}) for member in members},
        topics_by_member(members),
        dict(sizes),
    )
