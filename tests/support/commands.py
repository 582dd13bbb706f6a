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
    """Write a snapshot: three members, two topics, and what a test puts in place of that."""

    def call(name: str = "group.json", **fields: Any) -> Path:
        snapshot: dict[str, Any] = {
            "format": "equilag/snapshot/1",
            "group": "orders-service",
            "topics": {"orders": 5, "payments": 4},
            "members": [
                {"id": "a", "subscription": ["orders", "payments"], "owned": {"orders": [0, 1, 2]}},
                {"id": "b", "subscription": ["orders", "payments"], "owned": {"orders": [3, 4]}},
                {
                    "id": "c",
                    "subscription": ["orders", "payments"],
                    "owned": {"payments": [0, 1, 2, 3]},
                },
            ],
            "lags": {"orders": [1000, 2, 3, 400, 5], "payments": [60, 7, 800, 9]},
        }
        path = tmp_path / name
        path.write_text(json.dumps({**snapshot, **fields}), "utf-8")
        return path

    return call


@pytest.fixture
def load(write: Callable[..., Path]) -> Callable[..., Any]:
    """The group in such a snapshot."""
    from equilag.adapters.snapshot.load import load_snapshot

    return lambda **fields: load_snapshot(write(**fields))
