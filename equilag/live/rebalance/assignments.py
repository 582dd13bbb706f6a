"""The leader's answer to a rebalance: the target made in advance, or a plan made now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from equilag.adapters.kafka.consumer_protocol import BrokenRecord, Subscription, read_subscription
from equilag.domain.errors import EquilagError, describe_error
from equilag.domain.group.group import Group, Index
from equilag.domain.plan.assignment import by_name, read_assignment
from equilag.domain.plan.metrics import count_moves
from equilag.live.rebalance.decision import Decision, Origin
from equilag.live.rebalance.handouts import HandedOut, TargetAssignment, counts_of
from equilag.live.rebalance.joined_members import (
    JoinedMember,
    MemberAssignments,
    Partitions,
    assignments_now,
    client_id_in,
    count_withheld,
    group_of,
    member_key,
    with_prior_owners,
)
from equilag.live.rebalance.measured import Measured, shares_in_force

COOPERATIVE: Final = "cooperative-sticky"
BUILT_IN: Final = ("range", "roundrobin", "sticky", COOPERATIVE)
"""The protocol names of the assignors in Kafka's clients, in the steward's order of preference."""
Decide = Callable[[Group], Decision]


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
    return "cooperative" in protocol


def read_joined_members(
    protocol: str, entries: Iterable[tuple[str, str | None, bytes]], held: Mapping[str, Partitions]
) -> JoinedMembers:
    """Decode the members: member id, instance id and subscription of each.

    `held` maps member keys to the partitions that they held before. One that was expelled comes
    back with another id: it held what one of its client id did that is gone. If a subscription
    cannot be decoded, the member counts as subscribed to the topics that it held.
    """
    entries = list(entries)
    gone = held.keys() - {instance or member for member, instance, _ in entries}
    by_client = {client_id_in(key): held[key] for key in sorted(gone) if client_id_in(key)}
    members = []
    fallback_reasons = []
    for member, instance, metadata in entries:
        key = instance or member
        before = held[key] if key in held else by_client.pop(client_id_in(key), {})
        try:
            subscription = read_subscription(metadata)
        except BrokenRecord as error:
            reason = f"the subscription of {instance or member} cannot be read: {error}"
            fallback_reasons.append(reason)
            owned = {topic: [*numbers] for topic, numbers in before.items()}
            subscription = Subscription(sorted(owned), owned=owned)
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


class Answering:
    """One rebalance of a group, which has to be answered."""

    def __init__(
        self, name: str, joined: JoinedMembers, sizes: Mapping[str, int], known: HandedOut
    ) -> None:
        """`sizes` are those of the members' topics, `known` what was handed out before."""
        self._name, self._joined, self._sizes, self._known = name, joined, sizes, known
        self._members = [one for one in joined.members if one.topics or one.claims]
        self._claimed = group_of(name, [replace(one, hints={}) for one in self._members], sizes)
        """With the claims as they were made."""
        self._owners = with_prior_owners(self._members, known.going_on)

    def answer(
        self, measured: Measured, decide: Decide, fallback_reason: str | None
    ) -> RebalanceAnswer:
        """Return what every member gets.

        If the group is still the one that the target was made for, the target is the answer. Else
        `decide` plans, with what counts as the members' own (see `with_prior_owners`).
        `fallback_reason` says why there is no lag to plan with. If planning fails with what was
        `measured`, it goes on without. Raises EquilagError if not even a heuristic can answer.
        """
        reasons = [*self._joined.fallback_reasons, *([fallback_reason] if fallback_reason else [])]
        target = self._known.target
        if (
            target is not None
            and not self._joined.fallback_reasons
            and target.matches(self._joined.members, self._sizes)
        ):
            if (answer := self._by_target(target)) is not None:
                return answer
            reasons.append("the plan made in advance does not fit the group")
        shares = self._shares(measured)
        measured = replace(measured, capacities=shares)
        try:
            return self._planned(measured, decide, reasons)
        except Exception as error:  # noqa: BLE001  the lags may be anything
            unusable = f"the lags cannot be used: {describe_error(error)}"
        reasons = [*self._joined.fallback_reasons, unusable]
        return self._planned(Measured(racks=measured.racks, capacities=shares), decide, reasons)

    def _shares(self, measured: Measured) -> dict[str, float]:
        """The members' shares in force; in the middle of a change what they have of it."""
        shares = self._known.shares
        if shares and self._known.unfinished:
            held = {member_key(one): one.claims for one in self._owners if one.claims}
            shares = {key: count for key, count in counts_of(held).items() if key in shares}
        keys = [member_key(member) for member in self._joined.members]
        return shares_in_force(keys, shares, measured.capacities)

    def _by_target(self, target: TargetAssignment) -> RebalanceAnswer | None:
        named = {one.id: target.assignment.get(member_key(one), {}) for one in self._members}
        assigned = read_assignment(self._claimed, named, [])
        if assigned is None:
            return None
        before = group_of(self._name, with_prior_owners(self._members), self._sizes)
        return self._given(before, assigned, target, "target")

    def _planned(self, measured: Measured, decide: Decide, reasons: list[str]) -> RebalanceAnswer:
        group = group_of(self._name, self._owners, self._sizes, measured)
        decision = decide(group)
        if decision.fallback_reason:
            reasons = [*reasons, decision.fallback_reason]
        origin: Origin = "heuristic" if decision.fallback_reason else "sticky"
        assignment = by_name(self._claimed, decision.plan.assigned)
        target = TargetAssignment.of(
            self._joined.members, assignment, self._sizes, measured.capacities
        )
        try:
            answer = self._given(group, decision.plan.assigned, target, origin)
        except ValueError as error:
            raise EquilagError(f"no valid assignment: {error}") from error
        return replace(answer, fallback_reasons=tuple(reasons), left_out=decision.left_out)

    def _given(
        self, before: Group, assigned: Index, target: TargetAssignment, origin: Origin
    ) -> RebalanceAnswer:
        """What each member gets now on the way to `assigned` [P]; `before` has those who count as
        owners. Raises ValueError."""
        given = assignments_now(self._claimed, assigned, self._joined.cooperative)
        by_member = {one.id: given.get(one.id, {}) for one in self._joined.members}
        moves, withheld = count_moves(before, assigned), count_withheld(self._claimed, given)
        return RebalanceAnswer(by_member, target, origin, moves=moves, withheld=withheld)
