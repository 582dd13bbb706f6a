"""A history out of what a Prometheus server says of groups, for a fleet."""

from __future__ import annotations

from collections import defaultdict
from contextlib import closing
from dataclasses import replace

from equilag.adapters.kafka.reading import Reading
from equilag.adapters.kafka.sample import tables_of
from equilag.adapters.prometheus.metric_groups import groups_of
from equilag.adapters.prometheus.series import MetricsRead
from equilag.domain.errors import InputError
from equilag.pipeline.results.record import Recorder


def record_metrics(read: MetricsRead, folder: str) -> None:
    """Write a round per scrape. Raises InputError for an exporter that knows no owners."""
    if not read.dialect.has_owners:
        problem = f"has metrics of {read.dialect.tool}, which does not say who reads what"
        raise InputError(problem, source=read.source)
    rounds: defaultdict[int, list[Reading]] = defaultdict(list)
    for found in groups_of(read).values():
        for at, offsets in zip(found.times, found.offsets, strict=True):
            # After a rebalance nobody knows who read what before.
            is_known = not found.rebalanced or at == found.times[-1]
            members = found.last.members if is_known else []
            one = replace(found.last, offsets=offsets, members=members)
            rounds[round(1000 * at)].append(one)
    with closing(Recorder(folder)) as recorder:
        for ts_ms, groups in sorted(rounds.items()):
            recorder.add(ts_ms, *tables_of(ts_ms, groups, {}))
