"""Where records wait, from one sample: at a member, in one partition, or everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from equilag.domain.columns import Flags, Ints
from equilag.domain.figures import (
    number,
    partition_name,
    percent,
    plural,
    printable,
    time_span,
)
from equilag.domain.group.group import NOBODY
from equilag.domain.plan.verdict import Action, NamedPartition, SuspectFacts
from equilag.planner.diagnosis.decide import PlanDecision
from equilag.planner.diagnosis.judged_plan import JudgedPlan
from equilag.planner.diagnosis.suspects import suspicion
from equilag.planner.facts.commands import live_command
from equilag.planner.facts.throughput_words import rate as records_per_s
from equilag.planner.verdict.causes import FoundCause, named
from equilag.planner.verdict.two_samples import slow_causes, stuck_causes
from equilag.planner.worth.thresholds import least_records

MOST: Final = 0.5
"""Part of the lag in one partition that is most of it."""
FAR: Final = 4
"""Times the mean of the others that such a partition has: 80 % of the lag of two partitions."""
FAR_APART: Final = 20
"""Times that a partition lags more than the others of its member: topics seldom differ as much."""
FAR_BEHIND: Final = 10
"""Times what is much: then it is all that matters that all are behind, also where a plan could make
it a little more even."""


def backlog_causes(found: JudgedPlan, made: PlanDecision) -> Iterator[FoundCause]:
    """The causes that one or two samples show; little of a group that has caught up."""
    group, progress = found.loads.group, found.progress
    stuck = [] if progress is None else [*stuck_causes(group, progress)]
    yield from stuck
    if found.caught_up or not (group.owner != NOBODY).any():
        yield from _hot(found, made)
        return
    one = most_of_it(found)
    owner = NOBODY if one is None else int(group.owner[one])
    alone = None if owner == NOBODY else group.members[owner].id
    least = least_records(found.gain, found.limits.thresholds)
    named_apart = (
        who for who in found.suspects if who.member != alone or not _stands_out(found, one)
    )
    slow = [cause for who in named_apart if (cause := _slow(found, who)).waiting >= least]
    if progress is not None:
        slow = [*slow_causes(group, progress)]
    yield from slow
    told = slow or found.is_settled or any(it.action == "look" for it in stuck)
    if one is not None and not told:
        yield _one_partition(found, one)
    yield from _hot(found, made)
    is_open = not slow and one is None and not found.is_settled
    if is_open and (progress or made.ground != "does-not-keep-up"):
        yield from _all_behind(found, made)


def most_of_it(found: JudgedPlan) -> int | None:
    """The partition with most of the lag; None where no partition has, or it is little."""
    group = found.loads.group
    places = np.flatnonzero(group.assignable)
    lag, rate = group.lag[places], found.rate[places]
    if len(lag) < 2 or found.plan.throughput is not None:
        return None  # rates and speeds say more
    top, total = int(lag.argmax()), int(lag.sum())
    most, others = int(lag[top]), (total - int(lag[top])) / (len(lag) - 1)
    least = least_records(found.gain, found.limits.thresholds)
    if not most or most < max(MOST * total, FAR * others, least):
        return None
    in_time = most <= found.limits.behind_s * rate[top]
    if in_time and rate[top] * total >= MOST * most * rate.sum():
        return None  # as much more is produced to it
    return int(places[top])


def _stands_out(found: JudgedPlan, place: int | None) -> bool:
    """True if the other partitions of its member lag little beside it, each as many times what is
    usual in its topic: a member that is slow is so in all of them."""
    if place is None:
        return False
    group = found.loads.group
    others: Flags = (group.owner != group.owner[place]) & group.assignable

    def times(p: int) -> float:
        rest = group.lag[others & (group.topic_of == group.topic_of[p])]
        return float((group.lag[p] + 1) / ((np.median(rest) if len(rest) else 0) + 1))

    own = np.flatnonzero(group.owner == group.owner[place]).tolist()
    rest = [times(p) for p in own if p != place]
    return not rest or float(np.median(rest)) * FAR_APART < times(place)


def _slow(found: JudgedPlan, who: SuspectFacts) -> FoundCause:
    group = found.loads.group
    member = next(m for m, one in enumerate(group.members) if one.id == who.member)
    places = np.flatnonzero(group.owner == member)
    lag = int(group.lag[places].sum())
    evidence = f"{suspicion(who)}."
    advice = (
        "Look at this member first, since moving partitions moves the backlog: its log, its poll"
        " loop, what it waits for."
    )
    return FoundCause(
        "slow-member", "look", evidence, advice, (who.member,), named(group, places),
        live_command(group, "--sample 60s"), sure=False, waiting=lag,
    )  # fmt: skip


def _one_partition(found: JudgedPlan, place: int) -> FoundCause:
    group = found.loads.group
    lag, total = int(group.lag[place]), int(group.lag[group.assignable].sum())
    name = NamedPartition(*group.partition_name(place))
    owner = int(group.owner[place])
    ids = () if owner == NOBODY else (group.members[owner].id,)
    reader = f", which {printable(ids[0])} reads" if ids else ""
    evidence = (
        f"{partition_name(name)}{reader}, has {percent(100 * lag / total)} of the lag,"
        f" {number(lag)} of {plural(total, 'record')}."
    )
    advice = (
        "Look at its reader: it may hang at one record, or a hot key fills the partition; one"
        " sample cannot tell which, and moving the partition mends neither."
    )
    return FoundCause(
        "one-partition", "look", evidence, advice, ids, (name,),
        live_command(group, "--sample 60s"), sure=False, waiting=lag,
    )  # fmt: skip


def _hot(found: JudgedPlan, made: PlanDecision) -> Iterator[FoundCause]:
    """Partitions that are produced to faster than any member reads, or than a fair share."""
    after = None if found.work is None else found.work.after
    group = found.loads.group
    for one in () if after is None else after.hot:
        partition = NamedPartition(one.topic, one.partition)
        evidence = (
            f"{partition_name(partition)} gets {records_per_s(one.rate)} records/s, and the fastest"
            f" member that may take it reads {records_per_s(one.capacity)}."
        )
        advice = "Give its topic more partitions, or its records another key."
        lag = 0
        if one.topic in group.topics:  # not of a unit of several, which has a name of its own
            lag = int(group.lag[group.topic_start[group.topics.index(one.topic)] + one.partition])
        asks: Action = "repartition" if made.action == "repartition" else "leave"
        yield FoundCause(
            "hot-partition", asks, evidence, advice, (), (partition,),
            live_command(group, "", "size"), waiting=lag,
        )  # fmt: skip
    if after is None or after.hot or not after.capacity:
        return
    share = after.rate / after.capacity * float(found.loads.capacity.max(initial=0.0))
    places: Ints = np.flatnonzero(found.loads.rate > share)
    for place in places.tolist():
        name = NamedPartition(*group.partition_name(place))
        evidence = (
            f"{partition_name(name)} gets {records_per_s(float(found.loads.rate[place]))}"
            f" records/s, more than a fair share of {records_per_s(share)}."
        )
        advice = "Its member should read nothing else; no assignment makes the load even."
        lag = int(group.lag[place])
        yield FoundCause("hot-partition", "leave", evidence, advice, (), (name,), waiting=lag)


def _all_behind(found: JudgedPlan, made: PlanDecision) -> Iterator[FoundCause]:
    """Much lag at all members."""
    group, loads = found.loads.group, found.loads
    held: Flags = group.assignable & (group.owner != NOBODY)
    total, rate = int(group.lag[held].sum()), float(found.rate[held].sum())
    if found.work is not None and found.work.before is not None and found.work.before.keeps_up:
        return
    each = total / max(1, int(np.count_nonzero(held)))
    lag, much = (
        np.bincount(group.owner[held], values[held].astype(np.float64), group.n_members)
        for values in (
            group.lag,
            found.limits.behind_s * found.rate if rate else held * found.limits.min_lag,
        )
    )
    times = total / max(float(much.sum()), 1e-9)
    late = np.flatnonzero(lag > much)
    at_all = len(late) == np.count_nonzero(np.bincount(group.owner[held]))
    if times <= 1 or (made.action == "move" and not (times > FAR_BEHIND and at_all)):
        return
    behind = f", {time_span(total / rate)} of production" if rate else ""
    of = "all" if at_all else f"{number(len(late))} of"
    evidence = (
        f"{plural(total, 'record')} wait, {number(round(each))} per partition{behind}, at {of}"
        f" {plural(len(loads.busy), 'member')}."
    )
    advice = (
        "See whether the lag grows: if it does, add members or make them faster; if it falls, wait."
        " No assignment makes it less."
    )
    ids = tuple(group.members[m].id for m in late.tolist())
    progress, again = found.progress, live_command(group, "--sample 60s")
    grows = progress is not None and progress.fallen < 0 and 2 * len(late) > len(loads.busy)
    if progress is not None and grows:
        read, produced = (int(one.sum()) for one in (progress.read, progress.produced))
        evidence = (
            f"{evidence[:-1]}, and it grows: {number(round(produced / progress.seconds))} records/s"
            f" come, {number(round(read / progress.seconds))} are read."
        )
        advice = "Add members, or make them faster; no assignment helps."
        again = live_command(group, "", "size")
    yield FoundCause(
        "all-behind", "add-members" if grows else "look", evidence, advice, ids,
        next=again, sure=grows, waiting=total,
    )  # fmt: skip
