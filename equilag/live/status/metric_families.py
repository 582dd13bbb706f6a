"""Metrics for Prometheus: the figures of facts, as gauges of their names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from equilag.adapters.files import replace_file
from equilag.domain.document import field_texts
from equilag.domain.errors import NO_PROMETHEUS_CLIENT, InputError, MissingExtra
from equilag.live.exporter.group_answer import GroupAnswer
from equilag.live.rebalance.decision import ORIGINS
from equilag.live.status.http_server import Answer, PageRequest
from equilag.live.status.status import ROLES
from equilag.live.status.steward_facts import StewardFacts
from equilag.planner.facts.fleet_run import FleetRun, GroupRow
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
    registry: Any = SimpleNamespace(collect=families)
    """All that prometheus_client takes of one: families that are made for each answer."""

    def page(request: PageRequest) -> Answer:
        try:
            encode, kind = choose_encoder(request.accept)
        except (TypeError, ValueError):  # a version that is none
            encode, kind = choose_encoder("")
        return Answer(200, kind, encode(registry))

    return page


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


def write_textfile(run: FleetRun, path: str) -> None:
    """Write the metrics of all groups that a run on a fleet planned, by the names of the exporter,
    for node_exporter's textfile collector; readers find the old file or the new one, whole. Raises
    InputError, MissingExtra without prometheus_client."""
    answers = [_answer(row) for row in run.groups]
    text = metrics_page(lambda: group_families(answers))(PageRequest()).body
    try:
        replace_file(Path(path), text, 0o644)
    except OSError as error:
        problem = f"cannot be written: {error.strerror or error}"
        raise InputError(problem, "--textfile", path) from error


def _answer(row: GroupRow) -> GroupAnswer:
    found, saved = row.throughput, row.saved
    return GroupAnswer(
        group=row.group,
        action=row.action,
        cause=row.cause,
        headline=row.headline or "",
        members=row.members,
        partitions=row.partitions,
        unowned_partitions=row.unowned,
        lag_total=row.lag,
        unknown_lags=None,
        rate_total=None,
        behind_s=None,
        short=None if found is None else found.short_now,
        excess=row.excess_now,
        excess_saved=None if saved is None else max(0.0, saved),
        relief_percent=row.relief_percent,
        moves=row.moves,
        hottest_percent=None,
        age_s=None,
    )
