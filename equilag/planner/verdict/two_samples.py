"""What two samples show: commits that stand still, members that read slowly, lag that grows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from equilag.domain.columns import Flags, Floats, Ints
from equilag.domain.figures import number, partition_name, plural, printable, time_span
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.group.throughput import ReadProgress
from equilag.domain.plan.verdict import Action, Cause, CauseFacts, NamedPartition
from equilag.domain.reduction.reduce import known_capacities
from equilag.planner.facts.commands import live_command
from equilag.planner.verdict.causes import named
from equilag.planner.verdict.decide import waiting
from equilag.planner.verdict.judged_plan import CAUGHT_UP

SURE_S: Final = 300.0
"""Seconds without a commit after which one is not to be expected: Kafka's consumers commit every
5 s, and what commits by batch seldom takes 5 minutes for one."""
HALF: Final = 0.5
"""Of what the others read, below which a member is slow."""
SAME: Final = "commits by batch, pause(), an open transaction and its end marker look the same"


def stuck_causes(group: Group, progress: ReadProgress) -> Iterator[CauseFacts]:
    """Partitions and members whose commits stand still while records wait.

    Two commit intervals have to lie between the samples. A few records are told, and ask for
    nothing: they may be the end markers of transactions.
    """
    still: Flags = progress.known & (progress.read == 0) & (progress.before > 0)
    still &= group.lag > 0
    if progress.seconds < CAUGHT_UP or not still.any():
        return
    owner = group.owner
    moves = np.zeros(group.n_members + 1, np.bool_)
    moves[owner[progress.read > 0]] = True  # the last entry is nobody's
    long = progress.seconds >= SURE_S
    alone: Flags = still & (owner != NOBODY) & moves[owner]
    for place in np.flatnonzero(alone).tolist():
        name = NamedPartition(*group.partition_name(place))
        who, lag = group.members[owner[place]].id, int(group.lag[place])
        evidence = (
            f"{partition_name(name)} has had no commit for {time_span(progress.seconds)} while"
            f" {waiting(lag)}, and {printable(who)} goes on with its others."
        )
        yield _stuck(group, long, who, (name,), (evidence, "partition", lag))
    for member in np.unique(owner[still & ~alone & (owner != NOBODY)]).tolist():
        places = np.flatnonzero(still & (owner == member))
        lag, who = int(group.lag[places].sum()), group.members[member].id
        evidence = (
            f"{printable(who)} has committed nothing for {time_span(progress.seconds)} while"
            f" {waiting(lag)} in {plural(len(places), 'partition')}."
        )
        yield _stuck(group, long, who, named(group, places), (evidence, "member", lag))


def _stuck(
    group: Group,
    long: bool,
    who: str,
    where: tuple[NamedPartition, ...],
    what: tuple[str, str, int],
) -> CauseFacts:
    """`what` are the evidence, whether a member or a partition is stuck, and the records."""
    evidence, kind, lag = what
    few = lag <= CAUGHT_UP * len(where)
    sure = long and not few
    do = "restart it or skip the record" if sure else "see whether it goes on"
    advice = f"Look at the log of {printable(who)} and {do}; {SAME}."
    again = None if sure else live_command(group, f"--sample {SURE_S:g}s")
    cause: Cause = "stuck-member" if kind == "member" else "stuck-partition"
    asks: Action = "leave" if few else "look"
    return CauseFacts(cause, asks, evidence, advice, (who,), where, again, sure, lag)


def slow_causes(group: Group, progress: ReadProgress) -> Iterator[CauseFacts]:
    """Members that had a backlog all along, and read less than half of what others did."""
    held: Flags = progress.known & (group.owner != NOBODY)
    size = group.n_members
    capacity = np.array(known_capacities(group), dtype=np.float64)

    def by_member(values: Ints, where: Flags) -> Floats:
        found = np.bincount(group.owner[where], values[where].astype(np.float64), size)
        return found.astype(np.float64)

    read, before, now = (by_member(v, held) for v in (progress.read, progress.before, group.lag))
    backlog: Flags = (np.minimum(before, now) > read) & (read > 0)
    for member in np.flatnonzero(backlog).tolist():
        own: Flags = held & (group.owner == member)
        same: Flags = held & np.isin(group.topic_of, group.topic_of[own])
        others = np.setdiff1d(np.unique(group.owner[same]), [member])
        if not len(others):
            continue
        speed = by_member(progress.read, same) / capacity
        usual, of = float(np.median(speed[others])) * capacity[member], ""
        if read[member] >= HALF * usual and speed[member] < speed[others].max():
            # It may have more partitions than they.
            usual = _usually_read(group, progress, own, held)
            of = " of as many partitions of its topics"
        if read[member] >= HALF * usual:
            continue
        who, lag = group.members[member].id, int(now[member])
        slow, fast = (number(round(one / progress.seconds, 1)) for one in (read[member], usual))
        evidence = (
            f"{printable(who)} reads {slow} records/s with a backlog of {plural(lag, 'record')},"
            f" and the others {fast}{of}."
        )
        advice = (
            "Look at this member first: its log, its poll loop, what it waits for; a plan by speed"
            " gives it less."
        )
        yield CauseFacts(
            "slow-member", "look", evidence, advice, (who,), named(group, np.flatnonzero(own)),
            live_command(group, "--sample 60s --weight work"), waiting=lag,
        )  # fmt: skip


def _usually_read(group: Group, progress: ReadProgress, own: Flags, held: Flags) -> float:
    """Records that others read in as many partitions of the same topics."""
    found = 0.0
    for topic in np.unique(group.topic_of[own]).tolist():
        there: Flags = held & (group.topic_of == topic)
        others = progress.read[there & ~own]
        of_one = np.median(others) if len(others) else progress.read[there & own].mean()
        found += float(of_one) * int(np.count_nonzero(there & own))
    return found
