"""What history of a fleet is to be made."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np

from benchmarks.fleet import faults as flaws
from equilag.errors import InputError

START: Final = "2026-11-21T09:00:00Z"
_STALE_MS: Final = 3_600_000


@dataclass(frozen=True)
class HistorySettings:
    """What to make; `every` in seconds, `start_ms` since the epoch."""

    groups: int = 500
    partitions: int = 50_000
    samples: int = 10
    every: int = 60
    seed: int = 1
    faults: bool = False
    member_rounds: int = 2
    start_ms: int = int(datetime.fromisoformat(START).timestamp()) * 1000

    def check(self) -> None:
        """Raises InputError."""
        for option in ("groups", "partitions", "samples", "every", "member_rounds"):
            if getattr(self, option) < 1:
                raise InputError("less than 1", "--" + option.replace("_", "-"))
        if self.seed < 0:
            raise InputError("less than 0", "--seed")
        if self.partitions < self.groups:
            raise InputError("fewer than groups", "--partitions")
        if self.faults and self.groups < flaws.MIN_GROUPS:
            raise InputError(f"fewer than {flaws.MIN_GROUPS}, with --faults", "--groups")
        if self.faults and self.samples < flaws.MIN_SAMPLES:
            raise InputError(f"fewer than {flaws.MIN_SAMPLES}, with --faults", "--samples")

    def rng(self, purpose: int) -> np.random.Generator:
        """Random numbers of their own for each purpose: faults leave the rest as it is."""
        return np.random.default_rng([self.seed, purpose])

    @property
    def stale_ms(self) -> int:
        """How much earlier the samples of a stale group are."""
        return max(_STALE_MS, 4 * self.every * 1000)
