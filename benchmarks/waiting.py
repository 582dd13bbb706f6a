"""Waiting for what happens in another thread or process: each wait polls, and names its deadline.

No test sleeps otherwise, unless time that passes is what it tests: a slow piece of code, a fault of
given length, a sample every few seconds.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from typing import Final
from urllib.error import URLError
from urllib.request import urlopen

PATIENCE_S: Final = 30
"""Seconds until a test gives up: many times what any wait takes on an idle machine."""
LOOK_S: Final = 0.02
"""Between two looks."""


def until(true: Callable[[], object], patience: float = PATIENCE_S) -> None:
    """Return once `true()` is true. Raises AssertionError after `patience` seconds."""
    assert within(true, patience), f"waited {patience:g} s in vain for {_source(true)}"


def within(true: Callable[[], object], seconds: float, look: float = LOOK_S) -> bool:
    """Whether `true()` becomes true in this time. For measurements, which note what did not."""
    give_up = time.monotonic() + seconds
    while not true():
        if time.monotonic() >= give_up:
            return False
        time.sleep(look)
    return True


def answers(url: str) -> bool:
    """Whether a server on this machine answers by now."""
    try:
        with urlopen(url, timeout=2):
            return True
    except URLError:
        return False


async def aio_until(true: Callable[[], object], patience: float = PATIENCE_S) -> None:
    """The same in an event loop, which goes on in between."""
    give_up = time.monotonic() + patience
    while not true():
        assert time.monotonic() < give_up, f"waited {patience:g} s in vain for {_source(true)}"
        await asyncio.sleep(LOOK_S)


def stays(true: Callable[[], object], seconds: float) -> None:
    """Return after `seconds` in which `true()` was true all the time. Raises AssertionError."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert true(), f"no longer true within {seconds:g} s: {_source(true)}"
        time.sleep(LOOK_S)


class AtRest:
    """True once a value has been the same for some seconds, and a condition true all the time."""

    def __init__(
        self, true: Callable[[], object], value: Callable[[], object], seconds: float
    ) -> None:
        self._true, self._value, self._seconds = true, value, seconds
        self._seen: object = None
        self._since = time.monotonic()

    def __call__(self) -> bool:
        value = self._value() if self._true() else None
        now = time.monotonic()
        if value is None or value != self._seen:
            self._seen, self._since = value, now
        return now - self._since >= self._seconds

    def __repr__(self) -> str:
        return f"{self._seconds:g} s at rest: {_source(self._true)}"


def _source(true: Callable[[], object]) -> str:
    """The condition as it is written, or its name."""
    try:
        return inspect.getsource(true).strip()
    except (OSError, TypeError):
        return repr(true)
