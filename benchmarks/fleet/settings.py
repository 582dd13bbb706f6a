"""Settings of a generated history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np

from benchmarks.fleet import faults as flaws
from equilag.domain.errors import InputError

START: Final = "2026-11-21T09:00:00Z"
_STALE_MS: Final = 3_600_000
"""Age of the samples of a stale group, well above the ten minutes after which it is stale."""


@dataclass(frozen=True)
class HistorySettings:
    """Settings of a history. `every` is in seconds, `start_ms` in milliseconds since 1970."""

    groups: int = 500
    partitions: int = 50_000
    samples: int = 10
    every: int = 60
    seed: int = 1
    faults: bool = False
    member_rounds: int = 2
    start_ms: int = int(datetime.fromisoformat(START).timestamp()) * 1000

    def check(self) -> None:
        """Raise InputError for a setting that is out of range."""
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
        """Return an independent generator per purpose, so faults do not change the other values."""
        return np.random.default_rng([self.seed, purpose])

    @property
    def stale_ms(self) -> int:
        """Milliseconds by which the samples of a stale group are earlier."""
        return max(_STALE_MS, 4 * self.every * 1000)
