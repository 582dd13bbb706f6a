"""How uneven the current assignment is, and why: the figures of its heaviest member."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from equilag.domain.columns import distinct
from equilag.domain.group.group import NOBODY, Flags, Floats, Ints
from equilag.domain.move_reasons.unit_reasons import Partner
from equilag.domain.plan.metrics import member_counts
from equilag.domain.plan.verdict import SuspectFacts
from equilag.planner.worth.group_loads import GroupLoads
from equilag.planner.worth.judged_plan import JudgedPlan
from equilag.planner.worth.thresholds import MOST

UNEVEN: Final = 0.1
"""Part of a fair share by which a member has to be above or below it to be called uneven: what a
rebalance has to bring by default."""
MAX_HEAVY: Final = 3
"""Heavy partitions that are few."""
HEAVY: Final = 2
"""A partition is heavy from this many times the mean of all partitions on."""
SLOW: Final = 0.8
"""A member is slow below this part of the median capacity: what it does to loads is then above
`UNEVEN`."""

Evenness = Literal["none", "unowned", "even", "uneven"]
"""``none``: no member may read a partition; ``unowned``: nobody owns one; ``even``: all members are
within a tenth of a fair share."""


@dataclass(frozen=True, slots=True)
class NowMemberFacts:
    """A member under the current assignment."""

    id: str
    load: float
    fair_shares: float
    """Its load in fair shares."""
    partitions: int


@dataclass(frozen=True, slots=True)
class HeavyPartitionsFacts:
    """The few heavy partitions that are at least half of a member's load."""

    partitions: tuple[Partner, ...]
    """The heaviest first."""
    weights: tuple[float, ...]
    """Lag, or what is spread in its place; not per unit of capacity."""
    percent: float
    """Of the member's load, all together."""
    mean: float
    """What a partition of the group weighs on average."""


@dataclass(frozen=True, slots=True)
class NarrowTopicsFacts:
    """Partitions that few members may read and that are at least half of a member's load."""

    topics: tuple[str, ...]
    readers: int
    """Members that may read them."""
    members: int
    """Members in all that may read anything."""
    percent: float
    """Of the member's load."""
    load: float
    """Of each reader if these partitions were spread equally over them."""
    fair_shares: float


@dataclass(frozen=True, slots=True)
class SlowMemberFacts:
    id: str
    capacity: float


@dataclass(frozen=True, slots=True)
class UnevennessFacts:
    """Loads in the unit of the verdict."""

    evenness: Evenness
    unit: str
    fair: float
    """A fair share: the load of every member if all were equally loaded."""
    by_count: bool = False
    """True if the group has caught up, so that loads are numbers of partitions."""
    heaviest: NowMemberFacts | None = None
    lightest: NowMemberFacts | None = None
    others_fewest: int = 0
    """Partitions of the others, the heaviest member apart; so is `others_most`."""
    others_most: int = 0
    others_usual: float = 0.0
    """Partitions of the others on average."""
    own_mean: float = 0.0
    """What a partition of the heaviest member weighs on average."""
    others_mean: float = 0.0
    """What a partition of the others weighs on average."""
    heavy: HeavyPartitionsFacts | None = None
    narrow: NarrowTopicsFacts | None = None
    suspects: tuple[SuspectFacts, ...] = ()
    slow: tuple[SlowMemberFacts, ...] = ()
    """Members of which the capacity is well below the median, the slowest first."""
    usual_capacity: float | None = None
    """The median of the capacities that are known."""
    without: tuple[str, ...] = ()
    """Members that may read partitions and own none."""
    unowned: int = 0
    """Partitions that a member may read and nobody owns."""


