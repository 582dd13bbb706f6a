"""Series of metrics, what exporters of lag call theirs, and those of a text in the format of
Prometheus, as `curl` saves it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final, NamedTuple

from equilag.domain.errors import NO_PROMETHEUS_CLIENT, InputError, MissingExtra
from equilag.domain.figures import in_a_row


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


def read_metrics_text(text: str, source: str, at: float = 0.0) -> MetricsRead:
    """The series of the first exporter whose metrics are in the text; samples have the time `at`,
    whatever they say. Raises InputError for a text that is cut off or has none of these metrics;
    MissingExtra without prometheus_client."""
    try:
        from prometheus_client.parser import text_string_to_metric_families
    except ImportError as error:
        raise MissingExtra(NO_PROMETHEUS_CLIENT) from error
    wanted = {name for dialect in DIALECTS for name in dialect[1:6] if name}
    found: defaultdict[str, list[MetricSeries]] = defaultdict(list)
    try:
        if text and not text.endswith("\n"):
            raise ValueError("it ends within a line")
        for family in text_string_to_metric_families(text):
            for name, labels, value, *_ in family.samples:
                if name in wanted:
                    found[name].append(MetricSeries(labels, [(at, value)]))
    except (ValueError, IndexError, KeyError, AttributeError) as error:
        raise InputError(f"is no whole text of metrics: {error}", source=source) from error
    for dialect in DIALECTS:
        if found[dialect.lag]:
            return MetricsRead(dialect, found, source, at)
    tools = in_a_row([f"{one.lag} ({one.tool})" for one in DIALECTS])
    raise InputError(f"has no metrics of consumer groups: none of {tools}", source=source)
