"""A Prometheus server on loopback that knows some series; and what exporters of lag would show."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

from benchmarks.waiting import answers, until

NOW: Final = 1_800_000_000.0
"""The newest scrape, in seconds since 1970."""
Named = tuple[str, dict[str, str], list[tuple[float, float]]]
"""A metric, its labels, its points."""


def lag_exporter(
    ends: Sequence[Sequence[int]], commits: Sequence[Sequence[int]], owners: Sequence[str],
    times: Sequence[float], group: str = "orders", topic: str = "t",
) -> list[Named]:  # fmt: skip
    """What kafka-lag-exporter shows: per scrape the log end and the commit of each partition."""
    found: list[Named] = []
    for number, owner in enumerate(owners):
        of = {"cluster_name": "c", "topic": topic, "partition": str(number)}
        mine = {
            "group": group, "consumer_id": owner, "client_id": owner, "member_host": "/10.0.0.1",
        }  # fmt: skip
        end = [(at, float(row[number])) for at, row in zip(times, ends, strict=True)]
        commit = [(at, float(row[number])) for at, row in zip(times, commits, strict=True)]
        lag = [(at, e - c) for (at, e), (_, c) in zip(end, commit, strict=True)]
        found.append(("kafka_partition_latest_offset", of, end))
        found.append(("kafka_consumergroup_group_offset", of | mine, commit))
        found.append(("kafka_consumergroup_group_lag", of | mine, lag))
    return found


def as_text(series: Sequence[Named], at: float) -> str:
    """The text of the exporter at a scrape."""
    lines = []
    for name, labels, points in series:
        inside = ",".join(f"{key}={json.dumps(value)}" for key, value in labels.items())
        lines += [f"{name}{{{inside}}} {value}" for when, value in points if when == at]
    return "\n".join([*lines, ""])


@dataclass
class Stub:
    """What it answers."""

    series: list[Named] = field(default_factory=list)
    status: int = 200
    body: bytes | None = None
    """In place of an answer."""
    warnings: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    """Queries, and the headers that came with them."""

    def answer(self, query: str, at: float) -> bytes:
        found = re.fullmatch(r"(\w+)\{(.*)\}\[(\d+)ms\]", query)
        assert found is not None, query
        matchers = re.findall(r'(\w+)(=~|=)("(?:[^"\\]|\\.)*")', found[2])
        result = []
        for name, labels, points in self.series:
            fits = all(
                re.fullmatch(json.loads(text), labels.get(key, ""))
                if how == "=~"
                else labels.get(key, "") == json.loads(text)
                for key, how, text in matchers
            )
            inside = [p for p in points if at - int(found[3]) / 1000 <= p[0] <= at]
            if name == found[1] and fits and inside:
                values = [[when, str(value)] for when, value in inside]
                result.append({"metric": {"__name__": name, **labels}, "values": values})
        answer: dict[str, Any] = {
            "status": "success", "data": {"resultType": "matrix", "result": result},
        }  # fmt: skip
        if self.warnings:
            answer["warnings"] = self.warnings
        return json.dumps(answer).encode()


@contextmanager
def prometheus(stub: Stub) -> Iterator[str]:
    """The address at which the stub answers."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            query = asked["query"][0]
            stub.asked.append((query, dict(self.headers)))
            body = stub.answer(query, float(asked["time"][0])) if stub.body is None else stub.body
            self.send_response(stub.status)
            for name, value in stub.headers.items():
                self.send_header(name, value)
            if "Content-Length" not in stub.headers:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def running_prometheus(folder: Path, scraped: int, every_s: float) -> Iterator[str]:
    """The address of a real server that scrapes this port of this machine; needs the program
    `prometheus`, such as Debian's."""
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
