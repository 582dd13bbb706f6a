"""The group that a report is about: its sizes, what is doubtful about its figures, and how much of
what can be gained a plan gains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from equilag.domain.building.group_input import DROPPED_CLAIM, InputDoubt
from equilag.domain.figures import natural_key
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.group.lag import QUALITY
from equilag.domain.plan.metrics import mean_load
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.plan_figures import LagFigures
from equilag.planner.facts.work import LoadUnit, load_unit


@dataclass(frozen=True, slots=True)
class GroupFacts:
    name: str
    members: int
    topics: int
    partitions: int
    total_lag: int
    mean_lag: float
    """Per member that is not idle, of the partitions that have a subscriber; where capacities
    differ, per unit of capacity, as `spread` and `excess`."""
    taken_at: str | None
    doubtful_lags: Mapping[str, int]
    """Quality mark -> partitions whose lag carries it."""
    dropped_claims: int
    doubts: tuple[InputDoubt, ...]
    """What the input was accepted with although it may be a mistake, with names; the claims that
    were dropped have no names where the group was not read from a file."""
    remarks: tuple[str, ...]
    """What was said when a text or a live group was read: what is assumed, and warnings."""
    unread_topics: tuple[tuple[str, int], ...]
    """Topics with partitions and no subscriber: name, partitions."""
    owned: int
    """Partitions of the current assignment."""
    fully_owned: bool
    """True if every partition that has a subscriber is owned."""
    spread: float | None
    """Lag spread of the current assignment; None where nobody owns anything."""
    load_step: float
    """What one record is among loads: less than 1 where they are per unit of capacity."""
    excess: float | None
    """What lies above a fair share under the current assignment; None as for `spread`."""
    load_unit: LoadUnit


def group_facts(current: Plan) -> GroupFacts:
    """Of the current assignment as a plan, which says whether loads are per unit of capacity."""
    group, planned = current.group, current.planned.group
    owned, loads = group.owner != NOBODY, current.loads
    mean, divisor = mean_load(planned), planned.extended.load_divisor
    if divisor is None and not isinstance(loads, LagFigures):  # then the mean is lag per member
        busy = current.planned.capacities.values[~planned.idle]
        divisor = float(busy.mean()) if len(busy) else 1.0
    marks = zip(QUALITY, np.bincount(group.quality, minlength=len(QUALITY)).tolist(), strict=True)
    unread = np.flatnonzero((group.topic_size > 0) & ~group.reads.any(axis=1)).tolist()
    topics = ((group.topics[t], int(group.topic_size[t])) for t in unread)
    return GroupFacts(
        name=group.name,
        members=group.n_members,
        topics=len(group.topics),
        partitions=group.n_partitions,
        total_lag=int(group.lag.sum()),
        mean_lag=mean / (divisor or 1),
        taken_at=group.taken_at,
        doubtful_lags={
            mark: count for mark, count in marks if count and mark not in ("ok", "given")
        },
        dropped_claims=group.dropped_claims,
        doubts=_doubts(group),
        remarks=group.remarks,
        unread_topics=tuple(sorted(topics, key=lambda topic: natural_key(topic[0]))),
        owned=int(np.count_nonzero(owned)),
        fully_owned=bool(np.array_equal(owned, group.assignable)),
        spread=loads.spread if owned.any() else None,
        load_step=1.0 / (planned.extended.load_divisor or 1.0),
        excess=loads.excess if owned.any() else None,
        load_unit=load_unit(current.planned),
    )


def _doubts(group: Group) -> tuple[InputDoubt, ...]:
    if group.dropped_claims and all(doubt.kind != DROPPED_CLAIM for doubt in group.doubts):
        return (*group.doubts, InputDoubt(DROPPED_CLAIM, group.dropped_claims, ()))
    return group.doubts


@dataclass(frozen=True, slots=True)
class GainScale:
    """The base and the end of a percentage of a gain: what lies above a fair share."""

    start: float
    end: float
    """No plan has less."""
    from_current: bool
    """True if `start` is what the current assignment has."""
    step: float = 1.0
    """How much more than what is proved may be impossible to save: bounds are rounded down."""

    @staticmethod
    def of(group: GroupFacts, first: float, proved: float) -> GainScale:
        """From the current assignment where it is whole, else from the fewest moves (`first`)."""
        if group.fully_owned and group.excess is not None and group.excess > proved:
            return GainScale(group.excess, proved, True, group.load_step)
        return GainScale(first, proved, False, group.load_step)

    def percent(self, excess: float) -> float:
        """What is saved of all that is not proved to be impossible to save."""
        saved, most = self.start - excess, self.start - self.end
        if saved > 0 and excess < self.end + self.step:
            return 100.0
        return 100.0 * saved / most if most > 0 else 0.0
