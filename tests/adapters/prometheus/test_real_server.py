"""A real Prometheus that scrapes an exporter of lag: rates and owners as they are."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from support.prometheus_stub import as_text, lag_exporter, running_prometheus

from equilag.adapters.kafka.group_samples import measured_input
from equilag.adapters.prometheus.metric_groups import groups_of
from equilag.adapters.prometheus.server import PrometheusServer
from equilag.domain.errors import InputError

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        shutil.which("prometheus") is None, reason="needs prometheus, such as Debian's package"
    ),
]
RATES = (1_000, 200, 50)
REFRESH_S = 0.5
"""How often the exporter reads the broker; it is scraped twice as often."""
SCRAPES_S = 30.0


@pytest.fixture
def exporter() -> Iterator[int]:
    """The port of an exporter whose log ends grow by `RATES`, and whose commits by half of that."""
    begun = time.monotonic()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            at = (time.monotonic() - begun) // REFRESH_S * REFRESH_S
            ends = [[10_000 + round(rate * at) for rate in RATES]]
            commits = [[1_000 + round(rate * at / 2) for rate in RATES]]
            series = lag_exporter(ends, commits, ["a", "a", ""], [at])
            body = as_text(series, at).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def url(exporter: int, tmp_path: Path) -> Iterator[str]:
    with running_prometheus(tmp_path, exporter, REFRESH_S / 2) as address:
        yield address


def test_rates_of_sixty_refreshes_are_within_two_percent(url: str) -> None:
    time.sleep(SCRAPES_S)
    read = PrometheusServer(url).read(None, SCRAPES_S, group="orders")
    (found,) = groups_of(read).values()
    given, _ = measured_input(found, "latest")
    assert given["rates"]["t"] == pytest.approx(RATES, rel=0.02)
    assert [(one.id, one.owned) for one in found.last.members] == [("a", {"t": [0, 1]})]


def test_a_wrong_selector_is_what_the_server_says(url: str) -> None:
    with pytest.raises(InputError, match="parse error"):
        PrometheusServer(url).read(None, 60.0, "cluster=prod")
