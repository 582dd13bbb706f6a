"""The group that a report is about: its sizes, and what is doubtful about its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from equilag.domain.building.group_input import (
    CLAIMED_TWICE,
    DROPPED_CLAIM,
    LAGS_AND_OFFSETS,
    InputDoubt,
)
from equilag.domain.figures import form, listed, number, plural, printable, shorten
from equilag.domain.show import MAX_NAMED
from equilag.report.report_blocks import Headline, Notes, Section, Title, Tone, section

if TYPE_CHECKING:
    from equilag.domain.plan.verdict import CauseFacts, VerdictFacts
    from equilag.planner.facts.group import GroupFacts
    from equilag.planner.worth.judged_plan import JudgedPlan

NAMELESS: Final = "(a group without a name)"
MAX_TOPICS: Final = 10
"""Topics named in one line: more than a few lines of names help nobody."""
MAX_NAME: Final = 60
"""Characters of one name."""
DOCS: Final = "docs/causes.md"
"""Has a section per cause: how to be sure of it, and what to do."""
ASSUMED: Final = "assumed: "
WARNING: Final = "WARNING: "
DOUBTFUL: Final = {
    "no_commit": "without a commit",
    "ahead_of_end": "committed beyond the end of the log (counted as no lag)",
    "below_log_start": "committed below the start of the log (counted from the start)",
    "unknown": "of unknown lag (counted as none)",
}


def group_title(group: GroupFacts) -> Title:
    """The group, its sizes, and what is doubtful about its figures."""
    sizes = (
        plural(group.members, "member"),
        plural(group.topics, "topic"),
        plural(group.partitions, "partition"),
        f"total lag {number(group.total_lag)}",
        *((f"taken {printable(group.taken_at)}",) if group.taken_at else ()),
    )
    return Title(group_name(group.name), sizes, tuple(_doubts(group)))


def group_name(name: str) -> str:
    return printable(name) or NAMELESS


def reading_notes(group: GroupFacts) -> tuple[Notes, Notes]:
    """How the figures were read: warnings, then everything else."""
    warnings, others = [], [*_doubts(group)]
    for line in dict.fromkeys(map(printable, group.remarks)):
        before, warning, after = line.partition(WARNING)
        if warning:
            warnings.append(before.removeprefix(ASSUMED) + after)
        else:
            others.append(line)
    return Notes(tuple(warnings), "warning"), Notes(tuple(dict.fromkeys(others)), "list")


def _doubts(group: GroupFacts) -> Iterator[str]:
    for mark, count in group.doubtful_lags.items():
        yield f"{plural(count, 'partition')} {DOUBTFUL.get(mark, mark)}"
    yield from map(_doubt, group.doubts)
    if group.unread_topics:
        unread = [f"{topic} ({plural(n, 'partition')})" for topic, n in group.unread_topics]
        yield f"unassigned, because no member subscribes: {listed(unread, MAX_TOPICS)}"


def _doubt(doubt: InputDoubt) -> str:
    """What was accepted although it may be a mistake, with a few examples."""
    count, claims = doubt.count, f"{plural(doubt.count, 'claim')} dropped"
    if not doubt.examples:
        return f"{claims}: the partition is gone, or the member no longer subscribes to it"
    few = doubt.examples[:MAX_NAMED]
    names = [[shorten(printable(name), MAX_NAME) for name in one] for one in few]
    if doubt.kind == CLAIMED_TWICE:
        them = f"so nobody owns {form(count, 'it', 'them')}"
        what = f"{plural(count, 'partition')} claimed by two members of one generation, {them}"
        shown = [f"{partition} ({', '.join(members)})" for partition, *members in names]
    elif doubt.kind == DROPPED_CLAIM:
        what = claims
        shown = [f"{partition} of {member} ({why})" for partition, member, why in names]
    elif doubt.kind == LAGS_AND_OFFSETS:
        both = f"{form(count, 'has', 'have')} both lags and offsets"
        what, shown = f"{plural(count, 'topic')} {both}; the lags count", [one[0] for one in names]
    else:
        what = f"{plural(count, 'subscription')} to a topic that does not exist"
        shown = [f"{member} to {topic}" for member, topic in names]
    more = f" and {number(count - len(names))} more" if count > len(names) else ""
    return f"{what}: {', '.join(shown)}{more}"


class Sign(NamedTuple):
    """What stands for an action."""

    tone: Tone
    words: str
    """On a page of its own."""
    short: str
    """In a table."""


SIGNS: Final[Mapping[str, Sign]] = {
    "leave": Sign("good", "Leave the group as it is", "leave it"),
    "move": Sign("act", "Worth a rebalance", "rebalance"),
    "assign": Sign("act", "Partitions without an owner", "assign partitions"),
    "look": Sign("warn", "Look at this first", "look first"),
    "cannot-tell": Sign("warn", "The text does not say who reads what", "cannot tell"),
    "add-members": Sign("bad", "More is produced than the members read", "add members"),
    "repartition": Sign(
        "bad", "No assignment helps: a partition is too large", "split a partition"
    ),
    "loosen": Sign("bad", "A looser setting is needed to keep up", "loosen settings"),
    "start-members": Sign("bad", "Nobody reads this group", "start members"),
    "undecided": Sign("warn", "Not decided: the time limit was too short", "undecided"),
}


def sign_of(action: str, *, worth_it: bool = True) -> Sign:
    """The sign of an action; where there is nothing to do, none is an alarm. That of an action that
    this version does not know is neutral."""
    sign = SIGNS.get(action, Sign("neutral", "Read what it says", action))
    return sign._replace(tone="warn") if sign.tone == "bad" and not worth_it else sign


def not_worth_it(judged: JudgedPlan, verdict: VerdictFacts) -> str:
    """What a plan with moves that are not worth it is called; else empty."""
    if verdict.plan_helps or not verdict.cost.moves:
        return ""
    return f"{judged.called}, which is not worth a rebalance"


def look_first(verdict: VerdictFacts | None) -> Iterator[Headline]:
    """What a report about something else says before its answer, where the verdict is to look at
    the group first: the answer rests on members that read as they should."""
    if verdict is not None and verdict.action in ("look", "cannot-tell"):
        sign = sign_of(verdict.action)
        lines = verdict.details[:2] + docs_of(verdict)
        yield Headline(verdict.headline, sign.tone, sign.words, lines)


def docs_of(verdict: VerdictFacts) -> tuple[str, ...]:
    """Where its cause is described, in a line; nothing without a cause."""
    return (f"See {docs_at(verdict.cause)}",) if verdict.cause else ()


def docs_at(cause: str) -> str:
    """Where a cause is described."""
    return f"{DOCS}#{cause}"


def causes_section(causes: Sequence[CauseFacts]) -> Section:
    """What is wrong with a group, and what to do, a line each."""
    lines = tuple(f"{one.evidence} {one.advice} See {docs_at(one.cause)}" for one in causes)
    return section("What is wrong", Notes(lines, "list"), anchor="causes")
