"""A Prometheus of its own for a test: it needs the program `prometheus`, such as Debian's."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.waiting import answers, until


@contextmanager
def running_prometheus(folder: Path, scraped: int, every_s: float) -> Iterator[str]:
    """The address of a server that scrapes this port of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = folder / "prometheus.yml"
    interval = f"{every_s * 1000:.0f}ms"
    config.write_text(
        f"global: {{scrape_interval: {interval}, scrape_timeout: {interval}}}\n"
        "scrape_configs:\n"
        f"  - {{job_name: lag, static_configs: [{{targets: ['127.0.0.1:{scraped}']}}]}}\n"
    )
    process = subprocess.Popen(
        ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder / 'data'}",
         f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"],
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        until(lambda: answers(f"{address}/-/ready"), 60)
        yield address
    finally:
        process.terminate()
        process.wait(20)
