"""Too little room for partitions is an error that names what does not fit, and with whom."""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.domain.constraint import CountConstraint
from equilag.domain.errors import InputError
from equilag.domain.show import form, plural, some_of
from equilag.solver.counts.even_flow import SupplyNetwork
from equilag.solver.counts.even_shares import Takers

PLACE: Final = "max_partitions"
"""Its entry in `members` comes before it where the room of one member is too little."""
WHAT_A_UNIT_IS: Final = (
    "; a unit is one partition number of all topics that are co-partitioned, or any other partition"
)
NAMED: Final = 5
"""Topics and members that a message names: it stays within a few lines."""


def check_room(constraint: CountConstraint) -> None:
    """Raises InputError if members have no room for what is pinned, and then for what is free."""
    group, base = constraint.group, constraint.fixed
    if group.extended is None or not group.extended.has_room_limits:
        return
    word, note = ("unit", WHAT_A_UNIT_IS) if group.extended.has_units else ("partition", "")
    room = np.minimum(group.extended.room, group.n_partitions) - base
    over = np.flatnonzero(room < 0)
    if len(over):
        first = int(over[0])
        kept, most = plural(int(base[first]), word), int(group.extended.room[first])
        problem = f"{group.members[first].id!r} keeps {kept} and has room for {most:,}"
        raise InputError(problem + note, f"members[{first}].{PLACE}")
    takers = Takers.of_group(group, base)
    short = SupplyNetwork.of_classes(*group.arcs, constraint.supply, takers).short_of_room()
    if not len(short):
        return
    free = np.flatnonzero(constraint.free)
    readers = np.logical_or.reduce(group.eligible[short], axis=0)
    who = np.flatnonzero(readers[group.class_of])
    inside = free[np.isin(group.partition_class[free], short)]
    topics = [group.topics[t] for t in np.unique(group.topic_of[inside]).tolist()]
    members = [group.members[m].id for m in who.tolist()]
    more = " more" if base[who].any() else ""
    left = f"{form(len(members), 'has', 'have')} room for {int(room[who].sum()):,}{more}"
    what = f"{plural(len(inside), word)} of {some_of(topics, NAMED)}"
    raise InputError(f"{what}, but {some_of(members, NAMED)} {left}{note}", PLACE)
