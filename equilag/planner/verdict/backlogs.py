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
from equilag.domain.plan.verdict import Action, CauseFacts, NamedPartition, SuspectFacts
from equilag.planner.facts.commands import live_command
from equilag.planner.facts.throughput_words import rate as records_per_s
from equilag.planner.verdict.causes import named, names
from equilag.planner.verdict.decide import PlanDecision
from equilag.planner.verdict.judged_plan import JudgedPlan
from equilag.planner.verdict.suspects import suspicion
from equilag.planner.verdict.two_samples import slow_causes, stuck_causes

MOST: Final = 0.5
"""Part of the lag in one partition that is most of it."""
FAR: Final = 4
"""Times the mean of the others that such a partition has: 80 % of the lag of two partitions."""
FAR_APART: Final = 20
"""Times that a partition lags more than the others of its member: topics seldom differ as much."""
FAR_BEHIND: Final = 10
"""Times what is much: then it is all that matters that all are behind, also where a plan could make
it a little more even."""


def backlog_causes(found: JudgedPlan, made: PlanDecision) -> Iterator[CauseFacts]:
    """The causes that one or two samples show; little of a group that has caught up."""
    group, progress = found.group, found.progress
    stuck = [] if progress is None else [*stuck_causes(group, progress)]
    yield from stuck
    if found.caught_up or not (group.owner != NOBODY).any():
        yield from _hot(found, made)
        return
    one = _most_of_it(found)
    owner = NOBODY if one is None or not _stands_out(found, one) else int(group.owner[one])
    alone = None if owner == NOBODY else group.members[owner].id
    others = (_slow(found, who) for who in found.suspects if who.member != alone)
    slow = [cause for cause in others if cause.waiting >= found.least]
    if progress is not None:
        slow = [*slow_causes(group, progress)]
    yield from slow
    told = slow or found.is_settled or any(it.action == "look" for it in stuck)
    if one is not None and not told:
        yield _one_partition(found, np.array([one]))
    yield from _hot(found, made)
    is_open = not slow and one is None and not found.is_settled
    if is_open and (progress or not found.is_short or made.action == "leave"):
        behind, late = [*_all_behind(found, made)], _far_behind(found)
        is_left = made.action == "leave" and not found.is_short
        few = 2 * len(late) <= np.count_nonzero(group.owner != NOBODY) or not behind
        yield from [_one_partition(found, late)] if is_left and len(late) and few else behind


def _most_of_it(found: JudgedPlan) -> int | None:
    """The partition with most of the lag; None where no partition has, or it is little."""
    places = np.flatnonzero(found.group.assignable)
    lag, rate = found.group.lag[places], found.rate[places]
    if len(lag) < 2 or found.plan.throughput is not None:
        return None  # rates and speeds say more
    top, total = int(lag.argmax()), int(lag.sum())
    most, others = int(lag[top]), (total - int(lag[top])) / (len(lag) - 1)
    if not most or most < max(MOST * total, FAR * others, found.least):
        return None
    in_time = most <= found.limits.behind_s * rate[top]
    if in_time and rate[top] * total >= MOST * most * rate.sum():
        return None  # as much more is produced to it
    return int(places[top])


def _stands_out(found: JudgedPlan, place: int) -> bool:
    """True if the other partitions of its member lag little beside it, each as many times what is
    usual in its topic: a member that is slow is so in all of them."""
    group = found.group
    others: Flags = (group.owner != group.owner[place]) & group.assignable

    def times(p: int) -> float:
        rest = group.lag[others & (group.topic_of == group.topic_of[p])]
        return float((group.lag[p] + 1) / ((np.median(rest) if len(rest) else 0) + 1))

    own = np.flatnonzero(group.owner == group.owner[place]).tolist()
    rest = [times(p) for p in own if p != place]
    return not rest or float(np.median(rest)) * FAR_APART < times(place)


def _far_behind(found: JudgedPlan) -> Ints:
    """The partitions that lag far more than the others, where they have most of the lag; none
    where members are known to keep up."""
    group, held = found.group, found.held
    if found.keeps_up_now:
        return np.zeros(0, np.int64)
    much = np.where(found.rate > 0, found.limits.behind_s * found.rate, found.limits.min_lag)
    late: Flags = held & (group.lag > much)
    others = group.lag[held & ~late]
    late &= group.lag >= FAR * (others.mean() if len(others) else 0.0)
    places: Ints = np.flatnonzero(late)
    return places if group.lag[late].sum() >= MOST * group.lag[held].sum() else places[:0]


