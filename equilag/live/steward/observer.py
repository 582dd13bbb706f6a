"""Observations of the group from outside: who owns what, the lag, and a plan's gain."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from equilag.adapters.kafka.group_reader import GroupReader, TopicOffsets
from equilag.assignment import read_assignment
from equilag.group import NOBODY, Group
from equilag.lag import UNKNOWN
from equilag.live.rebalance.decision import Decision
from equilag.live.rebalance.fitting_policy import with_capacities
from equilag.live.rebalance.gain import (
    PERFECT,
    Gain,
    Imbalance,
    gain_of,
    imbalance_of,
)
from equilag.live.rebalance.joined_members import (
    JoinedMember,
    Partitions,
    group_of,
    member_key,
)
from equilag.live.rebalance.kept_rules import count_broken
from equilag.live.rebalance.kept_together import KeptTogether
from equilag.live.rebalance.measured import Lags, Measured
from equilag.live.rebalance.member_assignments import MemberAssignments
from equilag.live.steward.assignments import TargetAssignment, target_assignment
from equilag.live.steward.steward_options import StewardOptions


@dataclass(frozen=True, slots=True)
class Observation:
    """The group at one moment, without the steward, and a plan for it."""

    at: float
    """Seconds of the monotonic clock."""
    kind: str
    """Either "classic" or "consumer" (KIP-848)."""
    state: str
    protocol: str
    members: list[JoinedMember]
    held: dict[str, Partitions]
    """Member key -> owned partitions."""
    sizes: dict[str, int]
    measured: Measured
    group: Group
    remarks: list[str]
    broken: int = 0
    """Partitions that break a rule of the policy, and that a plan could put right."""
    decision: Decision | None = None
    """None if no plan could be worth a rebalance."""

    @property
    def unowned(self) -> int:
        """Number of subscribed partitions without an owner."""
        return int(np.count_nonzero(self.group.assignable & (self.group.owner == NOBODY)))

    @property
    def complete(self) -> bool:
        """True if every subscribed partition has an owner, and no member owns a deleted one."""
        return not self.unowned and not self.group.dropped_claims

    @property
    def to_repair(self) -> bool:
        """True if a rebalance has to put something right, whatever the lag."""
        return not self.complete or self.broken > 0

    @property
    def unchanged(self) -> Gain:
        """The gain of changing nothing: its imbalance is the current one."""
        return gain_of(self.group, self.group.owner, self.group.owner)

    @property
    def ideal(self) -> Gain:
        """The gain of a perfect plan: all excess saved without a move. No plan gains more."""
        return replace(self.unchanged, planned=PERFECT)

    @property
    def gain(self) -> Gain | None:
        """The gain of the plan."""
        if self.decision is None:
            return None
        return gain_of(self.group, self.group.owner, self.decision.plan.assigned)

    @property
    def target(self) -> TargetAssignment | None:
        """The plan as a target assignment."""
        if self.decision is None:
            return None
        return target_assignment(self.members, self.decision.plan.assignment, self.sizes)


def imbalance_under(group: Group, assignment: MemberAssignments) -> Imbalance | None:
    """Return the imbalance now under another assignment by member id; None if it no longer fits
    the group."""
    assigned = read_assignment(group, assignment, [])
    if assigned is None:
        return None
    return imbalance_of(group, assigned)


class GroupObserver:
    """Observes the group of `options` with `reader`; the steward itself is left out."""

    def __init__(
        self,
        reader: GroupReader,
        options: StewardOptions,
        decide: Callable[[Group, str | None], Decision],
        together: KeptTogether | None = None,
    ) -> None:
        self._reader = reader
        self._options = options
        self._decide = decide
        self._together = together

    def observe(self) -> Observation:
        """Read the group and plan. Raises EquilagError; TemporarilyUnreadable while it
        rebalances."""
        name, policy = self._options.group, self._options.policy
        reading = self._reader.read(name)
        if self._together is not None:
            self._together.protocol = reading.protocol
        others = [one for one in reading.members if one.instance_id != self._options.instance]
        topics = reading.offsets.sizes
        members = [
            JoinedMember(
                one.id,
                one.topics,
                one.owned,
                instance_id=one.instance_id,
                rack=one.rack,
                client_id=one.client_id,
                host=one.host,
            )
            for one in others
        ]
        sizes = {
            topic: size
            for topic, size in topics.items()
            if any(topic in member.topics for member in members)
        }
        measured = measured_of(reading.offsets, self._options)
        group = with_capacities(group_of(name, members, sizes, measured), policy)
        observation = Observation(
            at=time.monotonic(),
            kind=reading.kind,
            state=reading.state,
            protocol=reading.protocol,
            members=members,
            held={member_key(member): member.claims for member in members},
            sizes=sizes,
            measured=measured,
            group=group,
            remarks=list(reading.remarks),
            broken=count_broken(group, policy, group.owner),
        )
        if not self._needs_plan(observation):
            return observation
        decision = self._decide(group, None)
        # What the plan breaks too, no rebalance puts right.
        left = observation.broken and count_broken(group, policy, decision.plan.assigned)
        return replace(observation, decision=decision, broken=max(0, observation.broken - left))

    def _needs_plan(self, observation: Observation) -> bool:
        """True if a perfect plan would be worth a rebalance, or partitions need an owner."""
        group = observation.group
        if not group.n_members or not group.assignable.any():
            return False
        if observation.to_repair:
            return True
        return observation.ideal.reaches(self._options.thresholds)


def measured_of(offsets: TopicOffsets, options: StewardOptions) -> Measured:
    """Return lags, and racks if the policy minds them. Raises InputError."""
    racks = offsets.racks if options.policy.minds_racks else None
    return Measured(_lags_of(offsets, options.reset), racks or None)


def _lags_of(offsets: TopicOffsets, reset: str) -> Lags:
    """Return the lag of each partition [partitions] by topic, in records; None if unknown.

    Raises InputError.
    """
    group = Group.build(
        name="",
        topics=offsets.sizes,
        members=[],
        subscriptions={},
        offsets=offsets.arrays(),
        auto_offset_reset=reset,
        unknown_lags=offsets.unknown,
    )
    unknown = group.quality == UNKNOWN
    lags: list[int | None] = [
        None if is_unknown else lag
        for lag, is_unknown in zip(group.lag.tolist(), unknown.tolist(), strict=True)
    ]
    starts: Sequence[int] = group.topic_start.tolist()
    return {
        topic: lags[begin:end]
        for topic, begin, end in zip(group.topics, starts[:-1], starts[1:], strict=True)
    }


def known_share(lags: Mapping[str, Sequence[int | None]]) -> tuple[int, int]:
    """Return the number of partitions with a known lag, and of all partitions."""
    values = [value for lag in lags.values() for value in lag]
    return sum(value is not None for value in values), len(values)
