"""Fixtures that run commands as a user does, in this process or in one of their own.

A conftest.py imports those that its folder uses.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
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
