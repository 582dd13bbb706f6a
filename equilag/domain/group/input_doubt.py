"""What a group's input is accepted with although it may be a mistake, with names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CLAIMED_TWICE: Final = "claimed_twice"
DROPPED_CLAIM: Final = "dropped_claim"
LAGS_AND_OFFSETS: Final = "lags_and_offsets"
MISSING_TOPIC: Final = "missing_topic"
MAX_EXAMPLES: Final = 5
"""Examples that are kept of each kind: one line on a screen shows no more."""

NO_SUCH_TOPIC: Final = "no such topic"
NO_SUCH_PARTITION: Final = "no such partition"
NOT_SUBSCRIBED: Final = "not subscribed"


@dataclass(frozen=True, slots=True)
class InputDoubt:
    """One kind of doubt: how often, and the first examples.

    `claimed_twice`: a partition, and the members whose claims void each other.
    `dropped_claim`: a partition, the member that claims it, and why the claim does not count.
    `lags_and_offsets`: a topic that has both; its lags count.
    `missing_topic`: a member, and a topic that it subscribes to and that does not exist.
    """

    kind: str
    count: int
    examples: tuple[tuple[str, ...], ...]
