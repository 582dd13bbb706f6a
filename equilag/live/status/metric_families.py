"""Metrics for Prometheus: the figures of facts, as gauges of their names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final

from equilag.domain.document import field_texts
from equilag.domain.errors import NO_PROMETHEUS_CLIENT, MissingExtra
from equilag.live.exporter.group_answer import GroupAnswer
from equilag.live.rebalance.decision import ORIGINS
from equilag.live.status.http_server import Answer, PageRequest
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


texts_of: Final[Callable[[Any], dict[str, str]]] = cache(field_texts)
"""It takes milliseconds to parse a class."""


def metrics_page(families: Callable[[], Iterable[Any]]) -> Callable[[PageRequest], Answer]:
    """Return what writes families as text of Prometheus, or as OpenMetrics for those that accept
    it. Raises MissingExtra without prometheus_client."""
    try:
        from prometheus_client.exposition import choose_encoder
    except ImportError as error:
        raise MissingExtra(NO_PROMETHEUS_CLIENT) from error
    registry: Any = Collected(families)

    def page(request: PageRequest) -> Answer:
        try:
            encode, kind = choose_encoder(request.accept)
        except (TypeError, ValueError):  # a version that is none
            encode, kind = choose_encoder("")
        return Answer(200, kind, encode(registry))

    return page


class Collected:
    """What prometheus_client takes for a registry: families that are made for each answer."""

    def __init__(self, families: Callable[[], Iterable[Any]]) -> None:
        self.collect = families


def gauges(prefix: str, facts: Sequence[Any], label: str = "") -> Iterator[Any]:
    """A gauge for each figure of these facts, which are of one class; with `label` the value of
    this field tells them apart. Figures that are not known are left out."""
    from prometheus_client.core import GaugeMetricFamily

    for name, text in texts_of(type(facts[0])).items() if facts else ():
        metric = f"{prefix}_{name.removesuffix('_s')}{'_seconds' if name.endswith('_s') else ''}"
        family = GaugeMetricFamily(metric, text, labels=[label] if label else None)
        for one in facts:
            value = getattr(one, name)
            if isinstance(value, int | float) and math.isfinite(value):
                family.add_metric([getattr(one, label)] if label else [], float(value))
        if family.samples:
            yield family


def group_families(answers: Sequence[GroupAnswer]) -> Iterator[Any]:
    """What is known of groups: the same from exporter, steward and fleet."""
    from prometheus_client.core import GaugeMetricFamily

    yield from gauges("equilag_group", answers, "group")
    for name in ("action", "cause"):
        text = texts_of(GroupAnswer)[name]
        family = GaugeMetricFamily(f"equilag_group_{name}", text, labels=["group", name])
        for one in answers:
            if value := getattr(one, name):
                family.add_metric([one.group, value], 1.0)
        yield family


def steward_families(shown: StewardFacts, answers: Sequence[GroupAnswer]) -> Iterator[Any]:
    """The facts of a steward, and what is known of its group."""
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    role = GaugeMetricFamily(
        "equilag_steward_role", "1 for the current role", labels=["group", "role"]
    )
    for role_name in ROLES:
        role.add_metric([shown.group, role_name], float(shown.role == role_name))
    yield role
    yield from gauges("equilag_steward", [shown])
    for name, (text, kinds) in COUNTERS.items():
        family = CounterMetricFamily(f"equilag_steward_{name}", text, labels=["kind"])
        for kind in kinds:
            counted = shown.counters.get(f"{name}:{kind}" if kind else name, 0)
            family.add_metric([kind], float(counted))
        yield family
    yield from group_families(answers)
