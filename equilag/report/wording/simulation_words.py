"""What becomes of the lag, in words; every output shows the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from equilag.report.wording.throughput_words import behind_news, hot_lines, rate_number, total_words
from equilag.report.wording.words import form, plural, time_span

if TYPE_CHECKING:
    from equilag.report.facts.simulation import CourseFacts, SimulationFacts


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
