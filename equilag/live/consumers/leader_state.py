"""What a leader remembers from one rebalance to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from equilag.live.consumers.lag_source import Sizes
from equilag.live.rebalance.assignments import NO_TARGETS, RebalanceAnswer, Targets
from equilag.live.rebalance.joined_members import JoinedMember, Partitions, member_key
from equilag.live.rebalance.measured import Racks

PENDING_PLAN_S: Final = 60.0
"""How long a plan waits for the rebalance that hands it out: members join within seconds, and after
a minute the load behind the plan is old."""


@dataclass(frozen=True, slots=True)
class LastAnswer:
    """What was handed out last. `at` is in seconds of the monotonic clock."""

    members: Sequence[JoinedMember]
    """Those with topics."""
    sizes: Sizes
    racks: Racks | None
    held: Mapping[str, Partitions]
    """Member key -> partitions that the member got."""
    complete: bool
    """True if nothing was withheld."""
    at: float

    @staticmethod
    def of(
        members: Sequence[JoinedMember],
        sizes: Sizes,
        racks: Racks | None,
        answer: RebalanceAnswer,
        at: float,
    ) -> LastAnswer:
        """Return an answer to these members as it is remembered."""
        held = {member_key(one): answer.by_member[one.id] for one in members}
        complete = not answer.withheld
        return LastAnswer([one for one in members if one.topics], sizes, racks, held, complete, at)


@dataclass(frozen=True, slots=True)
class PendingChange:
    """What the next rebalance leads to, if it comes in time. Times are of the monotonic clock."""

    targets: Targets
    until: float
    requested_at: float | None = None
    """When the leader asked for this rebalance; None if members begin it by themselves."""
    capacities: Mapping[str, float] | None = None
    """Those that the requested plan was made with."""


NOTHING_PENDING: Final = PendingChange(NO_TARGETS, float("-inf"))


@dataclass(frozen=True, slots=True)
class LeaderState:
    """Replaced as a whole, so that a thread that reads it needs no lock."""

    last: LastAnswer | None = None
    """None while another member leads, and while an answer is being made."""
    before: Mapping[str, Partitions] = field(default_factory=dict)
    """Member key -> partitions of the last answer."""
    pending: PendingChange = NOTHING_PENDING
    capacities: Mapping[str, float] = field(default_factory=dict)
    """Member key -> capacity that the assignment in force was planned with."""

    @staticmethod
    def after(
        last: LastAnswer, answer: RebalanceAnswer, capacities: Mapping[str, float]
    ) -> LeaderState:
        """Return the state after an answer.

        What was withheld follows in the next rebalance, under the same plan even if the load has
        changed: with a new plan each time it might never end.
        """
        pending = NOTHING_PENDING
        if not last.complete:
            targets = Targets(answer.target, answer.target.assignment)
            pending = PendingChange(targets, last.at + PENDING_PLAN_S)
        return LeaderState(last, last.held, pending, capacities)
