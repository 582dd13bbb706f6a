"""What coordinators say of groups: descriptions, commits, or why a group cannot be read."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias, TypeVar

from equilag.adapters.kafka.group_kinds import described_kind
from equilag.domain.errors import EquilagError, InputError
from equilag.domain.show import MAX_IN_LINE, some_of

CARRIER_RACK: Final = "equilag:"
"""Whoever has it at the start of its rack id is a carrier: a member of a KIP-848 group that brings
plans to the broker plug-in, and reads nothing."""

TopicPartition: TypeAlias = tuple[str, int]
T = TypeVar("T")

_FORBIDDEN: Final = {29: "Topic", 30: "Group", 31: "Cluster"}
"""Protocol error code -> kind of resource that may not be described."""


def bare_host(host: str) -> str | None:
    """Return the host without the slash that brokers put before it; None if there is none."""
    return host.removeprefix("/") or None


@dataclass(frozen=True, slots=True)
class DescribedMember:
    """A member as its coordinator describes it.

    `generation` is the member epoch of KIP-848; descriptions of classic groups have none.
    """

    id: str
    topics: tuple[str, ...] = ()
    """Subscribed by name."""
    pattern: str | None = None
    """Subscribed by a regular expression, which the broker matches against topics (KIP-848)."""
    owned: Mapping[str, list[int]] = field(default_factory=dict)
    rack: str | None = None
    instance_id: str | None = None
    generation: int | None = None
    client_id: str | None = None
    host: str | None = None


class NoAnswer(EquilagError):
    """The cluster as a whole does not answer."""


class TemporarilyUnreadable(EquilagError):
    """A group that cannot be read now, but later; `state` is Kafka's name of its state, or ""."""

    def __init__(self, problem: str, state: str) -> None:
        super().__init__(problem)
        self.state = state


class NoSuchGroup(InputError):
    """A group that does not exist."""


class ClientPlace(NamedTuple):
    """The client id and the host of a member; None if unknown."""

    client_id: str | None
    host: str | None


@dataclass(frozen=True, slots=True)
class ReadFailure:
    """Why something about a group cannot be read; `gone` if the group no longer exists."""

    reason: str
    transient: bool = True
    """True if a later attempt can succeed."""
    gone: bool = False
    state: str = ""
    """Kafka's name of the group's state, "" if unknown."""
    forbidden: str = ""
    """If a right is missing, the kind of resource: ``Group``, ``Topic`` or ``Cluster``."""
    kind: str = ""
    """The kind of the group if known, see `group_kinds`."""

    @classmethod
    def of(cls, reason: str, code: int, state: str = "") -> ReadFailure:
        """Return the failure that a protocol error code means."""
        forbidden = _FORBIDDEN.get(code, "")
        return cls(reason, transient=not forbidden, state=state, forbidden=forbidden)


@dataclass(frozen=True, slots=True)
class Described:
    """A group as its coordinator describes it.

    `state` is Kafka's name of its state, `protocol` the assignor in use ("" if none), and `epoch`
    the group epoch of KIP-848 (descriptions of classic groups have no generation).
    """

    kind: str
    """``classic``, ``consumer`` (KIP-848) or ``classic-streams``, see `group_kinds`."""
    state: str
    protocol: str
    coordinator: int
    members: list[DescribedMember]
    epoch: int | None = None


class UnplannableGroup(InputError):
    """A group that exists, but is of a kind that equilag neither plans nor leads."""

    def __init__(self, group: str, kind: str, source: str | None = None) -> None:
        what, why = described_kind(kind)
        problem = f"group {group!r} exists, but equilag does not plan it. It is {what}: {why}"
        super().__init__(problem, "", source)
        self.kind = kind


class MissingRight(InputError):
    """The right to describe a resource is missing."""


def sorted_out(
    answers: Mapping[str, T | ReadFailure],
) -> tuple[dict[str, T], dict[str, ReadFailure]]:
    """Return what was read by group, and why the others cannot be read."""
    found: dict[str, T] = {}
    failed: dict[str, ReadFailure] = {}
    for group, answer in answers.items():
        if isinstance(answer, ReadFailure):
            failed[group] = answer
        else:
            found[group] = answer
    return found, failed


def needs_describe(kind: str, names: list[str]) -> str:
    """Return the text for a missing right, in the terms of `kafka-acls`."""
    return f"needs the right Describe on {kind} {some_of([*map(repr, names)], MAX_IN_LINE)}"


def needs_right(failure: ReadFailure, group: str) -> str:
    """Return the text for the right that is missing to read a group."""
    if failure.forbidden == "Topic":  # the coordinator does not name the topics
        return f"needs the right Describe on every Topic of group {group!r}"
    return needs_describe(
        failure.forbidden, [group] if failure.forbidden == "Group" else ["kafka-cluster"]
    )


def resolved(
    members: Iterable[DescribedMember], topics: Iterable[str]
) -> tuple[list[DescribedMember], list[str]]:
    """Return the members with all their topics, in order, and remarks about patterns that cannot be
    read: of these only owned topics count, and the rest is unknown.

    Patterns are matched against `topics`, those of the cluster; a whole name, as on the broker.
    """
    found, remarks = [], []
    matching: dict[re.Pattern[str], list[str]] = {}  # most members of a group have the same one
    for member in members:
        names = {*member.topics}
        pattern = _compiled(member.pattern) if member.pattern else None
        if pattern is not None:
            if pattern not in matching:
                matching[pattern] = [*filter(pattern.fullmatch, topics)]
            names.update(matching[pattern])
        elif member.pattern:
            names.update(member.owned)
            problem = f"the pattern {member.pattern!r} cannot be read here"
            remarks.append(f"{problem}; only owned topics count")
        found.append(replace(member, topics=tuple(sorted(names))))
    return found, list(dict.fromkeys(remarks))


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    """Compile a pattern of the broker's RE2/J; None if Python's `re` cannot read it."""
    with warnings.catch_warnings():
        # [[:alpha:]] is a character class in RE2/J and a set of letters in Python.
        warnings.simplefilter("error", FutureWarning)
        try:
            return re.compile(pattern)
        except (re.error, FutureWarning, RecursionError, OverflowError):
            return None


@dataclass(slots=True)
class Commits:
    """The commits of a group; `failed` maps partitions whose commit is unknown to the reason."""

    offsets: dict[TopicPartition, int] = field(default_factory=dict)
    failed: dict[TopicPartition, str] = field(default_factory=dict)
    by_streams: bool = False
    """True if a Kafka Streams application committed all of them."""
