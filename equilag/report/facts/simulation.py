"""A simulation: what becomes of the lag under the current assignment, and under a plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from equilag.domain.columns import NOBODY
from equilag.domain.group.throughput import hot_partitions
from equilag.domain.group.weight import known_rates
from equilag.domain.plan.plan_figures import HotPartition
from equilag.domain.reduction.reduce import Reduction
from equilag.planner.simulation_result import Assumed, RebalanceSettings, seconds_or_none
from equilag.report.facts.facts_json import NOT_IN_JSON
from equilag.report.facts.group import GroupFacts, group_facts
from equilag.report.facts.work import WorkFacts, work_facts
from equilag.report.wording.throughput_words import behind_news, hot_lines, rate_number, total_words
from equilag.report.wording.words import form, plural, time_span

if TYPE_CHECKING:
    from equilag.planner.simulation_result import LagCourse, Simulation


@dataclass(frozen=True, slots=True)
class CourseFacts:
    """What becomes of the lag under one assignment."""

    read_after: float | None
    """Seconds until all is read, and stays so; None for never."""
    behind: int
    """Members that cannot read what is produced for them."""
    behind_per_s: float
    """Records per second that they fall behind by."""
    unread: int
    """Partitions that nobody reads, of those with a rate or a lag."""
    unread_per_s: float
    """Records per second that are produced to these."""
    lag: tuple[float, ...]
    """In all, at each of the times."""
    oldest: tuple[float, ...]
    """Age in seconds of the oldest unread record, at each of the times."""
    curve: tuple[float, ...]
    """The lag in all at each of the times of the curve."""


@dataclass(frozen=True, slots=True)
class MemberBehind:
    """A member that falls behind under the current assignment or the plan's."""

    id: str
    capacity: float
    """Records per second that it can read; so are the others."""
    rate_now: float
    rate_planned: float

    @property
    def now(self) -> float:
        """What it falls behind by."""
        return max(0.0, self.rate_now - self.capacity)

    @property
    def planned(self) -> float:
        return max(0.0, self.rate_planned - self.capacity)


@dataclass(frozen=True, slots=True)
class SimulationFacts:
    kind: ClassVar[str] = "simulation"

    source: Simulation = field(metadata=NOT_IN_JSON)
    group: GroupFacts
    size: int
    duration: float
    rebalance: RebalanceSettings
    assumed: Assumed
    changes: int
    """Partitions that get another reader."""
    produced: float
    """Records per second, in all."""
    capacity: float
    """Records per second that the members can read, in all."""
    times: tuple[float, ...]
    curve_times: tuple[float, ...]
    current: CourseFacts
    planned: CourseFacts
    members_behind: tuple[MemberBehind, ...]
    """Those that fall behind most under the plan first, then now."""
    hot: tuple[HotPartition, ...]
    """Partitions that no assignment keeps up with; the largest rate first."""
    work: WorkFacts | None
    """Of a plan that was made here; None where lag is spread."""
    interrupted: bool
    """True if the plan was told to end before it was done."""

    @property
    def too_slow(self) -> bool:
        """True if more is produced than the members read in all."""
        return self.produced > self.capacity

    @property
    def overloaded(self) -> bool:
        """True if no assignment keeps up."""
        return bool(self.hot) or self.too_slow

    @property
    def headlines(self) -> list[str]:
        """What becomes of the lag, in sentences."""
        return [*simulation_headlines(self)]

    def document(self) -> dict[str, Any]:
        interrupted = {"interrupted": True} if self.interrupted else {}
        return {**self.source.to_dict(), "headlines": self.headlines, **interrupted}


def simulation_facts(found: Simulation) -> SimulationFacts:
    moments = found.current.moments
    return SimulationFacts(
        source=found,
        group=group_facts(found.group),
        size=found.group.n_partitions,
        duration=found.duration,
        rebalance=found.rebalance,
        assumed=found.assumed,
        changes=found.changes,
        produced=found.produced,
        capacity=found.capacity,
        times=tuple(moments.times.tolist()),
        curve_times=tuple(moments.curve.tolist()),
        current=_course(found, found.current),
        planned=_course(found, found.planned),
        members_behind=_members_behind(found),
        hot=_hot_partitions(found),
        work=work_facts(found.plan) if found.plan else None,
        interrupted=found.plan is not None and found.plan.interrupted,
    )


