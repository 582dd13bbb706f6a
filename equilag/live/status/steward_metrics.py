"""The steward's facts as metrics for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from equilag.domain.errors import MissingExtra
from equilag.live.rebalance.decision import ORIGINS
from equilag.live.status.status import ROLES
from equilag.live.status.steward_facts import StewardFacts
from equilag.planner.worth.thresholds import GROUNDS

GAUGES: Final = {
    "healthy": "1 if healthy",
    "degraded": "1 if it is healthy, but no steward leads the group",
    "generation": "Generation of the group",
    "members": "Members of the group, without the steward",
    "partitions": "Partitions that the members subscribe to",
    "unowned_partitions": "Subscribed partitions without an owner",
    "take_over_waits_for": "Members that a take-over removed and that are not back yet",
    "coordinator_silent": "1 while the group's coordinator does not answer",
    "lag_total": "Records between commits and log ends",
    "lag_total_would_be": "Dry run: records of lag if the plans had been handed out",
    "lag_spread": "Lag of the heaviest minus lag of the lightest member, in records",
    "lag_spread_would_be": "Dry run: lag spread if the plans had been handed out",
    "rate_total": "Records produced per second",
    "falls_behind": "Records per second by which the lag of the group keeps growing",
    "utilisation_percent": "Records produced in percent of what the members can read",
    "heaviest_percent": "Load of the heaviest member in percent of a fair share",
    "heaviest_percent_planned": "The same under the last plan",
    "heaviest_percent_would_be": "Dry run: the same if the plans had been handed out",
    "relief_possible_percent": "Relief by a perfect plan, in percent of a fair share",
    "relief_planned_percent": "Relief by the last plan, in percent of a fair share",
    "moves_planned": "Partitions that the last plan would move",
    "gain_planned_record_s": "Gain of the last plan, in records times seconds of waiting",
    "price_planned_record_s": "Price of its rebalance, in the same unit",
    "cooldown_s": "Least time between two rebalances that the steward starts",
    "cooldown_left_s": "Time until the steward may start a rebalance",
    "moves_left": "Moves that rebalances may still take in this hour",
    "pause_s": "How long a rebalance pauses partitions",
    "observations_without_assignment": "Consecutive observations without complete assignment",
    "last_observation_age_s": "Seconds since the group was last read",
    "last_heartbeat_age_s": "Seconds since a heartbeat was last answered",
}
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

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        shown = self._read()
        role = GaugeMetricFamily(
            "equilag_steward_role", "1 for the current role", labels=["group", "role"]
        )
        for role_name in ROLES:
            role.add_metric([shown.group, role_name], float(shown.role == role_name))
        yield role
        for name, text in GAUGES.items():
            value = getattr(shown, name)
            if value is not None:
                metric = f"equilag_steward_{name.removesuffix('_s')}"
                metric += "_seconds" if name.endswith("_s") else ""
                yield GaugeMetricFamily(metric, text, value=float(value))
        for name, (text, kinds) in COUNTERS.items():
            family = CounterMetricFamily(f"equilag_steward_{name}", text, labels=["kind"])
            for kind in kinds:
                counted = shown.counters.get(f"{name}:{kind}" if kind else name, 0)
                family.add_metric([kind], float(counted))
            yield family
