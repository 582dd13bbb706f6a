"""A pytest plugin: tests that may take longer than the limit in `pyproject.toml`.

pytest itself prints the stacks of all threads and ends the process when a test exceeds
`faulthandler_timeout`, also a test that hangs in native code and holds the interpreter's lock.
pytest-xdist then reports the test as failed and starts another worker.
"""

from __future__ import annotations

import faulthandler
from typing import Final

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

SHARED: Final = {"spark": 240.0, "broker": 240.0}
"""Marker -> limit in seconds: the first of these tests also starts what all of them share."""


def limit_of(item: pytest.Item) -> float | None:
    """The limit of a test in seconds; None for the one of `pyproject.toml`."""
    own = item.get_closest_marker("timeout")
    if own is not None:
        return float(own.args[0])
    usual = float(item.config.getini("faulthandler_timeout"))
    limits = [SHARED[name] for name in SHARED if item.get_closest_marker(name)]
    return max([usual, *limits]) if limits and usual else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A consumer of kafka-python that is dropped leaves its sockets to the collector of garbage,
    which may warn of them while another test runs."""
    for item in items:
        if item.get_closest_marker("broker"):
            item.add_marker(
                pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
            )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Replace the limit that pytest has just set."""
    limit = limit_of(item)
    if limit is not None:
        stderr = item.config.stash[fault_handler_stderr_fd_key]
        faulthandler.dump_traceback_later(limit, file=stderr, exit=True)
