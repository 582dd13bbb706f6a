"""The steward's HTTP server: `/metrics` for Prometheus, `/healthz` and `/status` on one port."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from equilag.errors import InputError, MissingExtra
from equilag.live.rebalance.assignments import ORIGINS
from equilag.live.steward.status import ROLES, StewardStatus
from equilag.worth.thresholds import GROUNDS

GAUGES: Final = {
    "generation": "Generation of the group",
    "members": "Members of the group, without the steward",
    "partitions": "Partitions that the members subscribe to",
    "unowned_partitions": "Subscribed partitions without an owner",
    "take_over_waits_for": "Members that a take-over removed and that are not back yet",
    "lag_total": "Records between commits and log ends",
    "lag_total_would_be": "Dry run: records of lag, had the plans been handed out",
    "lag_spread": "Lag of the heaviest minus lag of the lightest member, in records",
    "lag_spread_would_be": "Dry run: lag spread, had the plans been handed out",
    "rate_total": "Records produced per second",
    "utilisation_percent": "Records produced in percent of what the members can read",
    "heaviest_percent": "Load of the heaviest member in percent of a fair share",
    "heaviest_percent_planned": "The same under the last plan",
    "heaviest_percent_would_be": "Dry run: the same, had the plans been handed out",
    "relief_possible_percent": "Relief by a perfect plan, in percent of a fair share",
    "relief_planned_percent": "Relief by the last plan, in percent of a fair share",
    "moves_planned": "Partitions that the last plan would move",
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
    "decisions": ("Verdicts on the group, by the kind of reason", GROUNDS),
    "would_trigger": ("Dry run: rebalances that would have been started", ("",)),
    "fallbacks": ("Reasons for which a heuristic's assignment was handed out", ("",)),
    "observations": (
        "Observations of the group, by outcome", ("done", "rebalancing", "no group", "failed"),
    ),
    "heartbeats": ("Heartbeats, by answer", ("fine", "rebalance", "lost", "fenced", "silent")),
}  # fmt: skip
"""Counter -> its help text, and the kinds that are exported from the start."""


def serve(state: StewardStatus, host: str, port: int) -> ThreadingHTTPServer:
    """Start a server on its own thread.

    Raises InputError if the port is not available, MissingExtra without prometheus_client.
    """
    render = _renderer(state)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if path == "/metrics":
                self._answer(200, "text/plain; version=0.0.4; charset=utf-8", render())
            elif path == "/healthz":
                problem = state.problem()
                text = f"{problem or 'ok'}\n".encode()
                self._answer(503 if problem else 200, "text/plain; charset=utf-8", text)
            elif path == "/status":
                text = json.dumps(state.to_dict(), indent=1, allow_nan=False).encode() + b"\n"
                self._answer(200, "application/json", text)
            else:
                text = b"not found: try /metrics, /healthz or /status\n"
                self._answer(404, "text/plain; charset=utf-8", text)

        def _answer(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Log nothing: every scrape would be a line."""

    try:
        server = ThreadingHTTPServer((host, port), Handler)
    except (OSError, OverflowError) as error:
        raise InputError(f"cannot listen on {host}:{port}: {error}", "--listen") from error
    threading.Thread(target=server.serve_forever, name="http", daemon=True).start()
    return server


def _renderer(state: StewardStatus) -> Callable[[], bytes]:
    try:
        from prometheus_client import CollectorRegistry, generate_latest
    except ImportError as error:
        raise MissingExtra(
            "the steward needs prometheus_client: pip install 'equilag[steward]'"
        ) from error
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(state))
    return lambda: generate_latest(registry)


class _Collector:
    """Reads the status at each scrape."""

    def __init__(self, state: StewardStatus) -> None:
        self._state = state

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        shown = self._state.figures
        role = GaugeMetricFamily("equilag_steward_role", "1 for the current role", labels=["role"])
        for name in ROLES:
            role.add_metric([name], float(shown.role == name))
        yield role
        healthy = float(self._state.problem() is None)
        yield GaugeMetricFamily("equilag_steward_healthy", "1 if healthy", value=healthy)
        for name, text in GAUGES.items():
            value = getattr(shown, name)
            if value is not None:
                metric = f"equilag_steward_{name.removesuffix('_s')}"
                metric += "_seconds" if name.endswith("_s") else ""
                yield GaugeMetricFamily(metric, text, value=float(value))
        counters = self._state.counters
        for name, (text, kinds) in COUNTERS.items():
            family = CounterMetricFamily(f"equilag_steward_{name}", text, labels=["kind"])
            for kind in kinds:
                family.add_metric([kind], float(counters.get((name, kind), 0)))
            yield family
