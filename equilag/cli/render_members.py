"""The members of a plan: partitions and lag of each, before and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from equilag.cli.text import Style, listed, number, plural, table
from equilag.group import NOBODY, Group, Index, Ints
from equilag.metrics import member_counts, member_loads
from equilag.plan import Plan

ALL: Final = 40
"""Members up to which each gets a row."""
HEAVIEST: Final = 15
LIGHTEST: Final = 10
MOST_IDLE: Final = 5
NARROW: Final = 90


def members_block(plan: Plan, names: Mapping[str, str], style: Style) -> list[str]:
    """A row per member, or the rows of the heaviest and lightest."""
    group = plan.group
    if not group.members:
        return style.titled("No members:", " there is nobody to assign anything to.")
    idle = [m.id for m, out in zip(group.members, group.idle.tolist(), strict=True) if out]
    busy = np.flatnonzero(~group.idle).astype(np.int32)
    lines = []
    if len(busy):
        lines += _rows(plan, busy, names, style)
    if idle:
        shown = listed([names[name] for name in idle], MOST_IDLE, style.dots)
        why = f" (no partition in what they subscribe to): {shown}"
        lines += style.titled(plural(len(idle), "idle member"), why)
    return lines


def _rows(plan: Plan, busy: Index, names: Mapping[str, str], style: Style) -> list[str]:
    group = plan.group
    counts, loads = _figures(group, plan.assigned)
    had, carried = _figures(group, group.owner)
    anything = bool((group.owner != NOBODY).any())
    shown, left_out = _selection(busy, loads)
    largest = int(max(loads[busy].max(), carried[busy].max() if anything else 0))
    cells = 10 if style.width >= NARROW else 6

    rows = []
    for m in shown.tolist():
        before, after = number(int(carried[m])), number(int(loads[m]))
        row = [
            names[group.members[m].id],
            number(int(counts[m])),
            after,
            style.bar(int(loads[m]), largest, cells),
        ]
        if anything:
            row[1:2] = [number(int(had[m])), style.arrow, row[1]]
            row[4:4] = [before, style.bar(int(carried[m]), largest, cells), style.arrow]
        rows.append(row)
    body = table(rows, "<>>>><<><" if anything else "<>><")
    title = f"partitions and lag{f', before {style.arrow} after' if anything else ''}"
    which = ""
    if left_out:
        which = ", the heaviest and the lightest"
        body.insert(HEAVIEST, f"{style.dots} {plural(left_out, 'member')} between them left out")
    return style.titled("Members", f"{which} ({title})") + [f"  {line}" for line in body]


def _figures(group: Group, assigned: Index) -> tuple[Ints, Ints]:
    """[M] partitions and [M] lag."""
    return (
        member_counts(assigned, group.n_members),
        member_loads(assigned, group.lag, group.n_members),
    )


def _selection(busy: Index, loads: Ints) -> tuple[Index, int]:
    """The members to show, and how many are left out."""
    if len(busy) <= ALL:
        return busy, 0
    order = busy[np.argsort(-loads[busy], kind="stable")]
    chosen = np.concatenate((order[:HEAVIEST], order[len(order) - LIGHTEST :]))
    return chosen, len(busy) - len(chosen)
