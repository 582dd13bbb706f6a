"""Members that may be slow or stuck, from one sample: what they have lags more than others'."""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.domain.columns import Flags, Index, Ints
from equilag.domain.figures import form, number, plural, printable
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.group.lag import is_known
from equilag.domain.group.weight import knows_rates
from equilag.domain.plan.metrics import member_counts, member_loads
from equilag.domain.plan.verdict import SuspectFacts
from equilag.planner.worth.thresholds import MIN_GAIN, NEARLY

TIMES: Final = 2
"""A partition lags if its lag is this many times the usual one of its topic."""
MORE_PARTITIONS: Final = 2
"""A member with more times the mean partitions of the others is overloaded, not slow: of a few
topics a range assignor gives the first members a half more."""
FAIR_SHARES: Final = 1.25
"""Load of a member, in fair shares, above which it is looked at: what a member of two has that lags
twice as much as the other is 1.33."""
MOST: Final = 0.75
"""Part of a member's partitions where they lag FAR_APART times more: one of them may get so little
that it is read in time."""
FAR_APART: Final = 20
"""Times that one topic lags more than another at a slow member: it reads each partition in turn, so
that what is produced slowly hardly lags. Then the others lag as many times what is usual."""


def slow_suspects(group: Group, owner: Index) -> tuple[SuspectFacts, ...]:
    """Return the members that may be slow or stuck under an assignment `owner` [P], by number.

    Empty where a capacity or a rate is known: then these say who is slow. A partition of unknown
    lag, or without a commit, counts as one that does not lag.
    """
    if group.knows_capacities or knows_rates(group):
        return ()
    known: Flags = (owner != NOBODY) & is_known(group.quality)
    loads, counts = (
        member_loads(owner, group.lag, group.n_members), member_counts(owner, group.n_members)
    )  # fmt: skip
    busy = max(1, int(np.count_nonzero(~group.idle)))
    heavy = loads > FAIR_SHARES * int(loads.sum()) / busy
    aside: Flags = heavy & (counts * (busy - 1) <= MORE_PARTITIONS * (counts.sum() - counts))
    while aside.any():  # fewer each time: who is not suspected is one of the others
        theirs: Flags = (owner != NOBODY) & aside[owner]
        others: Flags = known & ~theirs
        lags = _lagging(group, known & theirs, others)
        still = aside & _suspected(group, owner, lags, others)
        if np.array_equal(still, aside):
            own = (owner == member for member in np.flatnonzero(aside).tolist())
            return tuple(_facts(group, owner, where, lags, group.lag[others]) for where in own)
        aside = still
    return ()


def _lagging(group: Group, theirs: Flags, others: Flags) -> Flags:
    """[P] True for partitions that lag more than nine tenths of the others, and twice as much as
    the others of their topic usually do; never in a topic that has no others."""
    found: Flags = np.zeros(group.n_partitions, np.bool_)
    usual = _usual(group.lag[others]) if others.any() else 0
    for topic in np.unique(group.topic_of[theirs]).tolist():
        there = slice(*group.topic_start[topic : topic + 2].tolist())
        lag = group.lag[there]
        if others[there].any():
            least = max(usual + 1, TIMES * np.median(lag[others[there]]))
            found[there] = theirs[there] & (lag >= least)
    return found


def _usual(lag: Ints) -> int:
    return int(np.quantile(lag, NEARLY, method="inverted_cdf"))


def _suspected(group: Group, owner: Index, lags: Flags, others: Flags) -> Flags:
    """[M] True for members of which nearly all partitions lag, and by enough records; topics that
    nobody else reads do not count, nor those that hardly lag, unless only one partition is left."""
    found = np.zeros(group.n_members, np.bool_)
    usual = float(np.median(group.lag[others])) if others.any() else np.inf
    shared: Flags = np.isin(group.topic_of, group.topic_of[others])
    for member in np.unique(owner[lags]).tolist():
        own: Flags = (owner == member) & shared
        most: Flags = own & (group.lag * FAR_APART >= group.lag[own].max())
        matter: Flags = own & np.isin(group.topic_of, group.topic_of[most])
        if np.count_nonzero(matter) == 1:
            matter = owner == member
        all_of_it = np.count_nonzero(matter) == np.count_nonzero(owner == member)
        lag, late = float(np.median(group.lag[matter])), np.count_nonzero(lags & matter)
        far = lag >= max(MIN_GAIN, FAR_APART * usual)
        much = far or (all_of_it and lag >= max(MIN_GAIN, TIMES * usual))
        found[member] = much and late >= (MOST if far else NEARLY) * np.count_nonzero(matter)
    return found


def _facts(group: Group, owner: Index, own: Flags, lags: Flags, others: Ints) -> SuspectFacts:
    """`others` are the lags of members that are not suspected."""
    lagging, usual = group.lag[own & lags], _usual(others)
    return SuspectFacts(
        group.members[owner[own][0]].id,
        int(np.count_nonzero(own)),
        len(lagging),
        int(lagging.min()),
        len(others),
        int(np.count_nonzero(others <= usual)),
        usual,
        int(others.max()),
    )


def suspicion(who: SuspectFacts) -> str:
    """Why a member may be slow: how far its partitions lag, beside those of the others."""
    own = f"{'both' if who.partitions == 2 else f'all {number(who.partitions)}'} of its partitions"
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
