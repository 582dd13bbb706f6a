"""Waiting for what happens in another thread or process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

PATIENCE_S: Final = 30
"""Seconds until a test gives up: many times what any wait takes on an idle machine."""


def until(true: Callable[[], bool], patience: float = PATIENCE_S) -> None:
    """Return once `true()` is true. Raises AssertionError after `patience` seconds."""
    give_up = time.monotonic() + patience
    while not true():
        assert time.monotonic() < give_up
        time.sleep(0.02)
