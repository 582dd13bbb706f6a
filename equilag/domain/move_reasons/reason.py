"""The reason of a move, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

MoveReasonKind = Literal[
    "restriction", "join", "unit", "racks", "room", "counts", "relief", "makes-room", "exchange",
    "other", "fresh", "assignor",
]  # fmt: skip
"""What a move serves. The first that applies:

- ``fresh``: the plan was made as if nobody owned anything, so that no move has a reason.
- ``assignor``: the assignor's own choice; it weighs no moves.
- ``restriction``: its owner may not keep it (a pin, `allowed`, topics that belong together).
- ``join``: partitions of its co-partitioned unit were with several members.
- ``unit``: it moves along with a heavier partition of its co-partitioned unit.
- ``racks``: its owner reads it across racks, its new member does not.
- ``room``: the first member of its chain has more partitions than it has room for.
- ``counts``: its chain makes counts more even, and lowers the load of its first member by less than
  a hundredth.
- ``relief``: its owner, whose load falls, gives more than it gets back in its chain.
- ``makes-room``: the same of an owner whose load rises: it takes something heavier elsewhere.
- ``exchange``: what its owner gets back in its chain weighs as much or more.
- ``other``: none of these by itself.
"""
MOVE_REASON_KINDS: Final[tuple[MoveReasonKind, ...]] = get_args(MoveReasonKind)

Partner: TypeAlias = tuple[str, int]
"""Topic and number of a partition that moves as well."""


@dataclass(frozen=True, slots=True)
class MoveReason:
    """What one move serves. Loads are in the plan's unit: lag, or weight per unit of capacity."""

    kind: MoveReasonKind
    member: str
    """Whom it serves: the member that the chain relieves, whose counts or room it is about, or
    whose restriction; of ``join``, ``unit`` and ``racks`` the new member."""
    before: float
    """Load of `member` under the current assignment."""
    after: float
    """Load of `member` under the plan."""
    amount: float
    """By how much the chain lowers the load of `member`; negative if it rises. 0 for the kinds
    that have no chain."""
    partitions_before: int
    """Partitions of `member`, or units; those that nobody owned are counted as placed already."""
    partitions_after: int
    partners: tuple[Partner, ...] = ()
    """Other moves of the chain. The first is what the owner gets back; of ``exchange`` what it is
    for, of ``makes-room`` the heaviest partition that `member` gets, of ``unit`` and ``join`` one
    that it goes with."""
    more_partners: int = 0
    """Moves of the chain beyond `partners`."""

    def to_dict(self) -> dict[str, Any]:
        """The reason in a plan's JSON; without what there is none of."""
        found: dict[str, Any] = {
            "kind": self.kind,
            "member": self.member,
            "before": self.before,
            "after": self.after,
            "amount": self.amount,
            "partitions_before": self.partitions_before,
            "partitions_after": self.partitions_after,
        }
        if self.partners:
            found["partners"] = [list(partner) for partner in self.partners]
        if self.more_partners:
            found["more_partners"] = self.more_partners
        return found
