"""A plan for people: the group, its members, the moves, how good it is, what else there is."""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.cli.render_members import members_block
from equilag.cli.render_moves import moves_block
from equilag.cli.render_proof import proof_block
from equilag.cli.text import (
    Style,
    abbreviate,
    listed,
    number,
    percent,
    plural,
    printable,
    table,
    wrap,
)
from equilag.group import NOBODY, QUALITY, Group
from equilag.metrics import member_loads, spread
from equilag.plan import Plan

MOST_TOPICS: Final = 10

QUALITY_WORDS: Final = {
    "no_commit": "without a commit",
    "ahead_of_end": "committed beyond the end of the log (counted as no lag)",
    "below_log_start": "committed below the start of the log (counted from the start)",
    "unknown": "with no lag given (counted as none)",
}


def render_plan(plan: Plan, style: Style) -> str:
    """The summary of a plan."""
    names = abbreviate((m.id for m in plan.group.members), style.width // 4, style.dots)
    blocks = [
        header(plan.group, style),
        members_block(plan, names, style),
        moves_block(plan, names, style),
        proof_block(plan, style),
        choices_block(plan, style),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def header(group: Group, style: Style) -> list[str]:
    """The group's sizes, and what is doubtful about its figures."""
    sizes = [
        plural(group.n_members, "member"),
        plural(len(group.topics), "topic"),
        plural(group.n_partitions, "partition"),
        f"total lag {number(int(group.lag.sum()))}",
    ]
    if group.taken_at:
        sizes.append(f"taken {group.taken_at}")
    name = printable(group.name) or "(a group without a name)"
    lines = style.titled(f"{name}:", f" {', '.join(sizes)}")
    marks = np.bincount(group.quality, minlength=len(QUALITY)).tolist()
    doubtful = [
        f"{number(count)} {QUALITY_WORDS[mark]}"
        for mark, count in zip(QUALITY, marks, strict=True)
        if count and mark in QUALITY_WORDS
    ]
    if doubtful:
        lines += wrap(f"  partitions {'; '.join(doubtful)}", style, "    ")
    if group.dropped_claims:
        what = "of a partition that is gone, or that the member no longer subscribes to"
        lines += wrap(f"  {plural(group.dropped_claims, 'claim')} dropped: {what}", style, "    ")
    lines += unread_topics(group, style)
    return lines


def unread_topics(group: Group, style: Style) -> list[str]:
    """The topics that have partitions and no subscriber."""
    numbers = np.flatnonzero((group.topic_size > 0) & ~group.reads.any(axis=1)).tolist()
    unread = [
        f"{group.topics[t]} ({plural(int(group.topic_size[t]), 'partition')})" for t in numbers
    ]
    if not unread:
        return []
    return wrap(
        f"  unassigned, since no member subscribes: {listed(unread, MOST_TOPICS, style.dots)}",
        style,
        "    ",
    )


def choices_block(plan: Plan, style: Style) -> list[str]:
    """Two or three points between the fewest moves and the most even lag, and how to get them."""
    choices = plan.choices
    if len(choices) < 2:
        return []
    group = plan.group
    start, words = choices[0].spread, choices[0].label
    if np.array_equal(group.owner != NOBODY, group.assignable):
        loads = member_loads(group.owner, group.lag, group.n_members)
        now = spread(loads, group.idle)
        if now > choices[-1].spread:
            start, words = now, "the assignment in force"
    gain = start - choices[-1].spread
    # The policies that put fewer moves first never trade moves for lag.
    way = "--policy lag-aware " if plan.policy is not None and plan.policy.moves_first else ""
    rows = []
    for choice in choices:
        here = choice.moves == len(plan.moves) and choice.spread == plan.lag.spread
        share = 100 * (start - choice.spread) / gain if gain > 0 else 100.0
        rows.append([
            f"  {choice.label}",
            plural(choice.moves, "move"),
            "spread",
            number(choice.spread),
            f"{percent(share)} of the gain",
            "this plan" if here else f"{way}--max-moves {choice.moves}",
        ])  # fmt: skip
    title = style.titled(
        "Choices", f" found in this run (gain: the lag spread saved, counted from {words})"
    )
    return [*title, *table(rows, "<><>><")]
