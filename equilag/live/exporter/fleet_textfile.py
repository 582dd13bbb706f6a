"""What a run on a fleet says of its groups, as a file for node_exporter's textfile collector."""

from __future__ import annotations

from pathlib import Path

from equilag.adapters.files import replace_file
from equilag.domain.errors import InputError
from equilag.live.exporter.group_answer import GroupAnswer
from equilag.live.status.http_server import PageRequest
from equilag.live.status.metric_families import group_families, metrics_page
from equilag.planner.facts.fleet_run import FleetRun, GroupRow


def write_textfile(run: FleetRun, path: str) -> None:
    """Write the metrics of all planned groups, by the names of the exporter; readers find the old
    file or the new one, whole. Raises InputError, MissingExtra without prometheus_client."""
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
