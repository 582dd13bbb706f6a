"""The steward's answer to a rebalance: the target made in advance, or a plan made now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from equilag.adapters.kafka.codec.consumer_protocol import read_subscription
from equilag.adapters.kafka.codec.wire import BrokenRecord
from equilag.domain.errors import EquilagError
from equilag.domain.group.group import Group, Index
from equilag.domain.plan.assignment import by_name, read_assignment
from equilag.domain.plan.metrics import count_moves
from equilag.live.rebalance.decision import Decision
from equilag.live.rebalance.joined_members import (
    JoinedMember,
    MemberAssignments,
    Partitions,
    assignments_now,
    count_withheld,
    group_of,
    member_key,
    with_prior_owners,
)
from equilag.live.rebalance.measured import Measured

COOPERATIVE: Final = "cooperative-sticky"
BUILT_IN: Final = ("range", "roundrobin", "sticky", COOPERATIVE)
"""The protocol names of the assignors in Kafka's clients, in the steward's order of preference."""
Origin = Literal["target", "sticky", "plan", "heuristic"]
ORIGINS: Final[tuple[Origin, ...]] = get_args(Origin)
"""What an assignment is: the plan made in advance, a sticky one, a full one, a last resort."""


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

    def matches(self, members: Sequence[JoinedMember], sizes: Mapping[str, int]) -> bool:
        """True if these members, their subscriptions and the topics are those of the target.

        Members without topics, such as other stewards, may come and go.
        """
        return dict(sizes) == dict(self.sizes) and self.topics == topics_by_member(members)


@dataclass(frozen=True, slots=True)
class Targets:
    """What was decided before this rebalance."""

    planned: TargetAssignment | None = None
    """The assignment to reach if the group is still the same."""
    going_on: Mapping[str, Partitions] | None = None
    """Member key -> partitions, of a change that the last answer began and did not finish. It goes
    on if members come or go."""


NO_TARGETS: Final = Targets()


@dataclass(frozen=True, slots=True)
class RebalanceAnswer:
    """What each member gets, by member id, and the target that it leads to."""

    by_member: MemberAssignments
    target: TargetAssignment
    origin: Origin
    fallback_reasons: tuple[str, ...] = ()
    """What was missing for a better plan; empty for one that rests on all that it should."""
    moves: int = 0
    """Partitions that a present, still subscribed member loses on the way to the target."""
    withheld: int = 0
    """Partitions that wait for their old member to release them."""
    left_out: tuple[str, ...] = ()
    """What the group cannot keep of the policy for now."""
    capacities: Mapping[str, float] | None = None
    """Member key -> capacity that it was planned with; None for those in force."""
    waits_for: int = 0
    """Removed members that are to come back; what they held is with nobody."""


@dataclass(frozen=True, slots=True)
class JoinedMembers:
    """The members of a rebalancing group."""

    members: list[JoinedMember]
    cooperative: bool
    fallback_reasons: tuple[str, ...] = ()
    """Why the members are not fully known."""


def is_cooperative(protocol: str) -> bool:
    """True if members of a group with this assignor keep partitions that do not move."""
    return protocol == COOPERATIVE or "cooperative" in protocol


def topics_by_member(members: Iterable[JoinedMember]) -> dict[str, frozenset[str]]:
    """Return the topics of the members that subscribe to any, by member key."""
    return {member_key(one): frozenset(one.topics) for one in members if one.topics}


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
    return JoinedMembers(members, cooperative, tuple(fallback_reasons))


def _existing(claims: Partitions) -> Partitions:
    """Return the claims without negative partition numbers, which no member can hold."""
    return {topic: [n for n in numbers if n >= 0] for topic, numbers in claims.items()}


def answer_rebalance(
    name: str,
    joined: JoinedMembers,
    sizes: Mapping[str, int],
    measured: Measured,
    targets: Targets,
    decide: Callable[[Group, str | None], Decision],
    fallback_reason: str | None,
) -> RebalanceAnswer:
    """Return what every member gets.

    `sizes` and `measured` are those of the members' topics. `fallback_reason` says why there is no
    lag to plan with. `decide` plans; it gets the group with what counts as the members' own (see
    `prior_owners`), and the fallback reason if there is one. If the group is still the one that the
    target was made for, the target is the answer. Raises EquilagError if not even a heuristic can
    answer.
    """
    members = [one for one in joined.members if one.topics or one.claims]
    group = group_of(name, [replace(one, hints={}) for one in members], sizes)
    fallback_reasons = [*joined.fallback_reasons, *([fallback_reason] if fallback_reason else [])]
    target = targets.planned
    if target is not None and not joined.fallback_reasons and target.matches(joined.members, sizes):
        named = {one.id: target.assignment.get(member_key(one), {}) for one in members}
        assigned = read_assignment(group, named, [])
        if assigned is not None:
            before = group_of(name, with_prior_owners(members), sizes)
            return _answer(joined, group, before, assigned, target, "target")
        fallback_reasons.append("the plan made in advance does not fit the group")
    planned = group_of(name, with_prior_owners(members, targets.going_on), sizes, measured)
    decision = decide(planned, fallback_reasons[0] if fallback_reasons else None)
    if decision.fallback_reason and decision.fallback_reason not in fallback_reasons:
        fallback_reasons.append(decision.fallback_reason)
    assigned = decision.plan.assigned
    made = target_assignment(joined.members, by_name(group, assigned), sizes)
    try:
        answer = _answer(joined, group, planned, assigned, made, _origin_of(decision))
    except ValueError as error:
        raise EquilagError(f"no valid assignment: {error}") from error
    return replace(answer, fallback_reasons=tuple(fallback_reasons), left_out=decision.left_out)


def _origin_of(decision: Decision) -> Origin:
    if decision.is_sticky:
        return "sticky"
    return "heuristic" if decision.fallback_reason else "plan"


def _answer(
    joined: JoinedMembers,
    claimed: Group,
    before: Group,
    assigned: Index,
    target: TargetAssignment,
    origin: Origin,
) -> RebalanceAnswer:
    """What each member gets now on the way to `assigned` [P].

    `claimed` is the group with its claims as they were made, `before` with those who count as
    owners. Raises ValueError.
    """
    given = assignments_now(claimed, assigned, joined.cooperative)
    by_member = {one.id: given.get(one.id, {}) for one in joined.members}
    moves, withheld = count_moves(before, assigned), count_withheld(claimed, given)
    return RebalanceAnswer(by_member, target, origin, moves=moves, withheld=withheld)


def target_assignment(
    members: Sequence[JoinedMember], assignment: Mapping[str, Partitions], sizes: Mapping[str, int]
) -> TargetAssignment:
    """Return the target of an assignment by member id."""
    return TargetAssignment(
        {member_key(one): assignment.get(one.id, {}) for one in members if one.topics},
        topics_by_member(members),
        dict(sizes),
    )
