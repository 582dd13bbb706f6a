"""What is seen of an action at once: a tone, and a few words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from equilag.report.report_blocks import Headline, Tone

if TYPE_CHECKING:
    from equilag.domain.plan.verdict import VerdictFacts


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


def look_first(verdict: VerdictFacts | None) -> Iterator[Headline]:
    """What a report about something else says before its answer, where the verdict is to look at
    the group first: the answer rests on members that read as they should."""
    if verdict is not None and verdict.action in ("look", "cannot-tell"):
        sign = sign_of(verdict.action)
        yield Headline(verdict.headline, sign.tone, sign.words, verdict.details[:2])
