"""The members of a rebalancing group as they joined, and the group that the planner takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from equilag.group import UNKNOWN_GENERATION, Group, Member

Partitions = Mapping[str, Sequence[int]]
"""Topic -> partition numbers."""


@dataclass(frozen=True, slots=True)
class JoinedMember:
    """One member of a rebalancing group, from its join request."""

    id: str
    topics: tuple[str, ...]
    claims: Partitions = field(default_factory=dict)
    """What it holds now: nobody else may get a partition before its holder has released it."""
    generation: int = -1
    """The generation of its claims; -1 if it did not report one."""
    instance_id: str | None = None
    rack: str | None = None
    hints: Partitions = field(default_factory=dict)
    """What it held before it released everything for an eager rebalance. Used only for stickiness,
    and only if it claims nothing."""


def group_of(
    name: str,
    members: Sequence[JoinedMember],
    sizes: Mapping[str, int],
    lags: Mapping[str, Sequence[int | None]] | None = None,
) -> Group:
    """Return the group as the planner takes it.

    `sizes` has the number of partitions of each topic that exists, `lags` the lag of each
    partition in records, None if unknown. Lags of a topic that had another size when they were
    measured count as unknown. Raises InputError.
    """
    return Group.build(
        name=name,
        topics=sizes,
        members=[
            Member(
                member.id,
                instance_id=member.instance_id or None,
                rack=member.rack or None,
                generation=max(member.generation, UNKNOWN_GENERATION),
            )
            for member in members
        ],
        subscriptions={member.id: member.topics for member in members},
        owned={member.id: member.claims or member.hints for member in members},
        lags={
            topic: lag
            for topic, lag in (lags or {}).items()
            if topic in sizes and len(lag) == sizes[topic]
        },
    )
