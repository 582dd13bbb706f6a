"""What a run tells those who watch it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands: for people who watch it."""

    stage: str
    spread: int | None
    bound: int | None
    elapsed: float
    limit: float


Watcher = Callable[[Progress], None]
