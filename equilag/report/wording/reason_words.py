"""The words of a move's reason; every output takes them from here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from equilag.domain.move_reasons.unit_reasons import MoveReason, MoveReasonKind, Partner
from equilag.domain.plan.move import Move
from equilag.report.wording.words import printable

Namer = Callable[[str], str]
"""How a member is called: its id, or a shorter name where ids are long."""


def partition_words(partition: Partner) -> str:
    """A partition as Kafka's tools write it: ``orders-3``."""
    topic, number = partition
    return f"{printable(topic)}-{number}"


def _relief(reason: MoveReason, name: Namer) -> str:
    return f"relieves {name(reason.member)}"


def _exchange(reason: MoveReason, name: Namer) -> str:
    return f"in exchange for {partition_words(reason.partners[0])}"


def _makes_room(reason: MoveReason, name: Namer) -> str:
    if not reason.partners:
        return "makes room for new partitions"
    return f"makes room for {partition_words(reason.partners[0])}"


def _counts(reason: MoveReason, name: Namer) -> str:
    return f"evens counts of {name(reason.member)}"


def _restriction(reason: MoveReason, name: Namer) -> str:
    return f"{name(reason.member)} may not keep it"


def _unit(reason: MoveReason, name: Namer) -> str:
    return f"goes with {partition_words(reason.partners[0])}"


WORDS: Final[Mapping[MoveReasonKind, Callable[[MoveReason, Namer], str]]] = {
    "restriction": _restriction,
    "join": _unit,
    "unit": _unit,
    "racks": lambda reason, name: "ends a read across racks",
    "room": lambda reason, name: f"{name(reason.member)} is above its limit",
    "counts": _counts,
    "relief": _relief,
    "makes-room": _makes_room,
    "exchange": _exchange,
    "other": lambda reason, name: "part of the plan as a whole",
    "fresh": lambda reason, name: "planned as if nobody owned it",
    "assignor": lambda reason, name: "the assignor's choice",
}
"""Kind -> its words."""


def reason_words(move: Move, name: Namer = printable) -> str:
    """What a move serves, in a few words: ``relieves indexer-5``, ``in exchange for tokens-18``."""
    reason = move.reason
    return WORDS[reason.kind](reason, name)
