"""What was measured of a group's topics, for a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, TypeVar

Row = TypeVar("Row")
Lags: TypeAlias = Mapping[str, Sequence[int | None]]
"""Topic -> lag in records, one entry per partition; None if unknown."""
Racks: TypeAlias = Mapping[str, Sequence[Sequence[str]]]
"""Topic -> for each partition, the racks that hold a replica."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Lags and racks of some topics; topics of which nothing is known may be missing."""

    lags: Lags = field(default_factory=dict)
    racks: Racks | None = None
    """None if no rack is known, or if the policy does not mind racks."""
    age: float = 0.0
    """Seconds since the lags were measured."""


NOTHING_MEASURED: Final = Measured()


def with_size(
    rows: Mapping[str, Sequence[Row]], sizes: Mapping[str, int]
) -> dict[str, Sequence[Row]]:
    """Return the rows of topics that still have the size that they had when they were measured."""
    return {topic: row for topic, row in rows.items() if sizes.get(topic) == len(row)}
