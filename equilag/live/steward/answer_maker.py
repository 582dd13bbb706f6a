"""Makes the steward's answers to rebalances: reads what they need, and decides within the limit."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from equilag.adapters.kafka.described import ClientPlace
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.errors import EquilagError
from equilag.group import Group
from equilag.live.rebalance.decision import Decision
from equilag.live.rebalance.gain import Gain
from equilag.live.rebalance.joined_members import member_key
from equilag.live.rebalance.measured import Measured, capacities_in_force
from equilag.live.rebalance.rebalance_answer import answer_of
from equilag.live.rebalance.worth import Pause, judge
from equilag.live.steward.assignments import (
    JoinedMembers,
    RebalanceAnswer,
    Targets,
    answer_rebalance,
    read_joined_members,
)
from equilag.live.steward.group_membership import JoinResult
from equilag.live.steward.member_places import needs_places, with_places
from equilag.live.steward.shared_state import SharedState
from equilag.live.steward.topic_lags import read_topic_lags


class AnswerMaker:
    """Answers for one group. Only the thread of the leader loop uses `reader`."""

    def __init__(self, shared: SharedState, reader: GroupReader) -> None:
        self._shared = shared
        self._reader = reader

    def members_of(self, joined: JoinResult) -> JoinedMembers:
        """Return the members that have joined, with what they held before."""
        if self._shared.together is not None:
            self._shared.together.protocol = joined.protocol
        entries = [(one.id, one.instance_id, one.metadata) for one in joined.members]
        return self._with_places(read_joined_members(joined.protocol, entries, self._shared.held))

    def answer(self, joined: JoinedMembers) -> RebalanceAnswer:
        """Return what each member gets. Raises TopicsUnknown, MissingRight, EquilagError."""
        topics = sorted({topic for member in joined.members for topic in member.topics})
        shared, options = self._shared, self._shared.options
        read = read_topic_lags(self._reader, topics, options, shared.observation)
        sizes = {topic: read.sizes[topic] for topic in topics if topic in read.sizes}
        settings = replace(options.in_rebalance, together=shared.together)
        keys = [member_key(member) for member in joined.members]
        capacities = capacities_in_force(keys, shared.capacities, read.measured.capacities)
        measured = replace(read.measured, capacities=capacities)
        pause = Pause(shared.controller.pause_s, joined.cooperative, standing=True)

        def worth_it(gain: Gain) -> bool:
            return judge(gain, options.thresholds, pause).worth_it

        def decide(group: Group, fallback_reason: str | None) -> Decision:
            return answer_of(group, settings, worth_it, fallback_reason, measured)

        targets = Targets(shared.target, shared.unfinished)
        try:
            return answer_rebalance(
                options.group, joined, sizes, measured, targets, decide, read.fallback_reason
            )
        except EquilagError as error:  # such as lags whose sum is out of range
            racks = Measured(racks=measured.racks)
            targets = Targets(None, shared.unfinished)
            return answer_rebalance(
                options.group, joined, sizes, racks, targets, decide, str(error)
            )

    def _with_places(self, joined: JoinedMembers) -> JoinedMembers:
        """Return the members with client id and host, if the policy needs them: a join request has
        neither. Those of the last observation count, and the coordinator knows new members'."""
        options, observation = self._shared.options, self._shared.observation
        if not needs_places(options.policy, joined.members):
            return joined
        observed = observation.members if observation is not None else []
        places = {one.id: ClientPlace(one.client_id, one.host) for one in observed}
        if any(member.id not in places for member in joined.members if member.topics):
            with suppress(EquilagError):
                places |= self._reader.places(options.group, options.in_rebalance.time_limit)
        return replace(joined, members=with_places(joined.members, places))
