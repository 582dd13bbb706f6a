"""Series from a text in Prometheus' exposition format, as `curl` saves it."""

from __future__ import annotations

from collections import defaultdict

from equilag.adapters.prometheus.series import DIALECTS, MetricSeries, MetricsRead
from equilag.domain.errors import NO_PROMETHEUS_CLIENT, InputError, MissingExtra
from equilag.domain.figures import in_a_row


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
