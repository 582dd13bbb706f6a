"""The steward's answers to rebalances: read what they need, decide within the limit, hand out."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from equilag.adapters.kafka.described import ClientPlace
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.domain.errors import EquilagError
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.assignments import (
    Answering,
    JoinedMembers,
    RebalanceAnswer,
    read_joined_members,
)
from equilag.live.rebalance.handouts import HandedOut
from equilag.live.rebalance.joined_members import (
    JoinedMember,
    MemberAssignments,
    client_id_in,
    member_key,
    speeds_of,
)
from equilag.live.rebalance.sticky_plan import sticky_decision
from equilag.live.status.event_log import log_event
from equilag.live.steward.group_membership import GroupMembership, JoinResult
from equilag.live.steward.shared_state import SharedState
from equilag.live.steward.take_over import without_missing
from equilag.live.steward.topic_lags import read_topic_lags


def needs_places(policy: Policy, members: Sequence[JoinedMember]) -> bool:
    """True if the policy makes instances of client ids or hosts, or if a pin names none that join
    requests tell: it may be a static member's client id."""
    given = policy
    if given.instances not in (None, "none"):
        return True
    known = {member.id for member in members}
    known |= {member.instance_id or client_id_in(member.id) or "" for member in members}
    return any(name not in known for _, _, name in given.pin)


def with_places(
    members: Sequence[JoinedMember], places: Mapping[str, ClientPlace]
) -> list[JoinedMember]:
    """Return the members with client id and host, where those are known."""
    unknown = ClientPlace(None, None)
    return [
        replace(member, client_id=place.client_id, host=place.host)
        for member in members
        for place in (places.get(member.id, unknown),)
    ]


class AnswerMaker:
    """Answers for one group. Only the thread of the leader loop uses `reader`."""

    def __init__(self, shared: SharedState, reader: GroupReader) -> None:
        self._shared = shared
        self._reader = reader
        self._left_out: tuple[str, ...] = ()

    def assign(self, joined: JoinResult, membership: GroupMembership) -> None:
        """Decide, send the assignments, and record them. Raises what the membership raises, and
        TopicsUnknown, MissingRight, EquilagError."""
        began = time.monotonic()
        members = self._members_of(joined)
        answer = self._answer_of(members)
        membership.sync({**answer.by_member, membership.member: {}})
        self._record(members, answer)
        state = self._shared.state
        state.count("handouts", answer.origin)
        for fallback_reason in answer.fallback_reasons:
            state.count("fallbacks")
            state.set(last_fallback_reason=fallback_reason)
        for line in answer.left_out if members.members else ():
            if line not in self._left_out:
                log_event(logging.WARNING, "policy", reason=line)
        self._left_out = answer.left_out
        state.set(last_assignment=f"{answer.origin} to {len(members.members)} members")
        log_event(
            logging.WARNING if answer.fallback_reasons else logging.INFO,
            "handed-out",
            generation=joined.generation,
            protocol=joined.protocol,
            members=len(members.members),
            origin=answer.origin,
            moves=answer.moves,
            withheld=answer.withheld,
            ms=round(1000 * (time.monotonic() - began)),
            fallback_reason="; ".join(answer.fallback_reasons),
        )

    def _record(self, joined: JoinedMembers, answer: RebalanceAnswer) -> None:
        shared, now = self._shared, time.monotonic()
        if not answer.waits_for:
            paused = shared.handouts.record(answer.target, not answer.withheld, now)
            if paused is not None:
                shared.controller.record_pause(paused)
            shared.end_take_over("all members are back")
            return
        held = {member_key(one): answer.by_member[one.id] for one in joined.members}
        shared.handouts.record_partial(held, now)
        shared.state.set(take_over_waits_for=answer.waits_for)
        log_event(
            logging.INFO,
            "take-over-waits",
            members=len(held),
            waits_for=answer.waits_for,
            partitions=answer.withheld,
        )

    def _members_of(self, joined: JoinResult) -> JoinedMembers:
        """Return the members that have joined, with what they held before."""
        if self._shared.together is not None:
            self._shared.together.protocol = joined.protocol
        held = self._shared.handouts.known.held
        read = read_joined_members(joined.protocol, joined.members, held)
        members = self._with_places(read)
        take_over = self._shared.take_over
        if take_over is None:
            return members
        take_over.note_joined(members.members, self.places())
        return replace(members, members=take_over.with_hints(members.members))

    def _answer_of(self, joined: JoinedMembers) -> RebalanceAnswer:
        """Return what each member gets; what missing members of a take-over held is with nobody."""
        take_over, known = self._shared.take_over, self._shared.handouts.known
        missing = [] if take_over is None else take_over.missing
        if take_over is None or not missing:
            return self._answer(joined, known)
        answer = self._answer(joined, known.without_target())
        given = without_missing(answer.by_member, missing)
        kept_back = _size(answer.by_member) - _size(given)
        return replace(
            answer,
            by_member=given,
            withheld=answer.withheld + kept_back,
            waits_for=take_over.waits_for,
        )

    def _answer(self, joined: JoinedMembers, known: HandedOut) -> RebalanceAnswer:
        topics = sorted({topic for member in joined.members for topic in member.topics})
        shared, options, observation = self._shared, self._shared.options, self._shared.observation
        read = read_topic_lags(self._reader, topics, options, observation)
        sizes = {topic: read.sizes[topic] for topic in topics if topic in read.sizes}
        settings = replace(options.in_rebalance, together=shared.together)
        speeds = {} if observation is None else observation.speeds
        capacities = {**speeds_of(joined.members, speeds), **read.measured.capacities}
        measured = replace(read.measured, capacities=capacities)
        decide = partial(sticky_decision, settings=settings)
        answering = Answering(options.group, joined, sizes, known)
        return answering.answer(measured, decide, read.fallback_reason)

    def _with_places(self, joined: JoinedMembers) -> JoinedMembers:
        """Return the members with client id and host, if the policy needs them: a join request has
        neither. Those of the last observation count, and the coordinator knows new members'."""
        options, observation = self._shared.options, self._shared.observation
        if not needs_places(options.policy, joined.members):
            return joined
        observed = observation.members if observation is not None else []
        places = {one.id: ClientPlace(one.client_id, one.host) for one in observed}
        if any(member.id not in places for member in joined.members if member.topics):
            places |= self.places()
        return replace(joined, members=with_places(joined.members, places))

    def places(self) -> dict[str, ClientPlace]:
        """Client id and host of all members by member id, as the coordinator knows them; {} if it
        does not answer."""
        options = self._shared.options
        with suppress(EquilagError):
            return self._reader.places(options.group, options.in_rebalance.time_limit)
        return {}


def _size(given: MemberAssignments) -> int:
    """Number of partitions in all assignments."""
    return sum(len(numbers) for topics in given.values() for numbers in topics.values())
