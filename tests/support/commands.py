"""Fixtures that run commands as a user does, in this process or in one of their own.

A conftest.py imports those that its folder uses.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import pytest
from support.json_schemas import findings
from support.orders_service import orders_snapshot
from support.paths import CHECKOUT

from equilag.cli import main


class Result(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """Run a command in this process."""
    monkeypatch.setenv("COLUMNS", "100")

    def call(*argv: object) -> Result:
        status = main([str(word) for word in argv])
        return Result(status, *capsys.readouterr())

    return call


@pytest.fixture
def document(run: Callable[..., Result]) -> Callable[..., dict[str, Any]]:
    """Run a command without a remark; the JSON that it prints, which its schema describes."""

    def call(*argv: object, status: int = 0, remarks: bool = False) -> dict[str, Any]:
        done = run(*argv, "--json")
        assert (done.status, done.out.isascii(), remarks or not done.err) == (status, True, True)
        found: dict[str, Any] = json.loads(done.out)
        assert findings(found) == []
        return found

    return call


@pytest.fixture
def spawn() -> Callable[..., Result]:
    """Run a command in a process of its own; `text` is its standard input."""

    def call(*argv: object, text: str = "", **env: str) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "equilag", *map(str, argv)],
            input=text,
            capture_output=True,
            encoding="utf-8",
            env=environment(**env),
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return call


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(CHECKOUT), "COLUMNS": "100", **more}


@pytest.fixture
def process_environment() -> dict[str, str]:
    return environment()


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write the snapshot of orders-service, with what a test puts in place of its fields."""

    def call(name: str = "group.json", **fields: Any) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(orders_snapshot(**fields)), "utf-8")
        return path

    return call


@contextmanager
def terminal_of(written: list[bytes]) -> Iterator[int]:
    """A stream of a process that is a terminal; what is written there is added to the list."""
    master, slave = pty.openpty()

    def read() -> None:
        with suppress(OSError):  # how Linux says that the other side is closed
            while piece := os.read(master, 4096):
                written.append(piece)

    reader = Thread(target=read)
    reader.start()
    try:
        yield slave
    finally:
        os.close(slave)
        reader.join()
        os.close(master)
