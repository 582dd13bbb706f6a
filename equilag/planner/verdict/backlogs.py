"""Where records wait, from one sample: at a member, in one partition, or everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from equilag.domain.columns import Flags, Ints
from equilag.domain.figures import (
    form,
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
from equilag.planner.diagnosis.large_backlogs import far_behind, most_of_it, stands_out
from equilag.planner.diagnosis.suspects import suspicion
from equilag.planner.facts.commands import live_command
from equilag.planner.facts.throughput_words import rate as records_per_s
from equilag.planner.verdict.causes import FoundCause, named, names
from equilag.planner.verdict.two_samples import slow_causes, stuck_causes
from equilag.planner.worth.thresholds import least_records

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
        who for who in found.suspects if who.member != alone or not stands_out(found, one)
    )
    slow = [cause for who in named_apart if (cause := _slow(found, who)).waiting >= least]
    if progress is not None:
        slow = [*slow_causes(group, progress)]
    yield from slow
    told = slow or found.is_settled or any(it.action == "look" for it in stuck)
    if one is not None and not told:
        yield _one_partition(found, np.array([one]))
    yield from _hot(found, made)
    is_open = not slow and one is None and not found.is_settled
    if is_open and (progress or made.ground != "does-not-keep-up"):
        behind, late = [*_all_behind(found, made)], far_behind(found)
        is_left = made.action == "leave" and made.ground != "keeps-up-now"
        few = 2 * len(late) <= np.count_nonzero(group.owner != NOBODY) or not behind
        yield from [_one_partition(found, late)] if is_left and len(late) and few else behind


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


def _one_partition(found: JudgedPlan, places: Ints) -> FoundCause:
    """One partition has most of the lag, or some have much."""
    group, several = found.loads.group, len(places) > 1
    lag, total = int(group.lag[places].sum()), int(group.lag[group.assignable].sum())
    partitions = named(group, places)
    owners = np.unique(group.owner[places])
    ids = tuple(group.members[m].id for m in owners.tolist() if m != NOBODY)
    reader = f", which {printable(ids[0])} reads," if ids and not several else ""
    evidence = (
        f"{names(partitions)}{reader} {form(len(places), 'has', 'have')}"
        f" {percent(100 * lag / total)} of the lag, {number(lag)} of {plural(total, 'record')}."
    )
    advice = (
        f"Look at {form(len(places), 'its reader: it', 'their readers: they')} may hang at one"
        f" record, or a hot key fills the {form(len(places), 'partition')}; one sample cannot tell"
        f" which, and moving {'them' if several else 'the partition'} mends neither."
    )
    return FoundCause(
        "one-partition", "look", evidence, advice, ids, partitions,
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
