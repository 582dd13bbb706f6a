"""The first lines of a page about one group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType

from equilag.report.facts.group import GroupFacts
from equilag.report.terminal import Screen
from equilag.report.text.tables.layout import Block, indented, title
from equilag.report.wording.words import listed, number, plural, printable

NAMELESS: Final = "(a group without a name)"
MAX_TOPICS: Final = 10
"""Topics named in one line: more than a few lines of names help nobody."""

DOUBTFUL_WORDS: Final = {
    "no_commit": "without a commit",
    "ahead_of_end": "committed beyond the end of the log (counted as no lag)",
    "below_log_start": "committed below the start of the log (counted from the start)",
    "unknown": "of unknown lag (counted as none)",
}


def group_block(group: GroupFacts, screen: Screen) -> Block:
    """The group's sizes, and what is doubtful about its figures."""
    sizes = [
        plural(group.members, "member"),
        plural(group.topics, "topic"),
        plural(group.partitions, "partition"),
        f"total lag {number(group.total_lag)}",
    ]
    if group.taken_at:
        sizes.append(f"taken {printable(group.taken_at)}")
    name = printable(group.name) or NAMELESS
    block: list[RenderableType] = [title(f"{name}:", f" {', '.join(sizes)}")]
    return [*block, *map(indented, doubt_lines(group, screen.dots))]


def doubt_lines(group: GroupFacts, dots: str = "…") -> Iterator[str]:
    """What is doubtful about the figures of the group."""
    for mark, count in group.doubtful_lags.items():
        yield f"{plural(count, 'partition')} {DOUBTFUL_WORDS.get(mark, mark)}"
    yield from (doubt.words for doubt in group.doubts)
    if group.unread_topics:
        unread = [f"{topic} ({plural(n, 'partition')})" for topic, n in group.unread_topics]
        yield f"unassigned, because no member subscribes: {listed(unread, MAX_TOPICS, dots)}"
