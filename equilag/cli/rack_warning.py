"""The warnings that a setting about racks changes nothing, and that a rack has no replicas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from equilag.cli.screen import remark
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.split_classes import RackReads
from equilag.domain.show import guess, show, some_of

MAX_MEMBERS: Final = 2
"""Members of one rack that are named: the warning is one line, and the rack is what matters."""
MAX_RACKS: Final = 3
"""Racks that are named, for the same reason."""


def warn_of_racks(group: Group, policy: Policy) -> None:
    """Write the warnings to standard error, for a policy that minds racks."""
    for line in rack_warnings(group, policy):
        remark(line)


def rack_warnings(group: Group, policy: Policy) -> Iterator[str]:
    """A line at most: what is not known of racks, or what looks like a misspelt rack."""
    if not policy.minds_racks:
        return
    if RackReads.of(group) is None:
        option = "--rack-aware" if policy.rack_aware else "--max-cross-rack"
        yield f"{option} changes nothing: {_unknown(group)}"
        return
    members_of: dict[str, list[str]] = {}
    for member in group.members:
        members_of.setdefault(member.rack or "", []).append(member.id)
    # Equal tuples are mostly one object, so that few of them are looked at.
    tuples = {id(racks): racks for racks in group.racks or ()}
    known = sorted({rack for racks in tuples.values() for rack in racks})
    empty = [
        f"{show(rack)}, the rack of {some_of(list(map(show, ids)), MAX_MEMBERS)}"
        f"{guess(rack, known)}"
        for rack, ids in members_of.items()
        if rack and rack not in known
    ]
    if empty:
        shown = "; nor in ".join(empty[:MAX_RACKS])
        more = len(empty) - MAX_RACKS
        end = f"; nor in {more:,} more" if more > 0 else ""
        yield f"no partition has a replica in {shown}{end}"


def _unknown(group: Group) -> str:
    if not any(member.rack for member in group.members):
        return "no member's rack is known"
    return "no partition's racks are known"
