"""Groups from metrics: the options for a Prometheus server or for texts, and reading them."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from equilag.cli.arguments.conversions import duration, wrong
from equilag.cli.arguments.files import naming, one_stdin, read_file, shown_path
from equilag.cli.arguments.options import METRICS, SERVER, Option, is_server
from equilag.domain.errors import InputError
from equilag.domain.figures import listed, plural
from equilag.domain.show import MAX_IN_LINE, guess, show

if TYPE_CHECKING:
    from collections.abc import Callable

    from equilag.adapters.kafka.group_samples import GroupSamples
    from equilag.adapters.prometheus.series import MetricsRead
    from equilag.adapters.prometheus.server import PrometheusServer
    from equilag.domain.building.group_input import GroupInput

WINDOW_S: Final = 300.0
"""Twenty scrapes at 15 s, and ten refreshes of exporters at 30 s."""
MAX_DIGITS: Final = 15
"""Of milliseconds since 1970: 30,000 years."""


def moment(text: str) -> int:
    """Milliseconds since 1970, out of themselves or an RFC 3339 time (UTC unless it says)."""
    try:
        if text.isdecimal() and len(text) <= MAX_DIGITS:
            return int(text)
        when = datetime.fromisoformat("" if text.isdecimal() else text)
    except ValueError as error:
        raise wrong(text, "neither a time such as 2026-11-21T09:00:00Z nor milliseconds") from error
    since = (when if when.tzinfo else when.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
    return since // timedelta(milliseconds=1)


METRICS_NOW: Final = (
    Option(METRICS, "URL", "a Prometheus server that scrapes an exporter of lag; or a text of its"
           " metrics, - is standard input, twice with --between", repeats=True, is_source=True),
    Option("--prometheus-config", "FILE.properties", "login and TLS for it: username, password,"
           " token, ca, cert, key; NAME.file names a file with the value", needs=(SERVER,)),
    Option("--selector", "LABELS", "only series with these labels, such as 'cluster=\"prod\"'",
           needs=(SERVER,)),
)  # fmt: skip
METRICS_THEN: Final = (
    *METRICS_NOW,
    Option("--at", "TIME", "read a server as of this time (default: now)", moment,
           needs=(SERVER,)),
    Option("--window", "D", "measure rates over this time before it", duration, WINDOW_S,
           needs=(SERVER,)),
)  # fmt: skip
"""Of commands that read metrics of now, and also those of another time."""


def server_of(args: argparse.Namespace) -> PrometheusServer:
    """The server of ``--prometheus``. Raises InputError."""
    from equilag.adapters.prometheus.server import PrometheusServer, read_settings

    settings = {}
    if (path := args.prometheus_config) is not None:
        from equilag.adapters.kafka.client_properties import read_properties

        text = read_file(path)
        with naming(path):
            settings = read_settings(read_properties(text), path)
    if len(args.prometheus) > 1 or getattr(args, "between", None) is not None:
        raise InputError("takes one server, or two texts with --between", METRICS)
    return PrometheusServer(args.prometheus[0], settings)


def _read(args: argparse.Namespace) -> MetricsRead:
    """The series that the options ask for. Raises InputError."""
    if any(map(is_server, args.prometheus)):
        at = None if args.at is None else args.at / 1000
        group = getattr(args, "group", None)
        return server_of(args).read(at, args.window, args.selector or "", group)

    from equilag.adapters.prometheus.series import read_metrics_text

    if len(args.prometheus) != 1 + (args.between is not None):
        raise InputError("goes with two texts of metrics, the earlier one first", "--between")
    one_stdin(*args.prometheus)
    times = [0.0, args.between or 0.0][: len(args.prometheus)]
    first, *more = (
        read_metrics_text(read_file(path), shown_path(path), at)
        for path, at in zip(args.prometheus, times, strict=True)
    )
    for later in more:
        if later.dialect != first.dialect:
            problem = f"is of {later.dialect.tool}, the text before of {first.dialect.tool}"
            raise InputError(problem, source=later.source)
        for name, series in later.metrics.items():
            first.metrics.setdefault(name, []).extend(series)
    return first


def samples_from_metrics(
    args: argparse.Namespace, wanted: Callable[[str], object] = bool
) -> dict[str, GroupSamples]:
    """The groups that are wanted, at the times at which they were scraped. Raises InputError."""
    from equilag.adapters.prometheus.metric_groups import groups_of

    return groups_of(_read(args), wanted)


def input_of(found: GroupSamples, reset: str | None) -> tuple[GroupInput, list[str]]:
    """A group with what was measured, and remarks."""
    from equilag.adapters.kafka.group_samples import measured_input

    if len(found.times) > 1:
        given, remarks = measured_input(found, reset)
    else:
        given, remarks = found.last.group_input(reset), ["one sample: rates are unknown"]
    if unsaid := found.last.incomplete:
        return given, [*remarks, *unsaid, "assumed: members are called member-1, member-2, ..."]
    count = plural(len(found.last.members), "member")
    topics = "subscriptions are not in the metrics: all topics of the group for"
    return given, [*remarks, f"assumed: {topics} {count}; members without partitions are not"]


def group_from_metrics(args: argparse.Namespace) -> tuple[GroupSamples, GroupInput, list[str]]:
    """The group of ``--prometheus``, its samples, and remarks. Raises InputError."""
    found = samples_from_metrics(args)
    name = next(iter(found), "") if args.group is None and len(found) == 1 else args.group
    if name is None:
        groups = listed(sorted(found), MAX_IN_LINE)
        raise InputError(f"is required: the metrics have {len(found)} groups: {groups}", "--group")
    if name not in found:
        problem = f"the metrics have no group {show(name)}{guess(name, found)}"
        raise InputError(problem, "--group", args.prometheus[0])
    return found[name], *input_of(found[name], args.auto_offset_reset)
