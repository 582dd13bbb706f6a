"""Every test of a command may run it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from support.commands import Result, process_environment, run, spawn, write
from support.json_schemas import findings

__all__ = ["document", "process_environment", "refused", "run", "spawn", "write"]


@pytest.fixture
def refused(run: Callable[..., Result]) -> Callable[..., str]:
    """Run a command that must fail for its input or usage; the one line that it says."""

    def call(*argv: object) -> str:
        status, out, err = run(*argv)
        assert (status, out) == (2, "")
        assert err.startswith("equilag: ")
        assert err.endswith("\n")
        assert err.count("\n") == 1
        return err[len("equilag: ") : -1]

    return call


@pytest.fixture
def document(run: Callable[..., Result]) -> Callable[..., dict[str, Any]]:
    """Run a command that succeeds without a remark; the JSON that it prints, which its schema
    describes."""

    def call(*argv: object) -> dict[str, Any]:
        status, out, err = run(*argv, "--json")
        assert (status, err) == (0, "")
        found: dict[str, Any] = json.loads(out)
        assert findings(found) == []
        return found

    return call
