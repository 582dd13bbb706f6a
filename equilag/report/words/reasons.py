"""The words of a move's reason."""

from __future__ import annotations

from typing import Final

from equilag.domain.figures import partition_name, printable
from equilag.domain.move_reasons.unit_reasons import MoveReasonKind
from equilag.domain.plan.move import Move

WORDS: Final[dict[MoveReasonKind, str]] = {
    "restriction": "{member} may not keep it",
    "join": "goes with {partner}",
    "unit": "goes with {partner}",
    "racks": "ends a read across racks",
    "room": "{member} is above its limit",
    "counts": "evens counts of {member}",
    "relief": "relieves {member}",
    "makes-room": "makes room for {partner}",
    "exchange": "in exchange for {partner}",
    "other": "part of the plan as a whole",
    "fresh": "planned as if nobody owned it",
    "assignor": "the assignor's choice",
}
"""Kind -> its words."""


def reason_words(move: Move) -> str:
    """What a move serves, in a few words: ``relieves indexer-5``, ``in exchange for tokens-18``."""
    reason = move.reason
    partner = partition_name(reason.partners[0]) if reason.partners else "new partitions"
    return WORDS[reason.kind].format(member=printable(reason.member), partner=partner)
