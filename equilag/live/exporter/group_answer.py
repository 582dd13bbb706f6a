"""What equilag says of one group at one moment: the figures of its verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from equilag.domain.columns import NOBODY
from equilag.domain.document import to_document
from equilag.domain.group.lag import UNKNOWN
from equilag.domain.group.weight import total_rate
from equilag.domain.plan.verdict import CauseFacts
from equilag.planner.verdict.plan_verdict import verdict_of
from equilag.planner.worth.judged_plan import JudgedPlan


@dataclass(frozen=True, slots=True)
class ScaleFacts:
    """How many processes a group needs; `/scale/GROUP` has these."""

    replicas: int
    """Processes to run: the most that was needed in a window, a number that helped then."""
    helps: tuple[int, ...]
    """The numbers that help, ascending; with any other number the heaviest member reads no less."""
    need: int | None
    """The least number that keeps up, headroom included."""
    present: int
    """Processes that run."""
    reason: str
    sized_age_s: float = 0.0
    """Seconds since it was computed which numbers help."""


@dataclass(frozen=True, slots=True)
class GroupAnswer:
    """Figures that are not known are None."""

    group: str
    action: str
    """1 for what to do now, a label."""
    cause: str | None
    """1 for the cause that the action is about, a label."""
    headline: str
    members: int
    """Members of the group."""
    partitions: int
    """Partitions that members subscribe to."""
    unowned_partitions: int
    """Subscribed partitions without an owner."""
    lag_total: int
    """Records between commits and log ends."""
    unknown_lags: int | None
    """Partitions whose lag is not known; it counts as 0."""
    rate_total: float | None
    """Records produced per second."""
    behind_s: float | None
    """The lag in seconds of production."""
    short: float | None
    """Records per second that members cannot keep up with under the current assignment."""
    excess: float | None
    """Load above a fair share, summed over the members, in records."""
    excess_saved: float | None
    """How much of it a plan would save, in records."""
    relief_percent: float
    """How much a plan would relieve the most relieved member, in percent of a fair share."""
    moves: int
    """Partitions that this plan would move."""
    hottest_percent: float | None
    """Load of the hottest partition in percent of the group's."""
    causes: tuple[CauseFacts, ...] = ()
    scale: ScaleFacts | None = None
    age_s: float | None = 0.0
    """Seconds since the group was read: the age of the answer."""

    @property
    def members_needed(self) -> int | None:
        """Least members, or processes, that keep up, headroom included."""
        return None if self.scale is None else self.scale.need

    @property
    def members_next(self) -> int | None:
        """Next number of members, or processes, that helps."""
        if (scale := self.scale) is None:
            return None
        return next((n for n in scale.helps if n > scale.present), None)

    @property
    def replicas(self) -> int | None:
        """Processes to run, as /scale has them."""
        return None if self.scale is None else self.scale.replicas

    def aged(self, age_s: float) -> GroupAnswer:
        """The same answer when the reading is so old."""
        more = age_s - (self.age_s or 0.0)
        scale = self.scale and replace(self.scale, sized_age_s=self.scale.sized_age_s + more)
        return replace(self, scale=scale, age_s=age_s)

    def scale_document(self) -> dict[str, Any]:
        """The JSON of `/scale/GROUP`."""
        document = {"group": self.group, **to_document(self.scale), "age_s": self.age_s or 0.0}
        return document | {age: round(document[age], 1) for age in ("sized_age_s", "age_s")}


def answer_of(found: JudgedPlan) -> GroupAnswer:
    """What is known of a group without its sizes."""
    group, verdict, work = found.plan.group, verdict_of(found), found.work
    before = None if work is None else work.before
    excess, saved = _excess(found)
    lag, rate = int(group.lag.sum()), total_rate(group)
    return GroupAnswer(
        group=group.name,
        action=verdict.action,
        cause=verdict.cause,
        headline=verdict.headline,
        members=group.n_members,
        partitions=int(group.assignable.sum()),
        unowned_partitions=int((group.assignable & (group.owner == NOBODY)).sum()),
        lag_total=lag,
        unknown_lags=int((group.assignable & (group.quality == UNKNOWN)).sum()),
        rate_total=rate,
        behind_s=lag / rate if rate else None,
        short=None if before is None else before.short,
        excess=excess,
        excess_saved=saved,
        relief_percent=verdict.relief_percent,
        moves=verdict.cost.moves if verdict.plan_helps else 0,
        hottest_percent=_hottest(found),
        causes=verdict.causes,
    )


def _excess(found: JudgedPlan) -> tuple[float | None, float | None]:
    """What sits above a fair share now, and how much of it the plan saves; in records."""
    loads = found.loads
    if not loads.in_records:
        return None, None
    now, then = (
        float((np.maximum(0.0, loads.of(assigned) - loads.fair) * loads.capacity).sum())
        for assigned in (found.group.owner, found.plan.assigned)
    )
    return now, max(0.0, now - then) if found.verdict.worth_it else 0.0


def _hottest(found: JudgedPlan) -> float | None:
    weight = found.loads.weight
    total = float(weight.sum())
    return 100.0 * float(weight.max()) / total if total else None
