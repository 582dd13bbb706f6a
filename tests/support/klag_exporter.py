"""klag-exporter, an exporter of lag in Rust: that of the machine, or built by cargo."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from support.paths import CHECKOUT

from benchmarks.toolchains import make_once
from benchmarks.waiting import answers, until

VERSION: Final = "0.1.29"
BUILT: Final = CHECKOUT / ".cache/klag-exporter"
BUILD_S: Final = 3_000
"""Some 200 crates and librdkafka, the first time: five minutes of a core."""
CONFIG: Final = """\
[exporter]
poll_interval = "{every_s}s"
http_host = "127.0.0.1"
http_port = {port}
granularity = "partition"
[exporter.timestamp_sampling]
enabled = false
[[clusters]]
name = "c"
bootstrap_servers = "{servers}"
"""


@contextmanager
def klag_exporter(folder: Path, servers: str, every_s: int, port: int) -> Iterator[None]:
    """It serves the groups of a cluster, read so often. Skips the test where it cannot be built."""
    program = shutil.which("klag-exporter")
    if program is None:
        make_once(BUILT, _build)
        program = str(BUILT / "bin/klag-exporter")
    config = folder / "klag.toml"
    config.write_text(CONFIG.format(every_s=every_s, port=port, servers=servers))
    with (folder / "klag.log").open("wb") as log:
        process = subprocess.Popen([program, "--config", config], stdout=log, stderr=log)
    try:
        metrics = f"http://127.0.0.1:{port}/metrics"
        until(lambda: process.poll() is not None or answers(metrics), 60)
        assert process.poll() is None, (folder / "klag.log").read_text("utf-8")
        yield
    finally:
        process.terminate()
        process.wait(20)


def _build(folder: Path) -> None:
    if shutil.which("cargo") is None:
        pytest.skip("needs klag-exporter, or cargo to build it")
    words = ["cargo", "install", f"klag-exporter@{VERSION}", "--locked", "--no-default-features"]
    done = subprocess.run(
        [*words, "--root", folder], capture_output=True, text=True, timeout=BUILD_S
    )
    if done.returncode:
        pytest.skip(f"cargo cannot build klag-exporter (libsasl2-dev?): {done.stderr[-500:]}")
