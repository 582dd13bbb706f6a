"""One group that the exporter reads again and again: its rates, speeds, verdict and sizes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from equilag.adapters.kafka.reading import Reading
from equilag.adapters.measuring.topic_columns import ObservedOffsets
from equilag.domain.building.group_input import PartitionOffsets
from equilag.domain.group.group import Group
from equilag.domain.group.member import Member
from equilag.domain.policy.policy import Policy
from equilag.live.exporter.group_answer import GroupAnswer, answer_of
from equilag.live.exporter.group_scaler import GroupScaler
from equilag.live.rebalance.joined_members import member_key, speed_names
from equilag.live.steward.observer import members_with_topics
from equilag.live.tracking.load_tracker import LoadTracker
from equilag.planner.worth.thresholds import VerdictLimits

EARLIER_S: Final = 300.0
"""How long ago the earlier sample of a verdict is at most: what has not moved since is stuck."""

Held = dict[str, dict[str, Sequence[int]]]


class _Moment(NamedTuple):
    at: float
    sizes: dict[str, int]
    held: Held
    offsets: PartitionOffsets


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How groups are judged."""

    limits: VerdictLimits
    policy: Policy
    reset: str


class WatchedGroup:
    """For one thread at a time; times are seconds of a monotonic clock."""

    def __init__(self, settings: JudgeSettings, scaler: GroupScaler) -> None:
        self._scaler = scaler
        self._settings = settings
        self._tracker = LoadTracker()
        self._earlier: deque[_Moment] = deque()
        self.read_at = float("-inf")
        self._group: Group | None = None
        self._answer: GroupAnswer | None = None

    def add(self, reading: Reading, at: float) -> None:
        """Judge what was read at a time. Raises InputError for a group that is none."""
        members, offsets = members_with_topics(reading), reading.offsets
        names = speed_names(members)
        held = {names[member_key(one)]: dict(one.claims) for one in members}
        self._tracker.add(
            ObservedOffsets(at, offsets.log_start, offsets.log_end, offsets.committed, held)
        )
        given = reading.group_input(self._settings.reset)
        rates, _ = self._tracker.rates(offsets.sizes)
        if any(rate is not None for row in rates.values() for rate in row):
            given["rates"] = rates
        by_name = self._tracker.capacities(names.values(), at)
        speeds = {one.id: by_name.get(names[member_key(one)]) for one in members}
        if not self._settings.policy.capacity:  # which may be in any unit
            given["members"] = [
                replace(one, capacity=speeds.get(one.id))
                for one in given["members"]
                if isinstance(one, Member)
            ]
        now = _Moment(at, offsets.sizes, held, offsets.arrays())
        if (before := self._before(now)) is not None:
            given["previous"] = round(at - before.at, 3), before.offsets
        self._group = group = Group.build(**given)
        least = self._scaler.least(group)
        self._answer = answer_of(group, self._settings.limits, self._settings.policy, least)
        self.read_at = at

    def staleness(self, now: float) -> float:
        """How much the group needs to be sized again: from 1 on it does."""
        group = self._group
        return 0.0 if group is None or not group.n_members else self._scaler.staleness(group, now)

    def size(self, now: float) -> None:
        """Compute how many members help. Never raises what a group can cause."""
        if self._group is not None:
            self._scaler.size(self._group, now)

    def _before(self, now: _Moment) -> _Moment | None:
        """The oldest moment within the time at which the same members held the same."""
        moments = self._earlier
        while moments and (
            moments[0].at < now.at - EARLIER_S
            or moments[0].sizes != now.sizes
            or moments[0].held != now.held
        ):
            moments.popleft()
        found = moments[0] if moments and moments[0].at < now.at else None
        moments.append(now)
        return found

    def answer(self, now: float) -> GroupAnswer | None:
        """The last answer, with how many processes it asks for from now on."""
        if self._answer is None or self._group is None:
            return None
        scale = self._scaler.facts(self._group, now)
        return replace(self._answer, scale=scale, age_s=now - self.read_at)