def _hot_partitions(found: Simulation) -> tuple[HotPartition, ...]:
    reduction = found.plan.planned if found.plan else Reduction(found.group, found.group)
    return tuple(hot_partitions(reduction, known_rates(reduction.given), found.conditions.capacity))


def _course(found: Simulation, course: LagCourse) -> CourseFacts:
    waiting = (found.group.lag > 0) | (found.conditions.rate > 0)
    *members, nobody = course.falls_behind.tolist()
    return CourseFacts(
        read_after=seconds_or_none(course.read_after),
        behind=sum(behind > 0 for behind in members),
        behind_per_s=sum(members),
        unread=int(np.count_nonzero(waiting & (course.owner == NOBODY))),
        unread_per_s=nobody,
        lag=tuple(course.total.tolist()),
        oldest=tuple(course.oldest.tolist()),
        curve=tuple(course.curve.tolist()),
    )


def _members_behind(found: Simulation) -> tuple[MemberBehind, ...]:
    now, planned = (
        found.conditions._replace(owner=course.owner).member_rates()
        for course in (found.current, found.planned)
    )
    behind = (found.current.falls_behind + found.planned.falls_behind)[:-1] > 0
    rows = [
        MemberBehind(
            found.group.members[m].id,
            float(found.conditions.capacity[m]),
            float(now[m]),
            float(planned[m]),
        )
        for m in np.flatnonzero(behind).tolist()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.planned, -row.now)))


def simulation_headlines(facts: SimulationFacts) -> Iterator[str]:
    """What becomes of the lag now and with the plan, and why the plan does not keep up."""
    yield f"Now: {course_words(facts.current, facts)}."
    if facts.changes:
        yield f"Plan: {course_words(facts.planned, facts)}; {pause_words(facts)}."
    else:
        yield "Plan: nothing changes hands."
    if facts.interrupted:
        yield "Interrupted: this is the best plan so far."
    if (headline := behind_lines(facts)[0]) is not None:
        yield headline


def behind_lines(facts: SimulationFacts) -> tuple[str | None, list[str]]:
    """Why the plan does not keep up, and what adds to it; None where it does."""
    work = facts.work
    if work is not None and work.after is not None and not work.after.keeps_up:
        news = behind_news(work.after, work)
        return f"{news.headline}.", [*news.details]
    if not facts.overloaded:
        return None, []
    details = [*hot_lines(facts.hot)]
    if facts.too_slow:
        details.append("equilag size tells how many members it takes")
    total = total_words(facts.produced, facts.capacity)
    return f"Overloaded: no assignment keeps up; {total}.", details


def course_words(course: CourseFacts, facts: SimulationFacts) -> str:
    if course.read_after == 0:
        return "all is read, and stays so"
    if course.read_after is not None:
        return f"all is read after {time_span(course.read_after)}"
    why = []
    if course.behind:
        why.append(
            f"{plural(course.behind, 'member')} {form(course.behind, 'falls', 'fall')} behind by"
            f" {speed_words(course.behind_per_s)}"
        )
    if course.unread:
        why.append(
            f"{plural(course.unread, 'partition')} {form(course.unread, 'has', 'have')} no reader"
        )
    if not why:
        why.append("the members read no more than what is produced")
    span = time_span(facts.duration)
    return (
        f"never all read: {', '.join(why)}. After {span} the lag is"
        f" {records_words(course.lag[-1])}, and the oldest unread record is"
        f" {time_span(course.oldest[-1])} old"
    )


def pause_words(facts: SimulationFacts) -> str:
    moved = f"{plural(facts.changes, 'partition')} {form(facts.changes, 'changes', 'change')} hands"
    span = time_span(facts.rebalance.pause)
    if facts.rebalance.protocol == "eager":
        return f"{moved}, and nobody reads for {span} (eager)"
    them = form(facts.changes, "it", "them")
    return f"{moved}, and nobody reads {them} for {span} (cooperative)"


def records_words(value: float) -> str:
    """A number of records."""
    return plural(round(value), "record")


def speed_words(value: float) -> str:
    """Records per second."""
    return f"{rate_number(value)} records/s"
