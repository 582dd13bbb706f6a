"""One group that the exporter reads again and again: its rates, speeds, verdict and sizes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from equilag.adapters.kafka.reading import Reading
from equilag.adapters.measuring.topic_columns import HeldPartitions
from equilag.domain.building.group_input import PartitionOffsets
from equilag.domain.group.group import Group, Index
from equilag.domain.group.member import Member
from equilag.domain.policy.policy import Policy
from equilag.live.exporter.group_answer import GroupAnswer, answer_of
from equilag.live.exporter.group_scaler import GroupScaler
from equilag.live.rebalance.joined_members import member_key
from equilag.live.steward.observer import tracked
from equilag.live.tracking.load_tracker import LoadTracker
from equilag.planner.verdict.quick_verdict import BY_PLAN, quick_judgement
from equilag.planner.worth.thresholds import VerdictLimits

EARLIER_S: Final = 300.0
"""How long ago the earlier sample of a verdict is at most: what has not moved since is stuck."""
PLAN_S: Final = 600.0
"""Seconds for which a plan tells what another assignment would save, unless it helps no more."""
MISSED: Final = 2
"""Rounds in a row without a group after which it is gone: one of several brokers may be away."""


class _Moment(NamedTuple):
    at: float
    sizes: dict[str, int]
    held: HeldPartitions
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
        self._read_at = self.asked_at = float("-inf")
        """When the group was read, and when somebody last asked for its number of processes."""
        self.missed = 0
        """Rounds in a row without it."""
        self._group: Group | None = None
        self._judged: GroupAnswer | None = None
        self._answer: GroupAnswer | None = None
        """What was told last: as it was judged, with how many processes it asks for."""
        self._plan: tuple[object, Index, float] | None = None
        self._searches = False

    def loses(self, reading: Reading) -> bool:
        """True if a broker went that knows log ends, the first time: the last answer stays."""
        unknown = sum(map(len, reading.offsets.unknown.values()))
        if self._answer is None or unknown <= (self._answer.unknown_lags or 0):
            return False
        self.missed += 1
        return self.missed < MISSED

    def add(self, reading: Reading, at: float) -> None:
        """Judge what was read at a time. Raises InputError for a group that is none."""
        offsets = reading.offsets
        members, names, held = tracked(self._tracker, reading, at)
        given = reading.group_input(self._settings.reset)
        rates, _ = self._tracker.rates(offsets.sizes)
        if any(rate is not None for row in rates.values() for rate in row):
            given["rates"] = rates
        by_name = self._tracker.capacities(names.values(), at)
        speeds = {one.id: by_name.get(names[member_key(one)]) for one in members}
        if not self._settings.policy.capacity:  # which may be in any unit
            known = (one for one in given["members"] if isinstance(one, Member))
            given["members"] = [replace(one, capacity=speeds.get(one.id)) for one in known]
        now = _Moment(at, offsets.sizes, held, offsets.arrays())
        if (before := self._before(now)) is not None:
            given["previous"] = round(at - before.at, 3), before.offsets
        self._group = group = Group.build(**given)
        self._read_at = at
        self._judge(group, at, searches=False)

    def _judge(self, group: Group, now: float, *, searches: bool) -> None:
        """Make a verdict by the last plan that was found for the same members, as long as it helps,
        or by one that is searched for."""
        settings = self._settings
        of = [(one.id, one.capacity) for one in group.members], self._earlier[-1].sizes
        known = self._plan[1] if self._plan and self._plan[0] == of and not searches else None
        least = self._scaler.least(group)
        found = quick_judgement(
            group, settings.limits, settings.policy, least, known, searches=searches
        )
        self._judged = answer_of(found)
        if searches:
            self._plan = of, found.plan.assigned, now
        is_old = self._plan is None or now > self._plan[2] + PLAN_S
        by_known = found.plan.assigned is known and not is_old
        self._searches = self._judged.action in BY_PLAN and not searches and not by_known

    def staleness(self, now: float) -> float:
        """How much the group needs a search, or to be sized again: from 1 on it does."""
        if (group := self._group) is None or not group.n_members:
            return 0.0
        return float("inf") if self._searches else self._scaler.staleness(group, now)

    def compute(self, now: float) -> None:
        """Search for a better plan if the verdict depends on it, else for how many members help.
        Raises InputError."""
        if (group := self._group) is not None and self._searches:
            self._judge(group, self._read_at, searches=True)
        elif group is not None:
            self._scaler.size(group, now)

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

    def tell(self, now: float) -> None:
        """Make the answer, with how many processes the group asks for from now on."""
        if self._judged is not None and self._group is not None:
            scale = self._scaler.facts(self._group, now)
            self._answer = replace(self._judged, scale=scale, age_s=now - self._read_at)

    def aged(self, now: float) -> GroupAnswer | None:
        """The last answer, with its age; None if there is none."""
        return self._answer and self._answer.aged(now - self._read_at)
