"""The rules of rebalancing that are compared, and the settings that all of them share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Weight = Literal["lag", "rate", "work"]


@dataclass(frozen=True)
class Rule:
    """What a rebalance balances."""

    name: str
    words: str
    weight: Weight | None
    """None for a group that only rebalances when members come or go."""
    balance: Literal["total", "none"] = "total"
    by_speed: bool = False
    """Loads, and counts where they are hard, in proportion to measured speeds."""


OWN: Final = "work-per-speed"
LAG: Final = "lag"

RULES: Final = (
    Rule("nothing", "nothing", None),
    Rule(LAG, "lag, equal counts", "lag"),
    Rule("rate", "rates, equal counts", "rate"),
    Rule("work", "lag + rate × horizon, equal counts", "work"),
    Rule("work-per-speed-free", "the same per measured speed, counts free", "work", "none", True),
    Rule(OWN, "the same per measured speed, counts in proportion", "work", "total", True),
)


@dataclass(frozen=True)
class Settings:
    """How a controller works; the same for all rules, scenarios and seeds."""

    look_every_s: int = 5
    """Seconds between samples."""
    window_s: int = 10
    """Seconds over which rates are measured."""
    min_interval_s: int = 30
    """Seconds from one rebalance to the next."""
    gain_percent: float = 20.0
    """Excess that a rebalance must save, in percent of the mean load; as `equilag steward`."""
    confirm: int = 2
    """Samples in a row that must show such a gain."""
    horizon_s: float = 300.0
    tolerance: float = 5.0
    """Percent of the mean load; see --tolerance."""
    effort: float = 0.05
    """Counted seconds per plan."""
