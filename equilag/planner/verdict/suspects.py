"""Members that may be slow or stuck: nearly all of their partitions lag more than others'."""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.domain.figures import form, number, plural, printable
from equilag.domain.group.group import NOBODY, Flags, Floats, Group, Index, Ints
from equilag.domain.group.lag import NO_COMMIT, UNKNOWN
from equilag.domain.plan.metrics import member_counts, member_loads
from equilag.domain.plan.verdict import SuspectFacts

MIN_PART: Final = 0.9
"""Part of a member's partitions that have to lag, and of the others' that have to lag less."""
TIMES: Final = 2
"""A partition lags if its lag is this many times the usual one of its topic."""
MORE_PARTITIONS: Final = 1.5
"""A member with this many times the partitions of the others is overloaded, not slow."""
FAIR_SHARES: Final = 1.25
"""Load of a member, in fair shares, above which it is looked at: what a member of two has that lags
twice as much as the other is 1.33."""
MIN_LAG: Final = 500
"""Records that one poll brings by default (``max.poll.records``): a smaller lag may be what came
since the last commit."""


def slow_suspects(group: Group, owner: Index) -> tuple[SuspectFacts, ...]:
    """Return the members that may be slow or stuck under an assignment `owner` [P], by number.

    Empty where a capacity or a rate is known: then these say who is slow. A partition of unknown
    lag, or without a commit, counts as one that does not lag.
    """
    if any(member.capacity is not None for member in group.members) or (
        group.rates is not None and not np.isnan(group.rates).all()
    ):
        return ()
    known: Flags = (owner != NOBODY) & (group.quality != UNKNOWN) & (group.quality != NO_COMMIT)
    loads, counts = (
        member_loads(owner, group.lag, group.n_members), member_counts(owner, group.n_members)
    )  # fmt: skip
    busy = max(1, int(np.count_nonzero(~group.idle)))
    heavy = loads > FAIR_SHARES * int(loads.sum()) / busy
    aside: Flags = heavy & (counts <= MORE_PARTITIONS * max(1.0, int(counts.sum()) / busy))
    while aside.any():  # fewer each time: who is not suspected is one of the others
        others = known & ~_of(aside, owner)
        lags: Flags = _lagging(group, owner, known, others)
        still = aside & _suspected(group, owner, lags, others)
        if np.array_equal(still, aside):
            return _facts(group, owner, lags, others, aside)
        aside = still
    return ()


def _of(members: Flags, owner: Index) -> Flags:
    """[P] True for partitions that these members own."""
    found: Flags = (owner != NOBODY) & members[owner]
    return found


def _lagging(group: Group, owner: Index, known: Flags, others: Flags) -> Flags:
    """[P] True for partitions that lag more than nine tenths of the others, and twice as much as
    the others of their topic usually do; never in a topic that has no others."""
    if not others.any():
        return np.zeros(group.n_partitions, np.bool_)
    usual = _topic_medians(group, others)[group.topic_of]
    above = (group.lag > _usual(group.lag[others])) & (group.lag >= TIMES * usual)
    found: Flags = known & ~others & above & ~np.isnan(usual)
    return found


def _usual(lag: Ints) -> int:
    return int(np.quantile(lag, MIN_PART, method="inverted_cdf"))


def _topic_medians(group: Group, others: Flags) -> Floats:
    """[T] the median lag of the others of each topic, NaN where there are none."""
    places = np.flatnonzero(others)  # the partitions of a topic stand side by side
    ends = np.cumsum(np.bincount(group.topic_of[places], minlength=len(group.topics)))
    by_topic = np.split(group.lag[places], ends[:-1])
    return np.array([np.median(lag) if len(lag) else np.nan for lag in by_topic])


def _suspected(group: Group, owner: Index, lags: Flags, others: Flags) -> Flags:
    """[M] True for members of which nearly all partitions lag, and by enough records."""
    owned = member_counts(owner, group.n_members)
    lagging = np.bincount(owner[lags], minlength=group.n_members)
    found: Flags = (owned > 0) & (lagging >= MIN_PART * owned)
    least = max(MIN_LAG, TIMES * float(np.median(group.lag[others]))) if others.any() else np.inf
    for member in np.flatnonzero(found).tolist():
        found[member] = np.median(group.lag[owner == member]) >= least
    return found


def _facts(
    group: Group, owner: Index, lags: Flags, others: Flags, suspected: Flags
) -> tuple[SuspectFacts, ...]:
    rest = group.lag[others]
    usual = _usual(rest)
    found = []
    for member in np.flatnonzero(suspected).tolist():
        own: Flags = owner == member
        lagging = group.lag[own & lags]
        found.append(
            SuspectFacts(
                group.members[member].id,
                int(np.count_nonzero(own)),
                len(lagging),
                int(lagging.min()),
                len(rest),
                int(np.count_nonzero(rest <= usual)),
                usual,
                int(rest.max()),
            )
        )
    return tuple(found)


def suspicion(who: SuspectFacts) -> str:
    """Why a member may be slow: how far its partitions lag, beside those of the others."""
    own = f"all {number(who.partitions)} of its partitions"
    if who.partitions == 1:
        own = "its one partition"
    elif who.lagging != who.partitions:
        own = f"{number(who.lagging)} of its {plural(who.partitions, 'partition')}"
    lags = form(who.lagging if who.partitions > 1 else 1, "lags", "lag")
    of = f"the {plural(who.others, 'partition')} of other members"
    if who.others_most < who.least:
        others = f"{of} at most {number(who.others_most)}"
    else:
        others = f"{number(who.others_within)} of {of} at most {number(who.others_usual)}"
    each = " each" if who.partitions > 1 else ""
    least = f"{own} {lags} at least {plural(who.least, 'record')}{each}"
    return f"{printable(who.member)} may be slow or stuck: {least}, {others}"
