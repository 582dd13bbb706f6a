"""The steward's facts as metrics for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from equilag.domain.document import field_texts, to_document
from equilag.domain.errors import MissingExtra
from equilag.live.rebalance.decision import ORIGINS
from equilag.live.status.status import ROLES
from equilag.live.status.steward_facts import StewardFacts
from equilag.planner.worth.thresholds import GROUNDS

COUNTERS: Final = {
    "handouts": ("Assignments handed out, by origin", ORIGINS),
    "rebalances_triggered": (
        "Rebalances that the steward started, by reason", ("gain", "partitions", "take-over"),
    ),
    "decisions": ("Decisions on the group, by kind", GROUNDS),
    "would_trigger": ("Dry run: rebalances that would have been started", ("",)),
    "fallbacks": ("Reasons for which a heuristic's assignment was handed out", ("",)),
    "observations": (
        "Observations of the group, by outcome", ("done", "rebalancing", "no group", "failed"),
    ),
    "heartbeats": ("Heartbeats, by answer", ("fine", "rebalance", "lost", "fenced", "silent")),
}  # fmt: skip
"""Counter -> its help text, and the kinds that are exported from the start."""


def metrics_of(read: Callable[[], StewardFacts]) -> Callable[[], bytes]:
    """Return what writes the facts that `read` returns as text of Prometheus. Raises
    MissingExtra without prometheus_client."""
    try:
        from prometheus_client import CollectorRegistry, generate_latest
    except ImportError as error:
        raise MissingExtra(
            "the steward needs prometheus_client: pip install 'equilag[steward]'"
        ) from error
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(read))
    return lambda: generate_latest(registry)


class _Collector:
    """Reads the facts at each scrape."""

    def __init__(self, read: Callable[[], StewardFacts]) -> None:
        self._read = read
        self._texts = field_texts(StewardFacts)

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        shown = self._read()
        role = GaugeMetricFamily(
            "equilag_steward_role", "1 for the current role", labels=["group", "role"]
        )
        for role_name in ROLES:
            role.add_metric([shown.group, role_name], float(shown.role == role_name))
        yield role
        for name, value in to_document(shown).items():  # every figure is a gauge
            if isinstance(value, int | float):
                metric = f"equilag_steward_{name.removesuffix('_s')}"
                metric += "_seconds" if name.endswith("_s") else ""
                yield GaugeMetricFamily(metric, self._texts[name], value=float(value))
        for name, (text, kinds) in COUNTERS.items():
            family = CounterMetricFamily(f"equilag_steward_{name}", text, labels=["kind"])
            for kind in kinds:
                counted = shown.counters.get(f"{name}:{kind}" if kind else name, 0)
                family.add_metric([kind], float(counted))
            yield family
