"""Whether a rebalance brought what it promised."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.group.group import Group
from equilag.planner.worth.gain import Gain, gain_of
from equilag.planner.worth.group_loads import GroupLoads

_KEPT: Final = 0.5
"""Share of the promised relief that counts as help: loads change a little all the time."""


class PromisedRelief(NamedTuple):
    """What was promised when a rebalance was started."""

    group: Group
    """The group as it was before."""
    percent: float
    """Relief of the most relieved member, in percent of a fair share."""
    possible: float
    """The relief that no plan could have exceeded then."""
    due: float
    """When to judge, in seconds of a monotonic clock."""
    in_seconds: bool
    """True if capacities were known then."""


class Effect(NamedTuple):
    """What came of it."""

    promised: float
    found: float
    """Percent of a fair share."""

    @property
    def helped(self) -> bool:
        return self.found >= _KEPT * self.promised

    def __str__(self) -> str:
        how = "helped" if self.helped else "brought little"
        return (
            f"the last rebalance {how}: relief {self.found:.0f} % of a fair share,"
            f" {self.promised:.0f} % promised"
        )


def effect_of(promised: PromisedRelief, loads: GroupLoads, possible: Gain) -> Effect | None:
    """Return the effect; None if the group is another one now, or the first speeds were measured
    since: it was right by what was known.

    A rebalance helped if the group is as much more even as promised, or if it would be as much less
    even now had it kept its assignment.
    """
    before, group = promised.group, loads.group
    if not _alike(before, group) or loads.in_seconds != promised.in_seconds:
        return None
    more_even = promised.possible - possible.relief_percent
    avoided = gain_of(loads, before.owner, group.owner).relief_percent
    return Effect(promised.percent, max(0.0, more_even, avoided))


def _alike(one: Group, other: Group) -> bool:
    return (
        one.topics == other.topics
        and np.array_equal(one.topic_start, other.topic_start)
        and [member.id for member in one.members] == [member.id for member in other.members]
    )
