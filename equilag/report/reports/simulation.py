"""The report on a simulation: what becomes of the lag now and with the plan, who falls behind."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

import numpy as np

from equilag.domain.columns import NOBODY
from equilag.domain.figures import form, plural, printable, short_span, time_span
from equilag.domain.group.throughput import hot_partitions
from equilag.domain.group.weight import known_rates
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.verdict import VerdictFacts
from equilag.domain.reduction.reduce import Reduction
from equilag.planner.facts.group import group_facts
from equilag.planner.facts.throughput_words import behind_news, hot_lines, per_second, total_words
from equilag.planner.facts.work import work_facts
from equilag.planner.simulation_result import LagCourse, Simulation
from equilag.report import report_blocks as b
from equilag.report.words.group import group_title, look_first

MAX_BEHIND: Final = 15
"""Members that fall behind that a screen shows; the others do so by less."""


class SimulationReport(b.Report):
    kind = "simulation"

    def __init__(self, found: Simulation, verdict: VerdictFacts | None = None) -> None:
        self.found, self.verdict = found, verdict
        self.size = found.group.n_partitions
        self.names = tuple(member.id for member in found.group.members)
        self.interrupted = found.plan is not None and found.plan.interrupted

    def document(self) -> dict[str, Any]:
        interrupted = {"interrupted": True} if self.interrupted else {}
        headlines = [one.words for one in self.headlines]
        verdict = {} if self.verdict is None else {"verdict": self.verdict.document()}
        return {**self.found.to_dict(), "headlines": headlines, **verdict, **interrupted}

    def parts(self) -> Iterator[b.Block]:
        group = group_facts(Plan.of_owners(self.found.group))
        yield from look_first(self.verdict)
        yield from self.headlines
        yield group_title(group)
        yield b.Notes(tuple(self._assumed()))
        yield self.chart
        ages = " (age: of the oldest unread record)"
        yield b.section("Over time", self._over_time(), rest=ages)
        yield self._behind()

    @cached_property
    def headlines(self) -> tuple[b.Headline, ...]:
        """What becomes of the lag; what asks for something comes first."""
        found, (line, details) = self.found, self._does_not_keep_up()
        lines = [] if line is None else [line]
        if self.interrupted:
            lines.append("Interrupted: this is the best plan so far.")
        lines.append(f"Now: {_course_words(found.current, found)}.")
        plan = "nothing changes hands"
        if found.changes:
            plan = f"{_course_words(found.planned, found)}; {_pause_words(found)}"
        lines.append(f"Plan: {plan}.")
        if found.changes:
            lines.append(_weighed_words(found))
        if self.verdict is not None and self.verdict.action in ("leave", "move"):
            lines.append(f"Verdict: {self.verdict.headline}.")
        first, *others = lines
        tone: b.Tone = "good" if np.isfinite(found.planned.read_after) else "bad"
        return b.Headline(first, tone, lines=details), *map(b.Headline, others)

    def _does_not_keep_up(self) -> tuple[str | None, tuple[str, ...]]:
        """Why the plan does not keep up, and what adds to it; None where it does."""
        found = self.found
        work = work_facts(found.plan) if found.plan else None
        if work is not None and work.after is not None and not work.after.keeps_up:
            headline, details = behind_news(work)
            return f"{headline}.", details
        reduction = found.plan.planned if found.plan else Reduction(found.group, found.group)
        rates = known_rates(reduction.given)
        hot = hot_partitions(reduction, rates, found.conditions.capacity)
        too_slow = found.produced > found.capacity
        if not (hot or too_slow):
            return None, ()
        size = ["equilag size tells how many members it takes"] if too_slow else []
        total = total_words(found.produced, found.capacity)
        return f"Overloaded: no assignment keeps up; {total}.", (*hot_lines(hot), *size)

    def _assumed(self) -> Iterator[str]:
        """What stands in for rates and capacities that are not known."""
        assumed = self.found.assumed
        which = f"{plural(assumed.unknown_rates, 'partition')} of unknown rate"
        if assumed.unknown_rates == self.size > 0:
            yield "no rate is known: nothing is taken to be produced, and ages count from now on"
        elif assumed.unknown_rates:
            yield f"{which}: the mean of the topic, else of all, is taken"
        if assumed.usual_capacity is not None:
            which = f"{plural(assumed.unknown_capacities, 'member')} of unknown capacity"
            usual = per_second(assumed.usual_capacity)
            yield f"{which}: the median of the others, {usual}, is taken"

    @property
    def _courses(self) -> list[tuple[str, LagCourse]]:
        found = self.found
        return [("now", found.current), ("plan", found.planned)][: 2 if found.changes else 1]

    @property
    def chart(self) -> b.Chart:
        times = self.found.current.moments.curve.tolist()
        series = tuple(
            b.Series(
                name,
                tuple(
                    b.ChartPoint(at, lag, f"after {time_span(at)}: {plural(round(lag), 'record')}")
                    for at, lag in zip(times, course.curve.tolist(), strict=True)
                ),
                "line" if name == "plan" else "dashed",
            )
            for name, course in self._courses
        )
        title = f"Lag over {time_span(self.found.duration)}"
        return b.Chart(title, b.Axis("", "seconds"), b.Axis("records", "whole"), series)

    def _over_time(self) -> b.Table:
        """Lag and age at some times, a column for each; every second may be left out."""
        times = self.found.current.moments.times.tolist()
        columns = [b.Column("", "text")]
        for i, time in enumerate(times):
            between = bool(i % 2) and i < len(times) - 1
            columns.append(b.Column(time_span(time), "whole", optional=between))
        rows: list[tuple[Any, ...]] = []
        for name, course in self._courses:
            rows.append((f"lag, {name}", *course.total.tolist()))
        for name, course in self._courses:
            ages = (short_span(age) if age else None for age in course.oldest.tolist())
            rows.append((f"age, {name}", *ages))
        return b.Table(tuple(columns), tuple(rows), "Lag over time", is_folded=True)

    def _behind(self) -> b.Section:
        """Members that fall behind, those that do so most under the plan first."""
        found = self.found
        now, planned = (
            found.conditions._replace(owner=course.owner).member_rates().tolist()
            for course in (found.current, found.planned)
        )
        behind = (found.current.falls_behind + found.planned.falls_behind)[:-1] > 0
        capacity = found.conditions.capacity.tolist()
        rows = [
            (
                found.group.members[m].id, capacity[m], now[m], max(0.0, now[m] - capacity[m]),
                planned[m], max(0.0, planned[m] - capacity[m]),
            )
            for m in np.flatnonzero(behind).tolist()
        ]  # fmt: skip
        rows.sort(key=lambda row: (-row[5], -row[3]))
        columns = (
            b.Column("member", "member"), b.Column("reads up to", "whole", optional=True),
            b.Column("gets now", "whole", optional=True), b.Column("behind by", "whole"),
            b.Column("gets planned", "whole", optional=True), b.Column("then behind by", "whole"),
        )  # fmt: skip
        shown = range(len(columns) if found.changes else 4)
        table = b.Table(columns, tuple(rows), "Members that fall behind", MAX_BEHIND).only(shown)
        return b.section("Members that fall behind", table, rest=" (records/s)" if rows else "")


def _course_words(course: LagCourse, found: Simulation) -> str:
    if course.read_after == 0:
        return "all is read, and stays so"
    if np.isfinite(course.read_after):
        return f"all is read after {time_span(course.read_after)}"
    behind = course.falls_behind[:-1]
    waiting = (found.group.lag > 0) | (found.conditions.rate > 0)
    late, unread = int((behind > 0).sum()), int((waiting & (course.owner == NOBODY)).sum())
    why = []
    if late:
        by = per_second(float(behind.sum()))
        one = printable(found.group.members[int(behind.argmax())].id)
        who = f"{plural(late, 'member')} fall" if late > 1 else f"{one} falls"
        why.append(f"{who} behind by {by}")
    if unread:
        why.append(f"{plural(unread, 'partition')} {form(unread, 'has', 'have')} no reader")
    reasons = ", ".join(why) or "the members read no more than what is produced"
    lag, age = plural(round(float(course.total[-1])), "record"), time_span(float(course.oldest[-1]))
    return (
        f"never all read: {reasons}. After {time_span(found.duration)} the lag is {lag}, and the"
        f" oldest unread record is {age} old"
    )


def _weighed_words(found: Simulation) -> str:
    """What the plan gains beside what its rebalance costs, in the time looked at."""
    gain, price = (f"{one:,.0f}" for one in (found.weighed.gain, found.weighed.price))
    line = f"In {time_span(found.duration)} the plan gains {gain} record-seconds"
    if not found.produced:
        return f"{line} and costs {price}, if nothing is produced."
    more = "more" if found.weighed.gain > found.weighed.price else "no more"
    return f"{line}, {more} than the {price} it costs."


def _pause_words(found: Simulation) -> str:
    changes, span = found.changes, time_span(found.pace.pause_s)
    moved = f"{plural(changes, 'partition')} {form(changes, 'changes', 'change')} hands"
    if found.pace.protocol == "eager":
        return f"{moved}, and nobody reads for {span} (eager)"
    return f"{moved}, and nobody reads {form(changes, 'it', 'them')} for {span} (cooperative)"
