"""A steward as users run it: a command-line process with its log."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.request import urlopen

_END_S: Final = 20
"""Seconds until a steward that was told to leave is killed: many times what leaving takes."""


class StewardRun:
    """`equilag steward` with these options, listening on a free port of loopback."""

    def __init__(self, folder: Path, bootstrap: str, group: str, *options: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / f"steward-{self.port}.log"
        command = [sys.executable, "-m", "equilag", "steward", "--bootstrap-server", bootstrap]
        command += ["--group", group, "--listen", f"127.0.0.1:{self.port}", *options]
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stderr=output, process_group=0
            )

    @property
    def text(self) -> str:
        return self.log.read_text("utf-8")

    def status(self) -> dict[str, Any]:
        """Its `/status`; {} while it does not answer."""
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/status", timeout=5) as answer:
                status: dict[str, Any] = json.load(answer)
                return status
        except (URLError, OSError):
            return {}

    def wait_for(self, what: Callable[[dict[str, Any]], bool], patience: float = 30) -> None:
        """Wait until the status satisfies `what`."""
        give_up = time.monotonic() + patience
        while not ((status := self.status()) and what(status)):
            assert self.process.poll() is None, self.text
            assert time.monotonic() < give_up, (status, self.text)
            time.sleep(0.1)

    def has(self, role: str, patience: float = 30) -> None:
        self.wait_for(lambda status: status["role"] == role, patience)

    def events(self, name: str) -> list[str]:
        return [line for line in self.text.splitlines() if re.search(rf"\bevent={name}\b", line)]

    def kill(self) -> None:
        """As `kill -9`."""
        self.process.kill()
        self.process.wait()

    def end(self) -> int:
        """As SIGTERM. Return the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
