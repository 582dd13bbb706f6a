"""Observations of the group from outside: who owns what, its lag, its rates and its speeds."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from equilag.adapters.kafka.group_reader import GroupReader
from equilag.adapters.kafka.reading import RECONCILING, Reading, TopicOffsets
from equilag.adapters.measuring.topic_columns import ObservedOffsets
from equilag.domain.group.group import NOBODY, Group
from equilag.live.rebalance.assignments import is_cooperative
from equilag.live.rebalance.controller import SeenGroup
from equilag.live.rebalance.fitting_policy import count_broken, with_capacities
from equilag.live.rebalance.joined_members import (
    JoinedMember,
    Partitions,
    group_of,
    member_key,
    speed_names,
)
from equilag.live.rebalance.kept_together import KeptTogether
from equilag.live.rebalance.measured import Measured, lags_of, measured_loads
from equilag.live.status.state_file import KeptState
from equilag.live.steward.steward_options import StewardOptions
from equilag.live.tracking.load_tracker import LoadTracker


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation(SeenGroup):
    """The group as the steward sees it."""

    at: float
    """Seconds of the monotonic clock, when the offsets were read."""
    kind: str
    """Either "classic" or "consumer" (KIP-848)."""
    protocol: str
    remarks: list[str]
    speeds: Mapping[str, float]
    """The speeds among the capacities by the name of the member, see `speed_names`."""
    silent: Mapping[str, float]
    """Member key -> seconds for which a member with unread records has committed nothing, of those
    that usually commit sooner."""
    broken: int
    """Partitions that break a rule of the policy."""
    settled: bool
    """False while members of a KIP-848 group change partitions: what they hold is no plan."""

    @property
    def group(self) -> Group:
        return self.loads.group

    @property
    def read_topics(self) -> set[str]:
        """The topics that members subscribe to."""
        return {topic for member in self.members for topic in member.topics}

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
        """True if a rebalance may have to put something right, whatever the load."""
        return not self.complete or self.broken > 0


class GroupObserver:
    """Observes the group of `options` with `reader`, and learns rates and speeds in `kept`."""

    def __init__(
        self,
        reader: GroupReader,
        options: StewardOptions,
        kept: KeptState,
        together: KeptTogether | None = None,
    ) -> None:
        self._reader = reader
        self._options = options
        self._kept = kept
        self._tracker = kept.tracker
        self._together = together

    def observe(self, rebalances: int = 0) -> Observation:
        """Read the group after so many rebalances. Raises EquilagError; TemporarilyUnreadable while
        it rebalances."""
        options, began = self._options, time.monotonic()
        reading = self._reader.read(options.group)
        at = time.monotonic()
        if self._together is not None:
            self._together.protocol = reading.protocol
        members, names, _ = tracked(self._tracker, reading, at)
        topics = {topic for member in members for topic in member.topics}
        sizes = {topic: n for topic, n in reading.offsets.sizes.items() if topic in topics}
        self._kept.save_sometimes(at)
        silent = self._tracker.silent_s()
        measured = self._measured(reading.offsets, sizes, names, at)
        group = group_of(options.group, members, sizes, measured)
        group = with_capacities(group, options.policy)
        return Observation(
            cooperative=reading.kind == "consumer" or is_cooperative(reading.protocol),
            at=at,
            kind=reading.kind,
            protocol=reading.protocol,
            members=members,
            held={member_key(member): member.claims for member in members},
            sizes=sizes,
            measured=measured,
            loads=measured_loads(group, options.policy, measured),
            remarks=list(reading.remarks),
            speeds={
                names[key]: speed
                for key, speed in measured.capacities.items()
                if self._tracker.has_speed(names[key])
            },
            silent={key: silent[name] for key, name in names.items() if name in silent},
            broken=count_broken(group, options.policy, group.owner),
            settled=reading.state not in RECONCILING,
            rebalances=rebalances,
            began=began,
        )

    def close(self) -> None:
        """Keep what was learnt."""
        self._kept.save(time.monotonic())

    def _measured(
        self, offsets: TopicOffsets, sizes: Mapping[str, int], names: Mapping[str, str], at: float
    ) -> Measured:
        rates, errors = self._tracker.rates(sizes)
        policy = self._options.policy
        racks = offsets.racks if policy.minds_racks else None
        # The user's capacities may be in any unit, so that measured ones do not go with them.
        given = bool(policy.capacity)
        speeds = {} if given else self._tracker.capacities(names.values(), at)
        return Measured(
            lags_of(offsets.committed, offsets.log_start, offsets.log_end, self._options.reset),
            racks or None,
            rates=rates,
            rate_errors=errors,
            capacities={key: speeds[name] for key, name in names.items() if name in speeds},
            guessed={key for key, name in names.items() if not self._tracker.has_speed(name)},
            commit_s=self._tracker.commit_s,
        )


def tracked(
    tracker: LoadTracker, reading: Reading, at: float
) -> tuple[list[JoinedMember], dict[str, str], dict[str, Partitions]]:
    """Let the tracker learn from what was read at a time. Return the members that read something,
    the names of their speeds by member key, and what they hold by that name."""
    members, offsets = members_with_topics(reading), reading.offsets
    names = speed_names(members)
    held = {names[member_key(one)]: one.claims for one in members}
    tracker.add(ObservedOffsets(at, offsets.log_start, offsets.log_end, offsets.committed, held))
    return members, names, held


def members_with_topics(reading: Reading) -> list[JoinedMember]:
    """Members that read something: stewards, this one included, do not."""
    return [
        JoinedMember(
            one.id,
            one.topics,
            one.owned,
            instance_id=one.instance_id,
            rack=one.rack,
            client_id=one.client_id,
            host=one.host,
        )
        for one in reading.members
        if one.topics
    ]
