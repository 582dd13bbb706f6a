"""The steward's answers to rebalances: read what they need, decide within the limit, hand out."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Final

from equilag.adapters.kafka.described import ClientPlace, MissingRight
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.domain.errors import EquilagError
from equilag.domain.show import some_of
from equilag.live.rebalance.assignments import (
    Answering,
    JoinedMembers,
    RebalanceAnswer,
    read_joined_members,
)
from equilag.live.rebalance.handouts import HandedOut
from equilag.live.rebalance.joined_members import (
    MemberAssignments,
    client_id_in,
    member_key,
    needs_places,
    speed_names,
    speeds_of,
)
from equilag.live.rebalance.measured import (
    NOTHING_MEASURED,
    Measured,
    lags_of,
    too_few_lags,
    with_size,
)
from equilag.live.rebalance.sticky_plan import sticky_decision
from equilag.live.status.status import log_event
from equilag.live.steward.group_membership import GroupMembership, JoinResult
from equilag.live.steward.membership_errors import Unreachable
from equilag.live.steward.shared_state import SharedState
from equilag.live.steward.take_over import without_missing

_MAX_NAMES: Final = 6
"""Members that a line names."""


class TopicsUnknown(Unreachable):
    """The topics' sizes are unknown, so nothing can be assigned."""


