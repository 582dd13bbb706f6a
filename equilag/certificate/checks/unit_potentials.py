"""Fewest moves of units that may have several owners: the bound that potentials prove.

A unit that stays with a member keeps as many of its partitions as the member holds, its *stake*.
"""

from __future__ import annotations

import numpy as np

from equilag.domain.constraint import CountConstraint
from equilag.domain.group.extended_columns import Stakes
from equilag.domain.group.group import Group, Ints


def most_kept(
    group: Group, constraint: CountConstraint, stakes: Stakes, unit: Ints, member: Ints
) -> int | None:
    """Partitions that stay with an owner at most, whatever the plan, but for what members' room
    adds; None if the potentials are no dual solution.

    `unit` [units] and `member` [M] are the potentials: each unit goes to one member of its face, so
    that it keeps no more than its own potential, its member's, and what the stake lies above both.
    """
    assignable = np.flatnonzero(group.assignable)
    lowest_unit = np.full(len(group.eligible), np.iinfo(np.int64).max // 4, dtype=np.int64)
    np.minimum.at(lowest_unit, group.partition_class[assignable], unit[assignable])
    lowest_member = np.full(len(group.class_topics), np.iinfo(np.int64).max // 4, dtype=np.int64)
    np.minimum.at(lowest_member, group.class_of, member)
    classes, member_classes = constraint.arcs
    if (lowest_unit[classes] + lowest_member[member_classes] < 0).any():
        return None
    within = constraint.may(stakes.unit, stakes.member)
    height = unit[stakes.unit] + member[stakes.member]
    slack = np.maximum(0, stakes.number - height)[within]
    return int(unit[assignable].sum() + slack.sum())
