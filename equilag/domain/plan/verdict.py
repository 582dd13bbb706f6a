"""The verdict on a group: what is wrong with it, and what to do; as a plan's JSON has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, get_args

from equilag.domain.document import to_document

Action = Literal[
    "move", "assign", "look", "cannot-tell", "leave", "add-members", "repartition", "loosen",
    "start-members", "undecided",
]  # fmt: skip
"""What to do: move partitions; assign some that nobody owns; look at a member or a partition first;
paste a whole text, since this one does not say who reads what; leave the group as it is. Where the
plan does not keep up: add members; split a partition that is too much for any one member; plan with
looser settings, under which the present members keep up. Where nobody reads the group: start its
members. Undecided if there was only time for a heuristic's plan, which does not help."""

Cause = Literal[
    "incomplete-input", "no-members", "unassigned", "stuck-partition", "stuck-member",
    "slow-member", "one-partition", "hot-partition", "all-behind", "too-few-members",
    "uneven-assignment", "never-committed", "unknown-lag", "idle-members", "caught-up",
]  # fmt: skip
"""What is wrong, in the order in which causes are listed."""
CAUSES: Final[tuple[Cause, ...]] = get_args(Cause)


class NamedPartition(NamedTuple):
    """A partition by its topic and number."""

    topic: str
    partition: int


@dataclass(frozen=True, slots=True)
class CauseFacts:
    """One thing that is wrong with a group, or that it is in order."""

    cause: Cause
    action: Action
    """What it asks for; ``leave`` for nothing."""
    evidence: str
    """One sentence, as `advice`."""
    advice: str
    members: tuple[str, ...] = ()
    partitions: tuple[NamedPartition, ...] = ()
    next: str | None = None
    """A command that answers what is open."""
    sure: bool = True
    """False where one sample cannot tell."""
    waiting: int = 0
    """Records that it is about."""


@dataclass(frozen=True, slots=True)
class CostFacts:
    """What the plan takes."""

    moves: int
    owned: int
    """Partitions of the current assignment."""
    new: int
    """Partitions that are assigned and that nobody owned."""
    lag_moved: int
    """Records that wait in the partitions that move."""
    rebalances: int
    """Under a cooperative protocol; one under an eager one, in which all partitions pause."""
    paused: int
    """Partitions that pause between the two rebalances of a cooperative protocol."""


@dataclass(frozen=True, slots=True)
class HeaviestFacts:
    """The heaviest member now and under the plan; loads in the unit of the verdict."""

    before: str
    load_before: float
    above_before_percent: float
    """By how much it is above the mean; so is `above_percent`."""
    after: str
    load: float
    above_percent: float


@dataclass(frozen=True, slots=True)
class HotPartitionFacts:
    """A partition that is more than a fair share even for the member with the largest capacity."""

    topic: str
    partition: int
    fair_shares: float
    """Its weight, in fair shares of that member."""
    load: float
    """What that member has at least, in the unit of the verdict."""


@dataclass(frozen=True, slots=True)
class SuspectFacts:
    """A member that may be slow or stuck."""

    member: str
    partitions: int
    lagging: int
    """Of its partitions, those that lag far more than the partitions of others."""
    least: int
    """The smallest lag of those, in records."""
    others: int
    """Partitions of members that are not suspected, of which the lag is known."""
    others_within: int
    """Of these, those that lag `others_usual` records or less."""
    others_usual: int
    """The lag that nine tenths of these do not exceed."""
    others_most: int
    """The largest lag of these."""


@dataclass(frozen=True, slots=True)
class VerdictFacts:
    """What is wrong with a group, and what to do."""

    action: Action
    worth_it: bool
    """True if there is something to do: then ``equilag plan --check`` exits with 10."""
    plan_helps: bool
    """True if this plan is worth it; where something is to be seen to first, beside that."""
    headline: str
    """One line of words."""
    details: tuple[str, ...]
    """What adds to it."""
    unit: str
    """Of the loads: ``records``, ``seconds of work``, ``partitions``, …"""
    heaviest: HeaviestFacts | None
    """None where no member reads anything, and where nobody owns anything."""
    relief_percent: float
    """By how much the plan relieves the most relieved member, in percent of a fair share."""
    hot: tuple[HotPartitionFacts, ...]
    """The heaviest first."""
    cost: CostFacts
    suspects: tuple[SuspectFacts, ...]
    """Members that may be slow or stuck, which moves do not mend."""
    causes: tuple[CauseFacts, ...] = ()
    """What is wrong, in the order of `CAUSES`, then by the records that wait."""
    cause: Cause | None = None
    """The cause that the action is about; None for none of them."""

    def document(self) -> dict[str, Any]:
        """The field ``verdict`` of a plan's JSON."""
        found: dict[str, Any] = to_document(self)
        return found
