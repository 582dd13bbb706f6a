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
from equilag.live.rebalance.gain import (
    PERFECT,
    Gain,
    Imbalance,
    Thresholds,
    gain_of,
    imbalance_of,
)
from equilag.live.rebalance.joined_members import JoinedMember, Partitions, group_of
from equilag.live.rebalance.kept_together import KeptTogether
from equilag.live.rebalance.member_assignments import MemberAssignments
from equilag.live.steward.assignments import TargetAssignment, member_key, target_assignment

Lags = dict[str, list[int | None]]


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
    lags: Lags
    group: Group
    remarks: list[str]
    decision: Decision | None = None
    """None if no plan could be worth a rebalance."""

    @property
    def unowned(self) -> int:
        """Number of subscribed partitions without an owner."""
        return int(np.count_nonzero(self.group.assignable & (self.group.owner == NOBODY)))

    @property
    def incomplete(self) -> bool:
        """True if a partition has no owner, or a member owns a deleted partition."""
        return bool(self.unowned or self.group.dropped_claims)

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
    """Observes one group with `reader`. Members with an instance id in `ours` are left out."""

    def __init__(
        self,
        reader: GroupReader,
        group: str,
        ours: frozenset[str],
        reset: str,
        thresholds: Thresholds,
        decide: Callable[[Group, str | None], Decision],
        together: KeptTogether | None = None,
    ) -> None:
        self._reader = reader
        self._group = group
        self._ours = ours
        self._reset = reset
        self._thresholds = thresholds
        self._decide = decide
        self._together = together

    def observe(self) -> Observation:
        """Read the group and plan. Raises EquilagError; TemporarilyUnreadable while it
        rebalances."""
        reading = self._reader.read(self._group)
        if self._together is not None:
            self._together.protocol = reading.protocol
        others = [one for one in reading.members if one.instance_id not in self._ours]
        topics = reading.offsets.sizes
        members = [
            JoinedMember(
                one.id,
                one.topics,
                one.owned,
                instance_id=one.instance_id,
                rack=one.rack,
            )
            for one in others
        ]
        sizes = {
            topic: size
            for topic, size in topics.items()
            if any(topic in member.topics for member in members)
        }
        lags = lags_of(reading.offsets, self._reset)
        group = group_of(self._group, members, sizes, lags)
        observation = Observation(
            at=time.monotonic(),
            kind=reading.kind,
            state=reading.state,
            protocol=reading.protocol,
            members=members,
            held={member_key(member): member.claims for member in members},
            sizes=sizes,
            lags=lags,
            group=group,
            remarks=list(reading.remarks),
        )
        if not self._needs_plan(observation):
            return observation
        return replace(observation, decision=self._decide(group, None))

    def _needs_plan(self, observation: Observation) -> bool:
        """True if a perfect plan would be worth a rebalance, or partitions need an owner."""
        group = observation.group
        if not group.n_members or not group.assignable.any():
            return False
        if observation.incomplete:
            return True
        return observation.ideal.reaches(self._thresholds)


def lags_of(offsets: TopicOffsets, reset: str) -> Lags:
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
    lags: Sequence[int | None] = [
        None if is_unknown else lag
        for lag, is_unknown in zip(group.lag.tolist(), unknown.tolist(), strict=True)
    ]
    starts: Sequence[int] = group.topic_start.tolist()
    return {
        topic: list(lags[begin:end])
        for topic, begin, end in zip(group.topics, starts[:-1], starts[1:], strict=True)
    }


def known_share(lags: Mapping[str, Sequence[int | None]]) -> tuple[int, int]:
    """Return the number of partitions with a known lag, and of all partitions."""
    values = [value for lag in lags.values() for value in lag]
    return sum(value is not None for value in values), len(values)
