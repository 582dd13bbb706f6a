"""The group that a report is about: its sizes, and what is doubtful about its figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from equilag.group import NOBODY, Group
from equilag.lag import QUALITY
from equilag.metrics import excess, member_loads, spread

CERTAIN = ("ok", "given")
"""Quality marks of a lag that is known for sure."""


@dataclass(frozen=True, slots=True)
class GroupFacts:
    name: str
    members: int
    topics: int
    partitions: int
    total_lag: int
    mean_lag: float
    """Per member that is not idle, of the partitions that have a subscriber."""
    taken_at: str | None
    doubtful_lags: Mapping[str, int]
    """Quality mark -> partitions whose lag carries it."""
    dropped_claims: int
    unread_topics: tuple[tuple[str, int], ...]
    """Topics with partitions and no subscriber: name, partitions."""
    owned: int
    """Partitions of the current assignment."""
    fully_owned: bool
    """True if every partition that has a subscriber is owned."""
    spread: int | None
    """Lag spread of the current assignment; None where nobody owns anything."""
    excess: float | None
    """What lies above a fair share under the current assignment; None as for `spread`."""


def group_facts(group: Group) -> GroupFacts:
    owned = group.owner != NOBODY
    active = int(np.count_nonzero(~group.idle))
    marks = np.bincount(group.quality, minlength=len(QUALITY)).tolist()
    unread = np.flatnonzero((group.topic_size > 0) & ~group.reads.any(axis=1)).tolist()
    loads = member_loads(group.owner, group.lag, group.n_members)
    return GroupFacts(
        name=group.name,
        members=group.n_members,
        topics=len(group.topics),
        partitions=group.n_partitions,
        total_lag=int(group.lag.sum()),
        mean_lag=int(group.lag[group.assignable].sum()) / active if active else 0.0,
        taken_at=group.taken_at,
        doubtful_lags={
            mark: count
            for mark, count in zip(QUALITY, marks, strict=True)
            if count and mark not in CERTAIN
        },
        dropped_claims=group.dropped_claims,
        unread_topics=tuple((group.topics[t], int(group.topic_size[t])) for t in unread),
        owned=int(np.count_nonzero(owned)),
        fully_owned=bool(np.array_equal(owned, group.assignable)),
        spread=spread(loads, group.idle) if owned.any() else None,
        excess=excess(loads[~group.idle]) if owned.any() else None,
    )
