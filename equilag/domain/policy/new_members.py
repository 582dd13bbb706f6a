"""A group with further members: what would be if some more joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count, islice
from typing import Final

import numpy as np

from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.group.member import Member

NEW_PREFIX: Final = "new-"
"""New members are called new-1, new-2, …, so that `--capacity 'new-*=N'` speaks of them."""


def with_added_members(group: Group, number: int | None) -> Group:
    """The group with so many members more, each with the subscription of a present one, so that all
    subscriptions keep their share; the same group without any.

    Where most members are threads of instances, so are the new ones, of as many threads. Raises
    InputError if nobody reads a partition, whose subscription they could have.
    """
    if not number:
        return group
    busy = np.flatnonzero(~group.idle)
    if not len(busy):
        raise InputError("no member reads a partition, so new ones would not either", "add_members")
    share = np.bincount(group.class_of[busy], minlength=len(group.class_topics))
    classes: list[int] = []
    added = np.zeros(len(share))
    for _ in range(number):
        # The divisor method of Webster, as seats are shared among parties.
        following = int(np.argmax(share / (2 * (share + added) + 1)))
        added[following] += 1
        classes.append(following)
    return with_new_members(group, sorted(classes), _threads(group))


def with_new_members(group: Group, classes: Sequence[int], threads: int = 1) -> Group:
    """The group with a new member of each of these member classes. Owners keep what they have.

    So many in a row, of one class, are threads of one instance.
    """
    taken = {member.id for member in group.members}
    names = (name for n in count(1) if (name := f"{NEW_PREFIX}{n}") not in taken)
    new = [
        Member(name, instance=None if threads == 1 else f"{NEW_PREFIX}process-{n // threads + 1}")
        for n, name in enumerate(islice(names, len(classes)))
    ]
    members = [*group.members, *new]
    by_id = sorted(range(len(members)), key=lambda m: members[m].id)
    number: Index = np.empty(len(members) + 1, dtype=np.int32)
    number[by_id] = np.arange(len(members))
    number[-1] = NOBODY  # that of nobody is the last entry
    ordered = tuple(members[m] for m in by_id)
    class_of = np.array([*group.class_of.tolist(), *classes], dtype=np.int32)
    plain = group.members is group.alike and threads == 1
    allowed = group.allowed and {
        partition: tuple(sorted(number[list(takers)].tolist()))
        for partition, takers in group.allowed.items()
    }
    return replace(
        group,
        members=ordered,
        class_of=class_of[by_id],
        claim_member=number[group.claim_member],
        owner=number[group.owner],
        allowed=allowed,
        alike=ordered if plain else None,
    )


def _threads(group: Group) -> int:
    """Threads of most instances, the most of several such numbers; 1 without instances."""
    names = [member.instance for member in group.members if member.instance is not None]
    if 2 * len(names) < group.n_members or not names:
        return 1
    sizes = [names.count(name) for name in dict.fromkeys(names)]
    return max(set(sizes), key=lambda size: (sizes.count(size), size))
