"""Too little room for partitions is an error that names what does not fit, and with whom."""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.domain.columns import Index, Ints
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.plan.metrics import member_counts
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


def check_room(group: Group, assigned: Index, free: Ints) -> None:
    """Raises InputError if members have no room for what is assigned [P], and then for `free`."""
    if group.extended is None or not group.extended.has_room_limits:
        return
    word, note = ("partition", "") if group.extended.stakes is None else ("unit", WHAT_A_UNIT_IS)
    base = member_counts(assigned, group.n_members)
    room = np.minimum(group.extended.room, group.n_partitions) - base
    over = np.flatnonzero(room < 0)
    if len(over):
        first = int(over[0])
        kept, most = plural(int(base[first]), word), int(group.extended.room[first])
        problem = f"{group.members[first].id!r} keeps {kept} and has room for {most:,}"
        raise InputError(problem + note, f"members[{first}].{PLACE}")
    supply = np.bincount(group.partition_class[free], minlength=len(group.eligible))
    net = SupplyNetwork.of_classes(*group.arcs, supply, Takers.of_group(group, base))
    short = net.short_of_room()
    if not len(short):
        return
    takers = np.flatnonzero(np.logical_or.reduce(group.eligible[short], axis=0)[group.class_of])
    inside = free[np.isin(group.partition_class[free], short)]
    topics = [group.topics[t] for t in np.unique(group.topic_of[inside]).tolist()]
    members = [group.members[m].id for m in takers.tolist()]
    more = " more" if base[takers].any() else ""
    left = f"{form(len(members), 'has', 'have')} room for {int(room[takers].sum()):,}{more}"
    what = f"{plural(len(inside), word)} of {some_of(topics, NAMED)}"
    raise InputError(f"{what}, but {some_of(members, NAMED)} {left}{note}", PLACE)