def _slow(found: JudgedPlan, who: SuspectFacts) -> CauseFacts:
    group = found.group
    member = next(m for m, one in enumerate(group.members) if one.id == who.member)
    places = np.flatnonzero(group.owner == member)
    advice = (
        "Look at this member first, since moving partitions moves the backlog: its log, its poll"
        " loop, what it waits for."
    )
    return CauseFacts(
        "slow-member", "look", f"{suspicion(who)}.", advice, (who.member,), named(group, places),
        live_command(group, "--sample 60s"), sure=False, waiting=int(group.lag[places].sum()),
    )  # fmt: skip


def _one_partition(found: JudgedPlan, places: Ints) -> CauseFacts:
    """One partition has most of the lag, or some have much."""
    group, several = found.group, len(places) > 1
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
    return CauseFacts(
        "one-partition", "look", evidence, advice, ids, partitions,
        live_command(group, "--sample 60s"), sure=False, waiting=lag,
    )  # fmt: skip


def _hot(found: JudgedPlan, made: PlanDecision) -> Iterator[CauseFacts]:
    """Partitions that are produced to faster than any member reads, or than a fair share."""
    after = None if found.work is None else found.work.after
    group, loads = found.group, found.loads
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
        yield CauseFacts(
            "hot-partition", asks, evidence, advice, (), (partition,),
            live_command(group, "", "size"), waiting=lag,
        )  # fmt: skip
    if after is None or after.hot or not after.capacity:
        return
    share = after.rate / after.capacity * float(loads.capacity.max(initial=0.0))
    for place in np.flatnonzero(loads.rate > share).tolist():
        name = NamedPartition(*group.partition_name(place))
        evidence = (
            f"{partition_name(name)} gets {records_per_s(float(loads.rate[place]))} records/s, more"
            f" than a fair share of {records_per_s(share)}."
        )
        advice = "Its member should read nothing else; no assignment makes the load even."
        lag = int(group.lag[place])
        yield CauseFacts("hot-partition", "leave", evidence, advice, (), (name,), waiting=lag)


def _all_behind(found: JudgedPlan, made: PlanDecision) -> Iterator[CauseFacts]:
    """Much lag at all members."""
    group, held, limits, progress = found.group, found.held, found.limits, found.progress
    total, rate = int(group.lag[held].sum()), float(found.rate[held].sum())
    if found.keeps_up_now:
        return
    lag = found.by_owner(group.lag)
    each_much = limits.behind_s * found.rate if rate else np.full(len(held), limits.min_lag)
    much = found.by_owner(each_much)
    times = total / max(float(much.sum()), 1e-9)
    late = np.flatnonzero(lag > much)
    at_all = len(late) == np.count_nonzero(np.bincount(group.owner[held]))
    if times <= 1 or (made.action == "move" and not (times > FAR_BEHIND and at_all)):
        return
    each = round(total / max(1, int(np.count_nonzero(held))))
    behind = f", {time_span(total / rate)} of production" if rate else ""
    busy, of = len(found.loads.busy), "all" if at_all else f"{number(len(late))} of"
    evidence = (
        f"{plural(total, 'record')} wait, {number(each)} per partition{behind}, at {of}"
        f" {plural(busy, 'member')}."
    )
    advice = (
        "See whether the lag grows: if it does, add members or make them faster; if it falls, wait."
        " No assignment makes it less."
    )
    ids = tuple(group.members[m].id for m in late.tolist())
    again = live_command(group, "--sample 60s")
    grows = progress is not None and progress.fallen < 0 and 2 * len(late) > busy
    asks: Action = "look"
    if progress is not None and grows:
        read, produced = (int(one.sum()) for one in (progress.read, progress.produced))
        evidence = (
            f"{evidence[:-1]}, and it grows: {number(round(produced / progress.seconds))} records/s"
            f" come, {number(round(read / progress.seconds))} are read."
        )
        advice = "Add members, or make them faster; no assignment helps."
        again, asks = live_command(group, "", "size"), "add-members"
    yield CauseFacts(
        "all-behind", asks, evidence, advice, ids, next=again, sure=grows, waiting=total
    )
