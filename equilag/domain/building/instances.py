"""Members that are threads of one process."""

from __future__ import annotations

from collections.abc import Sequence

from equilag.domain.columns import Index
from equilag.domain.group.member import Member


def unlike_threads(members: Sequence[Member], class_of: Index) -> tuple[int, int, str] | None:
    """Two members of one instance that differ, and in what; None if all threads are alike.

    Threads have to read the same topics (`class_of` [M], the member classes) in the same rack. The
    second of the two is the first member at which this shows.
    """
    first: dict[str, int] = {}
    for m, member in enumerate(members):
        if member.instance is None:
            continue
        other = first.setdefault(member.instance, m)
        if class_of[m] != class_of[other]:
            return other, m, "subscription"
        if member.rack != members[other].rack:
            return other, m, "rack"
    return None
