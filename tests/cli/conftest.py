"""Every test of a command may run it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.commands import Result, document, process_environment, run, spawn, write

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
