"""Too little room: which partitions do not fit, and with whom."""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.domain.columns import Index, Ints
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.plan.metrics import member_counts
from equilag.domain.show import form, plural, some_of
from equilag.solver.counts.max_flow import maximum, new_graph

PLACE: Final = "max_partitions"
"""Its entry in `members` comes before it where the room of one member is too little."""
WHAT_A_UNIT_IS: Final = (
    "; a unit is one partition number of all topics that are co-partitioned, or any other partition"
)
NAMED: Final = 5
"""Topics and members that a message names: it stays within a few lines."""


def check_room(group: Group, assigned: Index, free: Ints) -> None:
    """Raises InputError if members have no room for what is assigned [P], and then for `free`."""
    if group.real is None or not group.real.has_room_limits:
        return
    word, note = ("partition", "") if group.real.stakes is None else ("unit", WHAT_A_UNIT_IS)
    base = member_counts(assigned, group.n_members)
    room = np.minimum(group.real.room, group.n_partitions) - base
    over = np.flatnonzero(room < 0)
    if len(over):
        first = int(over[0])
        kept, most = plural(int(base[first]), word), int(group.real.room[first])
        problem = f"{group.members[first].id!r} keeps {kept} and has room for {most:,}"
        raise InputError(problem + note, f"members[{first}].{PLACE}")
    supply = np.bincount(group.partition_class[free], minlength=len(group.eligible))
    by_class = np.zeros(len(group.class_topics), np.int64)
    np.add.at(by_class, group.class_of, room)
    short = _cut(group, supply, by_class)
    if short is None:
        return
    takers = np.flatnonzero(np.logical_or.reduce(group.eligible[short], axis=0)[group.class_of])
    inside = free[np.isin(group.partition_class[free], short)]
    topics = [group.topics[t] for t in np.unique(group.topic_of[inside]).tolist()]
    members = [group.members[m].id for m in takers.tolist()]
    more = " more" if base[takers].any() else ""
    left = f"{form(len(members), 'has', 'have')} room for {int(room[takers].sum()):,}{more}"
    what = f"{plural(len(inside), word)} of {some_of(topics, NAMED)}"
    raise InputError(f"{what}, but {some_of(members, NAMED)} {left}{note}", PLACE)


def _cut(group: Group, supply: Ints, room: Ints) -> Ints | None:
    """The partition classes that have too little room together, by a minimum cut; None if all
    fit. `room` is by member class."""
    classes, member_classes = group.arcs
    n_classes, n_member_classes = group.eligible.shape
    source, sink = n_classes + n_member_classes, n_classes + n_member_classes + 1
    graph = new_graph()
    plenty = supply[classes] + 1  # a full arc would draw the minimum cut to itself
    graph.add_arcs_with_capacity(classes, n_classes + member_classes, plenty)
    graph.add_arcs_with_capacity(np.full(n_classes, source), np.arange(n_classes), supply)
    graph.add_arcs_with_capacity(
        n_classes + np.arange(n_member_classes), np.full(n_member_classes, sink), room
    )
    graph.add_arc_with_capacity(source, sink, 0)  # so that the last node exists
    readable = group.eligible.any(axis=1)
    if maximum(graph, source, sink) == int(supply[readable].sum()):
        return None
    reached = np.asarray(graph.get_source_side_min_cut())
    return np.sort(reached[(reached < n_classes)])
