"""Where records wait: at a member, in one partition, or everywhere; from one sample or two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from equilag.domain.columns import NOBODY, Flags, Ints
from equilag.domain.figures import number, partition_name, percent, plural, time_span, whole
from equilag.domain.group.lag import is_known
from equilag.domain.group.throughput import ReadProgress
from equilag.domain.plan.verdict import Action, CauseFacts, NamedPartition
from equilag.domain.reduction.reduce import known_capacities
from equilag.planner.facts.suspects import FAR_APART, suspicion
from equilag.planner.facts.throughput_words import rate as records_per_s
from equilag.planner.verdict.causes import SURE_S, told
from equilag.planner.worth.judged_plan import CAUGHT_UP, JudgedPlan
from equilag.planner.worth.thresholds import MOST

MAYBE_SLOW: Final = 0.7
"""Part of what the others read below which a member may be slow, as it had a backlog all along."""
FAR: Final = 4
"""Times the mean of the others that such a partition has: 80 % of the lag of two partitions."""
FAR_BEHIND: Final = 2
"""Times what is much: then it is all that matters that all are behind, also where a plan could make
it a little more even."""
AS_LATE: Final = 0.8
"""Part of what is produced that a slow member reads, over the part that the others read: with more
it is as late as they, and has less to read."""
NEARLY_ALL: Final = 0.75
"""Part of the members that lag much where all are called behind: of fewer, some partitions are."""


def backlog_causes(found: JudgedPlan, action: Action) -> Iterator[CauseFacts]:
    """The causes that one or two samples show; little of a group that has caught up. `action` is
    what the plan is good for."""
    progress = found.progress
    stuck = [] if progress is None else [*_stuck(found, progress)]
    yield from stuck
    yield from _hot(found, action)
    if found.caught_up or not found.held.any():
        return
    one = _most_of_it(found)
    slow = [*_slow(found, one)] if progress is None else [*_slowly_read(found, progress)]
    yield from slow
    if slow or found.is_settled:
        return
    if one is not None and not any(cause.action == "look" for cause in stuck):
        yield from _one(found, one, action)
    elif one is None and (progress or not found.is_short or action == "leave"):
        yield from _behind(found, action)


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


def _slow(found: JudgedPlan, one: int | None) -> Iterator[CauseFacts]:
    """Members that may be slow; not the one whose partition `one` alone stands out."""
    group = found.group
    owner = NOBODY if one is None or not _stands_out(found, one) else int(group.owner[one])
    number_of = {member.id: number for number, member in enumerate(group.members)}
    for who in found.suspects:
        places = np.flatnonzero(group.owner == number_of[who.member])
        if group.owner[places[0]] != owner and group.lag[places].sum() >= found.least:
            yield told(group, "slow?", places, suspicion=suspicion(who))


def _stands_out(found: JudgedPlan, place: int) -> bool:
    """True if the other partitions of its member lag little beside it, each as many times what is
    usual in its topic, or in others: a member that is slow is so in all of them."""
    group = found.group
    known: Flags = group.assignable & is_known(group.quality)
    others: Flags = known & (group.owner != group.owner[place])

    def times(p: int) -> float:
        there: Flags = others & (group.topic_of == group.topic_of[p])
        rest = group.lag[there if there.any() else others]
        return float((group.lag[p] + 1) / ((np.median(rest) if len(rest) else 0) + 1))

    own = np.flatnonzero(known & (group.owner == group.owner[place])).tolist()
    rest = [times(p) for p in own if p != place]
    return not rest or float(np.median(rest)) * FAR_APART < times(place)


def _one(found: JudgedPlan, place: int, action: Action) -> Iterator[CauseFacts]:
    """A partition with most of the lag. Two samples tell whether it is read; if it is, and others
    of its member lag as well, that is slower than another that reads as much, or has too much to
    read, which a plan may mend."""
    progress, owner, places = found.progress, int(found.group.owner[place]), np.array([place])
    if progress is None or owner == NOBODY or not progress.read[place]:
        yield _partitions(found, places)
        return
    speeds, rate = found.by_owner(progress.read) / progress.seconds, float(found.rate[place])
    speed, apart = float(speeds[owner]), _stands_out(found, place)
    if speed < rate <= speeds.max() and not apart:
        own = np.flatnonzero(found.held & (found.group.owner == owner))
        slow, fast = (number(round(float(x), 1)) for x in (speed, speeds.max()))
        cause = told(found.group, "slow", own, slow=slow, fast=f"up to {fast}", of="")
        yield replace(cause, sure=False)
    elif rate > speed or action != "move" or apart:
        part = float(progress.read[place]) / progress.seconds
        figures = {"rate": rate, "part": part, "speed": speed}
        words = {name: records_per_s(figure) for name, figure in figures.items()}
        yield told(found.group, "hot?", places, None, None, **words)


def _partitions(found: JudgedPlan, places: Ints) -> CauseFacts:
    """One partition has most of the lag, or some have much."""
    group, lag = found.group, int(found.group.lag[places].sum())
    total = int(group.lag[group.assignable].sum())
    figures = {"share": percent(100 * lag / total), "part": number(lag)}
    trouble = "one partition" if len(places) == 1 else "some partitions"
    return told(group, trouble, places, None, None, total=plural(total, "record"), **figures)


def _hot(found: JudgedPlan, action: Action) -> Iterator[CauseFacts]:
    """Partitions that are produced to faster than any member reads, or than a fair share."""
    after = None if found.work is None else found.work.after
    group, loads = found.group, found.loads
    for one in () if after is None else after.hot:
        name, lag = NamedPartition(one.topic, one.partition), 0
        if one.topic in group.topics:  # not of a unit of several, which has a name of its own
            lag = int(group.lag[group.topic_start[group.topics.index(one.topic)] + one.partition])
        cause = told(
            group, "hot", None, lag, (), partitions=partition_name(name),
            rate=records_per_s(one.rate), speed=records_per_s(one.capacity),
        )  # fmt: skip
        asks: Action = "repartition" if action == "repartition" else "leave"
        yield replace(cause, action=asks, partitions=(name,))
    if after is None or after.hot or not after.capacity:
        return
    share = after.rate / after.capacity * float(loads.capacity.max(initial=0.0))
    for place in np.flatnonzero(loads.rate > share).tolist():
        figures = {"rate": records_per_s(float(loads.rate[place])), "speed": records_per_s(share)}
        yield told(group, "large", np.array([place]), None, (), **figures)


def _behind(found: JudgedPlan, action: Action) -> Iterator[CauseFacts]:
    """Much lag: at all members, or in some partitions; where a plan helps, only very much."""
    group, held, limits, progress = found.group, found.held, found.limits, found.progress
    if found.keeps_up_now:
        return
    total, rate = int(group.lag[held].sum()), float(found.rate[held].sum())
    each_much = limits.behind_s * found.rate if rate else np.full(len(held), limits.min_lag)
    much, busy = found.by_owner(each_much), len(np.unique(group.owner[held]))
    late = np.flatnonzero(found.by_owner(group.lag) > much)
    times, at_all, far = total / max(1e-9, much.sum()), len(late) == busy, _far_behind(found)
    readers = len(np.unique(group.owner[far]))  # one alone may have too many partitions
    some = len(far) and (times <= 1 or readers < NEARLY_ALL * busy)
    apart = readers > 1 and all(_stands_out(found, place) for place in far.tolist())
    if some and (apart or action != "move") and not found.is_short:
        yield _partitions(found, far)
        return
    if times <= 1 or (action == "move" and not (times > FAR_BEHIND and at_all)):
        return
    figures = {
        "each": whole(total / max(1, int(np.count_nonzero(held)))),
        "behind": f", {time_span(total / rate)} of production" if rate else "",
        "where": f"{'all' if at_all else f'{number(len(late))} of'} {plural(busy, 'member')}",
    }
    ids = tuple(group.members[m].id for m in late.tolist())
    if progress is None or progress.fallen >= 0 or 2 * len(late) <= busy:
        yield told(group, "behind?", None, total, ids, **figures)
        return
    come, read = (int(x.sum()) / progress.seconds for x in (progress.produced, progress.read))
    yield told(group, "behind", None, total, ids, **figures, come=whole(come), read=whole(read))


def _far_behind(found: JudgedPlan) -> Ints:
    """The partitions that lag far more than the others, where they have most of the lag."""
    group, held = found.group, found.held
    much = np.where(found.rate > 0, found.limits.behind_s * found.rate, found.limits.min_lag)
    late: Flags = held & (group.lag > much)
    others = group.lag[held & ~late]
    late &= group.lag >= FAR * (others.mean() if len(others) else 0.0)
    places: Ints = np.flatnonzero(late)
    return places if group.lag[late].sum() >= MOST * group.lag[held].sum() else places[:0]


def _stuck(found: JudgedPlan, progress: ReadProgress) -> Iterator[CauseFacts]:
    """Partitions and members whose commits stand still while records wait.

    Two commit intervals have to lie between the samples. A few records are told, and ask for
    nothing: they may be the end markers of transactions.
    """
    group, owner = found.group, found.group.owner
    still: Flags = progress.known & (progress.read == 0) & (progress.before > 0)
    still &= (group.lag > 0) & (owner != NOBODY)
    if progress.seconds < CAUGHT_UP or not still.any():
        return
    alone: Flags = still & np.isin(owner, owner[progress.read > 0])
    stuck = [("stuck", np.array([place])) for place in np.flatnonzero(alone).tolist()]
    whole: Flags = still & ~alone
    members = np.unique(owner[whole]).tolist()
    stuck += [("stuck member", np.flatnonzero(whole & (owner == member))) for member in members]
    for what, places in stuck:
        few = int(group.lag[places].sum()) <= CAUGHT_UP * len(places)
        sure = progress.seconds >= SURE_S and not few
        cause = told(group, what if sure else f"{what}?", places, span=time_span(progress.seconds))
        yield replace(cause, action="leave") if few else cause


def _slowly_read(found: JudgedPlan, progress: ReadProgress) -> Iterator[CauseFacts]:
    """Members that had a backlog all along, and read much less than others did."""
    group, held = found.group, found.held & progress.known
    capacity = np.array(known_capacities(group), dtype=np.float64)
    read, before, now = (
        found.by_owner(values, held) for values in (progress.read, progress.before, group.lag)
    )
    for member in np.flatnonzero((np.minimum(before, now) > read) & (read > 0)).tolist():
        own: Flags = held & (group.owner == member)
        same: Flags = held & np.isin(group.topic_of, group.topic_of[own])
        others = np.setdiff1d(np.unique(group.owner[same]), [member])
        if not len(others):
            continue
        there = found.by_owner(progress.read, same)
        part = there / np.maximum(1.0, found.by_owner(progress.produced, same))
        if part[member] >= AS_LATE * np.median(part[others]):
            continue
        top = int(np.where(own, group.lag, -1).argmax())
        if np.count_nonzero(own) > 1 and _stands_out(found, top):
            continue
        speed = there / capacity
        usual, of = float(np.median(speed[others])) * capacity[member], " each"
        if read[member] >= MAYBE_SLOW * usual and speed[member] < speed[others].max():
            # It may have more partitions than they.
            usual, of = 0.0, " of as many partitions of its topics"
            for topic in np.unique(group.topic_of[own]).tolist():
                places: Flags = held & (group.topic_of == topic)
                theirs = places & ~own if (places & ~own).any() else places
                usual += np.median(progress.read[theirs]) * np.count_nonzero(places & own)
        if read[member] < MAYBE_SLOW * usual:
            slow, fast = (number(round(x / progress.seconds, 1)) for x in (read[member], usual))
            lag, at = int(now[member]), np.flatnonzero(own)
            cause = told(group, "slow", at, lag, slow=slow, fast=fast, of=of)
            yield replace(cause, sure=bool(2 * read[member] < usual))
