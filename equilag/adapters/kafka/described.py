"""What coordinators say of groups: how each is described, or why that is not known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from equilag.adapters.show import some_of
from equilag.errors import InputError

_LACKING: Final = {29: "Topic", 30: "Group", 31: "Cluster"}
"""Error codes of the protocol to the kind of resource that may not be described."""
_MOST: Final = 5
"""Resources that a message names."""


@dataclass(frozen=True, slots=True)
class DescribedMember:
    """A member as its coordinator describes it.

    `generation` is the member epoch of KIP-848; classic groups are described without one.
    """

    id: str
    topics: tuple[str, ...] = ()
    """Subscribed by name."""
    pattern: str | None = None
    """Subscribed by a regular expression, which the broker matches with topics (KIP-848)."""
    owned: Mapping[str, list[int]] = field(default_factory=dict)
    rack: str | None = None
    instance_id: str | None = None
    generation: int | None = None
    client_id: str | None = None
    host: str | None = None


@dataclass(frozen=True, slots=True)
class ReadFailure:
    """Why something of a group is not known; `gone` if the group is no more."""

    reason: str
    passing: bool = True
    """Whether to ask again makes sense."""
    gone: bool = False
    state: str = ""
    """Kafka's name for it, as far as it was told."""
    lacks: str = ""
    """Where a right is missing, the kind of resource: ``Group``, ``Topic`` or ``Cluster``."""

    @classmethod
    def of(cls, reason: str, code: int, state: str = "") -> ReadFailure:
        """For an error code of the protocol."""
        lacks = _LACKING.get(code, "")
        return cls(reason, passing=not lacks, state=state, lacks=lacks)


@dataclass(frozen=True, slots=True)
class Described:
    """A group as its coordinator describes it.

    `state` is Kafka's name for it, `protocol` the assignor in use, "" while there is none, and
    `epoch` the group's in KIP-848 (classic groups are described without their generation).
    """

    kind: str
    """``classic`` or ``consumer`` (KIP-848)."""
    state: str
    protocol: str
    coordinator: int
    members: list[DescribedMember]
    epoch: int | None = None


class MissingRight(InputError):
    """What was asked for may not be described."""


def right(kind: str, names: list[str]) -> str:
    """The right that is missing, in the terms of `kafka-acls`."""
    return f"needs the right Describe on {kind} {some_of([*map(repr, names)], _MOST)}"


def lacking(why: ReadFailure, group: str) -> str:
    """The right that is missing, for a group that is not known for want of it."""
    if why.lacks == "Topic":  # the coordinator does not say which
        return f"needs the right Describe on every Topic of group {group!r}"
    return right(why.lacks, [group] if why.lacks == "Group" else ["kafka-cluster"])
