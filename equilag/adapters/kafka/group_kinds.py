"""Kinds of groups: what a broker says about one, and which ones are planned and led.

A kind is a word of the broker (``classic``, ``consumer`` of KIP-848, ``share`` of KIP-932,
``streams`` of KIP-1071), ``classic-streams`` for a classic group of a Kafka Streams application,
or the protocol type of classic groups whose members are no consumers, such as ``connect``.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from equilag.domain.figures import listed, natural_key
from equilag.domain.show import MAX_IN_LINE

CLASSIC: Final = "classic"
CONSUMER: Final = "consumer"
SHARE: Final = "share"
STREAMS: Final = "streams"
CLASSIC_STREAMS: Final = "classic-streams"
CONNECT: Final = "connect"
STEWARDS: Final = "equilag-steward"
"""Protocol type of the groups in which equilag's stewards elect the one that leads."""

PLANNED: Final = frozenset({CLASSIC, CONSUMER})
"""Kinds with partitions that belong to one member each, and that a plan can reassign."""
BROKER_ASSIGNS: Final = (
    "a KIP-848 group: the broker assigns its partitions, and no plan can be handed out"
)
_OTHERS: Final = {
    SHARE: (
        "a share group (KIP-932)",
        "its members share partitions, so none belongs to one member",
    ),
    STREAMS: (
        "a streams group (KIP-1071)",
        "the broker assigns its tasks, together with their state stores",
    ),
    CLASSIC_STREAMS: (
        "a classic group of a Kafka Streams application",
        "it assigns tasks with their state stores, and stops if another assignor joins",
    ),
    CONNECT: (
        "a group of Kafka Connect workers",
        "its leader assigns connectors and tasks, no partitions",
    ),
    STEWARDS: ("the election of the stewards of a group", "its members read nothing"),
}
"""What a group is, and why it is not planned."""

_CONSUMERS: Final = frozenset({"consumer", ""})
"""Protocol types of consumer groups; "" is that of groups without members."""
_STREAMS_ASSIGNOR: Final = "stream"
"""Protocol of StreamsPartitionAssignor, the only one that Kafka Streams offers. Its subscriptions
are those of consumers, with data of its own."""
_STREAMS_CLIENT: Final = re.compile(r".*-StreamThread-\d+-consumer", re.DOTALL)
"""Client ids of a Kafka Streams application; its protocol is hidden while it rebalances."""
_STREAMS_COMMITS: Final = (1, 2)
"""Versions of the metadata of commits by Kafka Streams (its TopicPartitionMetadata): a byte, then
eight bytes with a time, then more; in base64."""
_STREAMS_BYTES: Final = 9


class ListedGroup(NamedTuple):
    """A group as its broker lists it; `state` is Kafka's name of its state, "" if unknown."""

    kind: str
    state: str


def described_kind(kind: str) -> tuple[str, str]:
    """Return what a group of this kind is, and why it is not planned."""
    return _OTHERS.get(kind, (f"a group of type {kind!r}", "its members are not known consumers"))


def listed_kind(group_type: str, protocol_type: str) -> str:
    """Return the kind of a group in a list of groups; brokers before Kafka 3.8 tell no type. A
    classic Kafka Streams application counts as ``classic`` there."""
    kind = group_type.lower()
    if kind not in ("", CLASSIC):
        return kind
    return CLASSIC if protocol_type in _CONSUMERS else protocol_type


def classic_kind(protocol_type: str, protocol: str, client_ids: Iterable[str | None]) -> str:
    """Return the kind of a classic group from its description."""
    if protocol_type not in _CONSUMERS:
        return protocol_type
    streams = protocol == _STREAMS_ASSIGNOR or any(
        one is not None and _STREAMS_CLIENT.fullmatch(one) for one in client_ids
    )
    return CLASSIC_STREAMS if streams else CLASSIC


def committed_by_streams(metadata: Iterable[str | None]) -> bool:
    """True if all of these metadata of commits, at least one, are those of Kafka Streams: a group
    without members that had them belongs to such an application."""
    texts = [text or "" for text in metadata]
    return bool(texts) and all(map(_of_streams, texts))


def _of_streams(text: str) -> bool:
    try:
        data = b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return len(data) >= _STREAMS_BYTES and data[0] in _STREAMS_COMMITS


def left_out_lines(left_out: Mapping[str, str]) -> list[str]:
    """Return one line per reason, with the groups that were left out for it."""
    by_reason: dict[str, list[str]] = {}
    for group, reason in sorted(left_out.items(), key=lambda item: natural_key(item[0])):
        by_reason.setdefault(reason, []).append(group)
    return [
        f"left out: {listed(groups, MAX_IN_LINE)}: {reason}" for reason, groups in by_reason.items()
    ]
