"""Series of metrics, and what exporters of lag call theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class MetricSeries(NamedTuple):
    """One series of a metric."""

    labels: Mapping[str, str]
    points: list[tuple[float, float]]
    """Seconds since 1970, ascending, and the value."""


class Dialect(NamedTuple):
    """The metrics of one exporter; an empty name is one that it lacks."""

    tool: str
    lag: str
    committed: str
    log_end: str
    log_start: str
    members: str
    """How many members a group has."""
    group: str
    """The label that holds it, as the next two."""
    topic: str
    partition: str

    @property
    def has_owners(self) -> bool:
        return not self.members


OWNER: Final = "consumer_id"
"""The label with a member's id, empty where nobody owns the partition."""
OWNER_LABELS: Final = frozenset({OWNER, "client_id", "member_host", "state", "is_simple_consumer",
                                 "compaction_detected", "data_loss_detected"})  # fmt: skip
"""Labels that change with the owner of a partition, or with what its log lost."""
DIALECTS: Final = (
    Dialect(
        "kafka-lag-exporter, or klag-exporter by partition",
        "kafka_consumergroup_group_lag", "kafka_consumergroup_group_offset",
        "kafka_partition_latest_offset", "kafka_partition_earliest_offset", "",
        "group", "topic", "partition",
    ),
    Dialect(
        "kafka_exporter", "kafka_consumergroup_lag", "kafka_consumergroup_current_offset",
        "kafka_topic_partition_current_offset", "kafka_topic_partition_oldest_offset",
        "kafka_consumergroup_members", "consumergroup", "topic", "partition",
    ),
    Dialect(
        "KMinion", "kminion_kafka_consumer_group_topic_partition_lag", "",
        "kminion_kafka_topic_partition_high_water_mark",
        "kminion_kafka_topic_partition_low_water_mark", "kminion_kafka_consumer_group_members",
        "group_id", "topic_name", "partition_id",
    ),
)  # fmt: skip
"""The first one with owners comes first; klag-exporter has its names."""


class MetricsRead(NamedTuple):
    """What was read of one exporter."""

    dialect: Dialect
    metrics: dict[str, list[MetricSeries]]
    """Name of a metric of the dialect -> its series."""
    source: str
    """What messages call it."""
    at: float
    """The moment that was asked for, in seconds since 1970; 0 if that is not known."""
