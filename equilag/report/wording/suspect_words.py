"""The words of members that may be slow or stuck; every output takes them from here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from equilag.report.facts.plans.suspects import TIMES, SuspectFacts
from equilag.report.wording.reason_words import Namer
from equilag.report.wording.words import form, listed, number, plural, printable

MAX_SUSPECTS: Final = 3
"""Members that are named."""


def suspect_words(suspects: Sequence[SuspectFacts], name: Namer = printable) -> tuple[str, ...]:
    """One or two sentences on all of them and on what to do; nothing where there are none."""
    if not suspects:
        return ()
    names = [name(one.member) for one in suspects]
    who = listed(names, MAX_SUSPECTS)
    its, it = form(len(names), "its", "their"), form(len(names), "it", "them")
    owned = sum(one.partitions for one in suspects)
    lagging = sum(one.lagging for one in suspects)
    own = f"all {number(owned)} of {its} partitions"
    if lagging != owned:
        own = f"{number(lagging)} of {its} {plural(owned, 'partition')}"
    least = min(one.least for one in suspects)
    what = f"{own} lag at least {plural(least, 'record')} each, {_others(suspects[0], least)}"
    advice = f"measure {its} speed with --sample 60s, or look at {it} first"
    return (f"{who} may be slow or stuck: {what}. Moving them moves the backlog: {advice}.",)


def _others(one: SuspectFacts, least: int) -> str:
    """How much the partitions of other members lag."""
    if TIMES * one.others_most <= least:
        of = f"the {plural(one.others, 'partition')} of other members"
        return f"{of} at most {number(one.others_most)}"
    of = f"{number(one.others_within)} of the {plural(one.others, 'partition')} of other members"
    return f"{of} at most {number(one.others_usual)}"