def unevenness_facts(judged: JudgedPlan) -> UnevennessFacts:
    """The figures of the current assignment of a judged plan's group."""
    loads, group = judged.loads, judged.loads.group
    held: Flags = group.assignable & (group.owner != NOBODY)
    if not len(loads.busy):
        return UnevennessFacts("none", judged.unit, 0.0)
    unowned = int(np.count_nonzero(group.assignable & ~held))
    if not held.any():
        return UnevennessFacts("unowned", judged.unit, loads.fair, unowned=unowned)
    by_member = loads.of(group.owner)
    counts: Ints = member_counts(group.owner, group.n_members)[loads.busy]
    first, last = int(by_member.argmax()), int(by_member.argmin())
    even, others = _is_even(judged, by_member), np.delete(counts, first)
    owner = int(loads.busy[first])
    mine: Flags = held & (group.owner == owner)
    theirs: Flags = held & (group.owner != owner)
    members = [group.members[place] for place in loads.busy.tolist()]
    known = [(one.id, one.capacity) for one in members if one.capacity is not None]
    usual = float(np.median([capacity for _, capacity in known])) if known else None
    slow = (SlowMemberFacts(*one) for one in known if usual and one[1] < SLOW * usual)
    weighed = not (judged.by_count or even)
    return UnevennessFacts(
        "even" if even else "uneven",
        judged.unit,
        loads.fair,
        judged.by_count,
        _member(loads, first, float(by_member[first]), int(counts[first])),
        _member(loads, last, float(by_member[last]), int(counts[last])),
        int(others.min()) if len(others) else 0,
        int(others.max(initial=0)),
        float(others.mean()) if len(others) else 0.0,
        float(loads.weight[mine].mean()) if mine.any() else 0.0,
        float(loads.weight[theirs].mean()) if theirs.any() else 0.0,
        _heavy(loads, mine) if weighed else None,
        None if even else _narrow(loads, mine),
        judged.suspects if weighed else (),
        tuple(sorted(slow, key=lambda one: one.capacity)),
        usual,
        tuple(group.members[loads.busy[place]].id for place in np.flatnonzero(counts == 0)),
        unowned,
    )


def _is_even(judged: JudgedPlan, by_member: Floats) -> bool:
    if len(by_member) == 1:
        return True
    low, high, fair = float(by_member.min()), float(by_member.max()), judged.loads.fair
    if judged.by_count and high - low <= 1 / float(judged.loads.capacity.max()):
        return True  # partitions are whole
    return (1 - UNEVEN) * fair <= low and high <= (1 + UNEVEN) * fair


def _member(loads: GroupLoads, place: int, load: float, count: int) -> NowMemberFacts:
    shares = load / loads.fair if loads.fair else 0.0
    return NowMemberFacts(loads.group.members[loads.busy[place]].id, load, shares, count)


def _heavy(loads: GroupLoads, mine: Flags) -> HeavyPartitionsFacts | None:
    """None where they are not few, or not heavy."""
    total = float(loads.weight[mine].sum())
    mean = float(loads.weight.sum()) / max(1, int(np.count_nonzero(loads.group.assignable)))
    own = np.flatnonzero(mine)
    order = own[np.argsort(-loads.weight[own], kind="stable")][:MAX_HEAVY]
    parts = np.cumsum(loads.weight[order]) / total if total else np.zeros(len(order))
    enough = np.flatnonzero(parts >= MOST)
    if not len(enough):
        return None
    chosen = order[: int(enough[0]) + 1]
    weights = loads.weight[chosen]
    if weights[-1] < HEAVY * mean:
        return None
    names = tuple(loads.group.partition_name(place) for place in chosen.tolist())
    return HeavyPartitionsFacts(
        names, tuple(weights.tolist()), 100 * float(parts[len(chosen) - 1]), mean
    )


def _narrow(loads: GroupLoads, mine: Flags) -> NarrowTopicsFacts | None:
    """None where what few may read is not what makes them heavy."""
    group = loads.group
    total = float(loads.weight[mine].sum())
    if not total:
        return None
    by_class = np.bincount(group.partition_class[mine], loads.weight[mine], len(group.eligible))
    chosen = int(by_class.argmax())
    may: Flags = group.eligible[chosen][group.class_of[loads.busy]]
    readers, part = int(np.count_nonzero(may)), float(by_class[chosen]) / total
    inside: Flags = group.partition_class == chosen
    load = float(loads.weight[inside].sum()) / float(loads.capacity[may].sum())
    if readers == len(may) or part < MOST or load <= (1 + UNEVEN) * loads.fair:
        return None
    weighty: Flags = inside & mine & (loads.weight > 0)
    topics = tuple(group.topics[t] for t in distinct(group.topic_of[weighty]).tolist())
    return NarrowTopicsFacts(topics, readers, len(may), 100 * part, load, load / loads.fair)
