"""How many members keep up: the quick answer that a plan gives with its warning."""

from __future__ import annotations

from typing import NamedTuple

from equilag.domain.budget import Budget
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.planner.sizes.size_run import SizeRun
from equilag.planner.sizes.size_search import LeastSize
from equilag.planner.sizes.size_weights import RATE
from equilag.planner.sizes.sizing import HotUnit


class LeastMembers(NamedTuple):
    """The least number of members that keep up, under the best plan for each number."""

    present: int
    """Members now, or processes where members are threads of instances; without those that read
    nothing."""
    threads: int
    """Members of a new process."""
    least: LeastSize
    """The least size that keeps up, an interval where it is not proved."""
    last: int
    """The largest size that was looked at; more have no partitions to read."""
    hot: tuple[HotUnit, ...]
    """Partitions with which no number of members keeps up."""

    @property
    def more(self) -> int | None:
        """How many more members, or processes, keep up for sure; None where no number was found."""
        return None if self.least.at_most is None else self.least.at_most - self.present


def least_members(group: Group, policy: Policy, budget: Budget) -> LeastMembers | None:
    """The least number of members from the present one on whose rates can be within capacity.

    None where no rate or no capacity is known. Present members stay, new ones have the median
    capacity; the balance of counts, room, capacities, instances and co-partitioned topics are those
    of the policy and the group, pins and racks are left out. Takes some 20 ms for 500 partitions.
    Raises InputError as `size` does.
    """
    run = SizeRun(group, policy)
    if not run.tells_who_keeps_up:
        return None
    run.first = max(run.first, min(run.pool.present, run.last))
    goal = run.keeping_up(run.curve(RATE), budget)
    return LeastMembers(run.pool.present, run.pool.threads, goal.least, run.last, run.hot())
