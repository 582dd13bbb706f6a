"""What is wrong with a group: each cause with its evidence, and what it asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from equilag.domain.columns import Flags, Ints
from equilag.domain.figures import form, listed, number, partition_name, plural
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.group.lag import NO_COMMIT, UNKNOWN
from equilag.domain.plan.verdict import Action, CauseFacts, NamedPartition
from equilag.planner.facts.commands import live_command
from equilag.planner.verdict.decide import PlanDecision, waiting
from equilag.planner.verdict.judged_plan import JudgedPlan

MAX_NAMES: Final = 3
"""Members or partitions that a sentence names."""


def named(group: Group, places: Ints) -> tuple[NamedPartition, ...]:
    """The partitions of these numbers."""
    return tuple(NamedPartition(*group.partition_name(place)) for place in places.tolist())


def names(partitions: Sequence[NamedPartition]) -> str:
    """Some of them in a row."""
    return listed([partition_name(one) for one in partitions], MAX_NAMES)


def who_reads(group: Group) -> Iterator[CauseFacts]:
    """What is not read, or of what it is not known."""
    if group.incomplete:
        advice = (
            "Paste the whole text, for example from a file that the tool wrote, or let equilag read"
            " the group itself."
        )
        evidence, again = " ".join(group.incomplete), live_command(group, "")
        yield CauseFacts("incomplete-input", "cannot-tell", evidence, advice, next=again)
        return
    lag = int(group.lag.sum())
    if not group.assignable.any() and group.n_partitions:
        why = "No member subscribes to its topics" if group.n_members else "It has no members"
        waits = waiting(lag) if lag else "nothing waits"
        advice = "Start its consumers, or delete the group if nobody needs it any more."
        asks: Action = "start-members" if lag else "leave"
        yield CauseFacts("no-members", asks, f"{why}, and {waits}.", advice, waiting=lag)
    free = np.flatnonzero(group.assignable & (group.owner == NOBODY))
    if len(free):
        lag = int(group.lag[free].sum())
        partitions, has = named(group, free), form(len(free), "has", "have")
        evidence = f"{plural(len(free), 'partition')} {has} no owner, and {number(lag)} records."
        advice = "Assign what nobody reads: a rebalance of the group does, and so does the plan."
        yield CauseFacts(
            "unassigned", "assign", evidence, advice, partitions=partitions, waiting=lag
        )


def of_the_plan(found: JudgedPlan, made: PlanDecision) -> Iterator[CauseFacts]:
    """What the assignment, or the number of members, is the reason of."""
    group, heaviest = found.group, found.heaviest
    if made.action == "move" or made.action == "loosen":
        who = () if heaviest is None else (heaviest.before,)
        above = 0.0 if heaviest is None else heaviest.above_before_percent
        evidence = f"{listed(who, 1)} has {number(round(above))} % more than a fair share."
        advice = "Another assignment relieves it: the plan says which partitions to move."
        if made.action == "loosen":
            advice = "Plan with looser settings: the members keep up under those."
        sure = not found.guessed.any()
        yield CauseFacts("uneven-assignment", made.action, evidence, advice, who, sure=sure)
    if made.action == "add-members" and found.work is not None and found.work.after is not None:
        more, after = found.work.more, found.work.after
        evidence = (
            f"{number(round(after.rate))} records/s are produced, the members read"
            f" {number(round(after.capacity))}, and the best plan is {number(round(after.short))}"
            " records/s short."
        )
        advice = f"Add {plural(more, 'member')}." if more else "Add members."
        yield CauseFacts(
            "too-few-members", "add-members", evidence, advice,
            next=live_command(group, "", "size"), waiting=int(group.lag.sum()),
        )  # fmt: skip


def of_unknown(group: Group) -> Iterator[CauseFacts]:
    """Partitions whose lag is planned as 0 or as the whole log, for want of a commit or an end."""
    unknown: Flags = group.assignable & (group.quality == UNKNOWN)
    none: Flags = group.assignable & (group.quality == NO_COMMIT)
    if group.offsets is not None:  # of a live group the lag of these is unknown
        ends, commits = group.offsets.log_end, group.offsets.committed
        none |= unknown & (ends >= 0) & (commits < 0)
    unknown &= ~none
    none &= log_sizes(group) > 0
    if none.any():
        places = np.flatnonzero(none)
        partitions, has = named(group, places), form(len(places), "has", "have")
        log = int(log_sizes(group)[places].sum())
        counts = form(len(places), "it counts", "they count")
        planned = f"{counts} as {number(int(group.lag[places].sum()))} in the plan"
        evidence = (
            f"{plural(len(places), 'partition')} {has} no commit and {plural(log, 'record')} in the"
            f" log: {names(partitions)}; {planned}."
        )
        advice = (
            "See whether its reader commits at all, and set --auto-offset-reset to what the"
            " consumers use."
        )
        yield CauseFacts(
            "never-committed", "look", evidence, advice, partitions=partitions, waiting=log
        )
    everything = bool(np.array_equal(unknown, group.assignable))
    if unknown.any() and not (everything and group.weights is not None):
        places = np.flatnonzero(unknown)
        partitions = named(group, places)
        evidence = (
            f"{plural(len(places), 'partition')} {form(len(places), 'has', 'have')} an unknown lag,"
            f" which counts as 0: {names(partitions)}."
        )
        advice = "Give offsets or lags; without any, numbers of partitions are balanced."
        again = live_command(group, "--sample 60s")
        yield CauseFacts("unknown-lag", "look", evidence, advice, (), partitions, again)


def log_sizes(group: Group) -> Ints:
    """[P] records in the log; 1 where it is unknown, so that there may be some."""
    if group.offsets is None:
        return np.ones(group.n_partitions, np.int64)
    known: Flags = group.offsets.log_end >= 0
    size: Ints = np.where(known, group.offsets.log_end - group.offsets.log_start, 1)
    return size


def in_order_facts(group: Group, caught_up: bool) -> Iterator[CauseFacts]:
    """What asks for nothing."""
    counts = np.bincount(group.owner[group.owner != NOBODY], minlength=group.n_members)
    without = np.flatnonzero(counts == 0)
    partitions = int(np.count_nonzero(group.assignable))
    spare = group.n_members - partitions
    if len(without) and spare > 0 and (group.owner != NOBODY).any():
        ids = tuple(group.members[place].id for place in without.tolist())
        evidence = (
            f"{plural(group.n_members, 'member')} share {plural(partitions, 'partition')}, so at"
            f" least {number(spare)} {form(spare, 'reads', 'read')} nothing."
        )
        advice = "A spare member takes over when another one stops."
        yield CauseFacts("idle-members", "leave", evidence, advice, ids)
    if caught_up:
        lag = int(group.lag[group.assignable].sum())
        yield CauseFacts("caught-up", "leave", f"{waiting(lag)} in all.", "Nothing is to be done.")