class AnswerMaker:
    """Answers for one group. Only the thread of the leader loop uses `reader`."""

    def __init__(self, shared: SharedState, reader: GroupReader) -> None:
        self._shared = shared
        self._reader = reader
        self._left_out: tuple[str, ...] = ()
        self._ahead: Mapping[str, int] = {}
        """Sizes that were read while members joined; for one answer."""

    @contextmanager
    def reading_ahead(self) -> Iterator[None]:
        """Read the sizes of the known topics meanwhile, for the next answer."""
        reading = threading.Thread(target=self._read_ahead, name="sizes", daemon=True)
        reading.start()
        try:
            yield
        finally:
            reading.join()

    def _read_ahead(self) -> None:
        observation, limit = self._shared.observation, self._shared.options.in_rebalance.time_limit
        with suppress(EquilagError):
            if observation is not None:
                self._ahead = self._reader.sizes(observation.read_topics, limit)

    def assign(self, joined: JoinResult, membership: GroupMembership) -> None:
        """Decide, send the assignments, and record them. Raises what the membership raises, and
        TopicsUnknown, MissingRight, EquilagError."""

        def send(by_member: MemberAssignments) -> None:
            membership.sync({**by_member, membership.member: {}})

        self.hand_out(self._members_of(joined), joined.generation, joined.protocol, send)

    def hand_out(
        self,
        members: JoinedMembers,
        generation: int,
        protocol: str,
        send: Callable[[MemberAssignments], None],
    ) -> None:
        """The same for these members; raises what `send` raises, too."""
        began = time.monotonic()
        answer = self._answer_of(members)
        send(answer.by_member)
        self._tell_changes(members)
        self._record(members, answer)
        state, number = self._shared.state, len(members.members)
        state.count("handouts", answer.origin)
        state.set(
            unowned_partitions=answer.withheld,
            last_assignment=f"{answer.origin} to {number} members",
        )
        for fallback_reason in answer.fallback_reasons:
            state.count("fallbacks")
            state.set(last_fallback_reason=fallback_reason)
        for line in answer.left_out if number else ():
            if line not in self._left_out:
                log_event(logging.WARNING, "policy", reason=line)
        self._left_out = answer.left_out
        log_event(
            logging.WARNING if answer.fallback_reasons else logging.INFO,
            "handed-out",
            generation=generation,
            protocol=protocol,
            members=number,
            origin=answer.origin,
            moves=answer.moves,
            withheld=answer.withheld,
            ms=round(1000 * (time.monotonic() - began)),
            fallback_reason="; ".join(answer.fallback_reasons),
        )

    def _tell_changes(self, joined: JoinedMembers) -> None:
        """Log who came and who is gone; who did not commit before is likely to have died."""
        before, observation = self._shared.control.handouts.known.held, self._shared.observation
        now = {member_key(one): one for one in joined.members if one.topics}
        observed = [] if observation is None else observation.members
        names = {**speed_names(joined.members), **speed_names(observed)}
        silent = {} if observation is None else observation.silent
        gone = [
            f"{client_id_in(key) or names.get(key, key)}"
            + (f" (no commit for {silent[key]:.0f} s)" if key in silent else "")
            for key in sorted(set(before) - set(now))
        ]
        new = [client_id_in(key) or names.get(key, key) for key in sorted(set(now) - set(before))]
        if before and (gone or new):
            parts = (("gone", gone), ("new", new))
            told = [f"{what}: {some_of(who, _MAX_NAMES)}" for what, who in parts if who]
            log_event(logging.INFO, "members", reason="; ".join(told))

    def _record(self, joined: JoinedMembers, answer: RebalanceAnswer) -> None:
        shared = self._shared
        if not answer.waits_for:
            shared.control.record(answer)
            shared.end_take_over("all members are back")
            return
        held = {member_key(one): answer.by_member[one.id] for one in joined.members}
        shared.control.handouts.record_partial(held, time.monotonic())
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
        held = self._shared.control.handouts.known.held
        read = read_joined_members(joined.protocol, joined.members, held)
        members = self._with_places(read)
        take_over = self._shared.take_over
        if take_over is None:
            return members
        take_over.note_joined(members.members, self.places())
        return replace(members, members=take_over.with_hints(members.members))

    def _answer_of(self, joined: JoinedMembers) -> RebalanceAnswer:
        """Return what each member gets; what missing members of a take-over held is with nobody."""
        take_over, known = self._shared.take_over, self._shared.control.handouts.known
        missing = [] if take_over is None else take_over.missing
        if take_over is None or not missing:
            return self._answer(joined, known)
        answer = self._answer(joined, known.without_target())
        given, kept_back = without_missing(answer.by_member, missing)
        return replace(
            answer,
            by_member=given,
            withheld=answer.withheld + kept_back,
            waits_for=take_over.waits_for,
        )

    def _answer(self, joined: JoinedMembers, known: HandedOut) -> RebalanceAnswer:
        topics = sorted({topic for member in joined.members for topic in member.topics})
        shared, options, observation = self._shared, self._shared.options, self._shared.observation
        read, measured, fallback_reason = self._read(topics)
        sizes = {topic: read[topic] for topic in topics if topic in read}
        speeds = {} if observation is None else observation.speeds
        capacities = {**speeds_of(joined.members, speeds), **measured.capacities}
        keys = {one.id: member_key(one) for one in joined.members}
        by_id = {one: capacities[key] for one, key in keys.items() if key in capacities}
        settings = replace(options.in_rebalance, together=shared.together)
        decide = partial(sticky_decision, settings=settings, speeds=by_id)
        answering = Answering(options.group, joined, sizes, known)
        measured = replace(measured, capacities=capacities)
        return answering.answer(measured, decide, fallback_reason)

    def _read(self, topics: list[str]) -> tuple[Mapping[str, int], Measured, str | None]:
        """Return sizes of the topics, what is measured of them, and why that is not good enough for
        a plan, if so: the group waits, so the lags are those of the last observation, and are read
        only where it does not have them.

        Sizes are read in one request, unless that was done ahead. Raises TopicsUnknown, and
        MissingRight if the steward may not describe a topic.
        """
        options, observation = self._shared.options, self._shared.observation
        limit, (ahead, self._ahead) = options.in_rebalance.time_limit, (self._ahead, {})
        if not topics:
            return {}, NOTHING_MEASURED, None
        if observation is not None and observation.read_topics.issuperset(topics):
            age = time.monotonic() - observation.at
            measured = replace(observation.measured, age=age)
            old = f"the newest lags are {age:.0f} s old" if age > options.lag_age else None
            try:
                sizes = ahead if ahead.keys() >= {*topics} else self._sizes(topics, limit)
            except TopicsUnknown:
                return observation.sizes, measured, old
            if all(sizes.get(topic) == observation.sizes.get(topic) for topic in topics):
                return sizes, measured, old or too_few_lags(with_size(measured.lags, sizes))
        try:
            offsets = self._reader.lags(options.group, topics, limit)
        except MissingRight:
            raise
        except EquilagError as error:
            sizes = self._sizes(topics, options.session / 2)
            return sizes, NOTHING_MEASURED, f"no lag: {error}"
        # Lags and racks are those of the offsets; whatever else is measured takes several looks.
        before = NOTHING_MEASURED if observation is None else observation.measured
        racks = offsets.racks if options.policy.minds_racks else None
        lags = lags_of(offsets.committed, offsets.log_start, offsets.log_end, options.reset)
        measured = replace(before, lags=lags, racks=racks or None, age=0.0)
        return offsets.sizes, measured, too_few_lags(with_size(lags, offsets.sizes))

    def _sizes(self, topics: list[str], timeout: float) -> Mapping[str, int]:
        """Return the topics' sizes. Without them nothing can be assigned, so they may take long."""
        try:
            return self._reader.sizes(topics, timeout)
        except MissingRight:
            raise
        except EquilagError as error:
            raise TopicsUnknown(f"the topics cannot be read: {error}") from error

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
        unknown = ClientPlace(None, None)
        members = [
            replace(member, client_id=place.client_id, host=place.host)
            for member in joined.members
            for place in (places.get(member.id, unknown),)
        ]
        return replace(joined, members=members)

    def places(self) -> dict[str, ClientPlace]:
        """Client id and host of all members by member id, as the coordinator knows them; {} if it
        does not answer."""
        options = self._shared.options
        with suppress(EquilagError):
            return self._reader.places(options.group, options.in_rebalance.time_limit)
        return {}
