"""The figures of a plan as its JSON has them: counts, lag, those of an extended group, choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple

from equilag.domain.columns import ROUNDING

NEGLIGIBLE: Final = 0.001
"""Part of the mean load by which members may differ without anybody noticing."""
LAG_WEIGHT: Final[Mapping[str, Any]] = {"kind": "lag", "horizon_s": None, "unit": "records"}
"""What is spread over the members unless the policy asks for other weights."""


@dataclass(frozen=True, slots=True)
class CountFigures:
    """Partitions per member; the extremes are over the members that are not idle."""

    max: int
    min: int
    by_member: Mapping[str, int]
    per_topic_squares: float | None = None
    """Σ count² / capacity over topics and members; None unless topics count after the totals."""
    per_topic_squares_lower_bound: float | None = None


@dataclass(frozen=True, slots=True)
class LoadFigures:
    """Weight per unit of capacity; extremes and mean are over the members that are not idle."""

    max: float
    min: float
    spread: float
    mean: float
    """Total load / total capacity."""
    spread_lower_bound: float
    gap: float
    gap_percent_of_mean: float
    excess: float
    """Sum over members of what lies above the mean."""
    excess_lower_bound: float
    by_member: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class LagFigures(LoadFigures):
    """The same of lag: whole records, but for the mean, the percentage and the excess."""

    total: int


class HotPartition(NamedTuple):
    """A partition that is produced to faster than any member that may take it reads."""

    topic: str
    partition: int
    rate: float
    """Records per second."""
    capacity: float
    """Of the fastest member that may take it."""


@dataclass(frozen=True, slots=True)
class ThroughputFigures:
    """Records per second that are produced, beside those that members can read."""

    rate: float
    """Of all assigned partitions; where unknown, as `weight.filled_rates` takes it."""
    capacity: float
    """Of all members that are not idle; where unknown, the median of the known ones."""
    max: float
    """Largest utilisation: rate over capacity."""
    by_member: Mapping[str, float]
    """Utilisation of each member."""
    short: float
    """Records per second by which the members fall behind, in all."""
    short_lower_bound: float
    """No plan within the policy's limits falls less behind."""
    hot: tuple[HotPartition, ...]
    """No assignment keeps up with these; the largest rate first."""
    caught_up_s: float | None
    """Seconds until all of the lag and what comes in until then is read; None for never."""

    @property
    def mean(self) -> float:
        return self.rate / self.capacity if self.capacity else 0.0

    @property
    def keeps_up(self) -> bool:
        return self.max <= 1 + ROUNDING

    def to_dict(self) -> dict[str, Any]:
        return {
            "rate": self.rate,
            "capacity": self.capacity,
            "keeps_up": self.keeps_up,
            "short": self.short,
            "short_lower_bound": self.short_lower_bound,
            "caught_up_s": self.caught_up_s,
            "utilisation": {
                "max": self.max, "mean": self.mean, "by_member": dict(self.by_member),
            },
            "hot_partitions": [hot._asdict() for hot in self.hot],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class CrossRackFigures:
    """Partitions that are read across racks."""

    count: int
    lower_bound: int
    """No plan within the policy's balance of counts has fewer."""


class InstanceRow(NamedTuple):
    """One process, or a member that is a process of its own."""

    instance: str | None
    """None for a member without one."""
    members: tuple[str, ...]
    partitions: int
    load: float
    """Of all its members together, per unit of their capacity."""
    is_idle: bool
    """True if none of its members may take a partition."""


@dataclass(frozen=True, slots=True)
class InstanceFigures:
    """What the processes of a group hold, in the order of their first members."""

    rows: tuple[InstanceRow, ...]

    @property
    def active(self) -> list[InstanceRow]:
        return [row for row in self.rows if not row.is_idle]

    def to_dict(self) -> dict[str, Any]:
        counts = [row.partitions for row in self.active]
        loads = [row.load for row in self.active]
        high, low = max(loads, default=0.0), min(loads, default=0.0)
        return {
            "counts": {"max": max(counts, default=0), "min": min(counts, default=0)},
            "load": {"max": high, "min": low, "spread": high - low},
            "by_instance": [
                {
                    "instance": row.instance,
                    "members": list(row.members),
                    "partitions": row.partitions,
                    "load": row.load,
                }
                for row in self.rows
            ],
        }


@dataclass(frozen=True, slots=True)
class UnitFigures:
    """Units of co-partitioned topics, and how many of them each member has."""

    count: int
    counts: CountFigures


@dataclass(frozen=True, slots=True)
class ExtendedFigures:
    """What the plan of an extended group has more."""

    weight: Mapping[str, Any]
    """``weight`` in the plan's JSON."""
    load: LoadFigures
    throughput: ThroughputFigures | None = None
    """None where no rate or no capacity is known."""
    cross_rack: CrossRackFigures | None = None
    """None where racks are not known."""
    instances: InstanceFigures | None = None
    """None where each member is a process of its own."""
    units: UnitFigures | None = None
    """None where no topics are co-partitioned."""


EXTENDED_FIGURES: Final = tuple(one.name for one in fields(ExtendedFigures))
"""The fields of `ExtendedFigures` in a plan's JSON."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One trade-off between moves and lag spread that a run came across."""

    label: str
    moves: int
    spread: float
    """In records; per unit of capacity where capacities differ."""
    excess: float = 0.0
    """What lies above a fair share, summed over the members; in the same unit."""
    move_weight: float | None = None
    """What the moves weigh; None unless moves have a weight."""
    short: float | None = None
    """Records per second by which members fall behind; None unless rates and capacities count."""

    @property
    def cost(self) -> float:
        """What is traded for evenness: the weight of the moves, else their number."""
        return self.moves if self.move_weight is None else self.move_weight
