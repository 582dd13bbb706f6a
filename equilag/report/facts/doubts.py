"""What a group's input was accepted with although it may be a mistake, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from equilag.domain.group.group import Group
from equilag.domain.group.input_doubt import (
    CLAIMED_TWICE,
    DROPPED_CLAIM,
    LAGS_AND_OFFSETS,
    MISSING_TOPIC,
    InputDoubt,
)
from equilag.report.wording.words import form, plural, printable, shorten

MAX_NAMES: Final = 3
"""Examples in a sentence: with names of 40 characters they fit two lines."""
MAX_NAME: Final = 60
"""Characters of one name."""


@dataclass(frozen=True, slots=True)
class DoubtFacts:
    """One kind of `InputDoubt`, and a sentence that says it."""

    doubt: str
    """`claimed_twice`, `dropped_claim`, `lags_and_offsets` or `missing_topic`."""
    count: int
    examples: tuple[tuple[str, ...], ...]
    words: str


def doubt_facts(group: Group) -> tuple[DoubtFacts, ...]:
    """Return what is doubtful about the group's input; all claims that were dropped are in it."""
    return tuple(_facts(group))


def _facts(group: Group) -> Iterator[DoubtFacts]:
    for doubt in group.doubts:
        names = [_example(doubt.kind, example) for example in doubt.examples[:MAX_NAMES]]
        more = doubt.count - len(names)
        shown = ", ".join(names) + (f" and {more:,} more" if more else "")
        words = f"{_sentence(doubt)}: {shown}"
        yield DoubtFacts(doubt.kind, doubt.count, doubt.examples, words)
    if group.dropped_claims and all(doubt.kind != DROPPED_CLAIM for doubt in group.doubts):
        why = "the partition is gone, or the member no longer subscribes to it"
        words = f"{plural(group.dropped_claims, 'claim')} dropped: {why}"
        yield DoubtFacts(DROPPED_CLAIM, group.dropped_claims, (), words)


def _sentence(doubt: InputDoubt) -> str:
    """What is doubtful, without names."""
    one = doubt.count == 1
    if doubt.kind == CLAIMED_TWICE:
        claimed = plural(doubt.count, "partition")
        return (
            f"{claimed} claimed by two members of one generation, so nobody owns"
            f" {'it' if one else 'them'}"
        )
    if doubt.kind == DROPPED_CLAIM:
        return f"{plural(doubt.count, 'claim')} dropped"
    if doubt.kind == LAGS_AND_OFFSETS:
        has = form(doubt.count, "has", "have")
        return f"{plural(doubt.count, 'topic')} {has} both lags and offsets; the lags count"
    assert doubt.kind == MISSING_TOPIC
    return f"{plural(doubt.count, 'subscription')} to a topic that does not exist"


def _example(kind: str, names: tuple[str, ...]) -> str:
    """`orders-3 (c-1, c-2)`, `orders-9 of c-1 (no such partition)`, `c-1 to audit`."""
    first, *rest = (shorten(printable(name), MAX_NAME) for name in names)
    if kind == CLAIMED_TWICE:
        return f"{first} ({', '.join(rest)})"
    if kind == DROPPED_CLAIM:
        return f"{first} of {rest[0]} ({rest[1]})"
    return f"{first} to {rest[0]}" if kind == MISSING_TOPIC else first
