"""Whether a plan is worth a rebalance: one rule for the steward and for the assignors.

A rebalance is worth it if it relieves a member by enough, if that is more than what measuring is
unsure of, and if it gains more record-seconds than it costs (`simulation.rebalance_price`). Where
rates are known, the least number of records follows from them: the same settings serve a group of
10 records per second and one of a million.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, get_args

from equilag.domain.errors import InputError, whole_number
from equilag.planner.worth.gain import Gain

Ground = Literal[
    "settling", "measuring", "no-plan", "even", "noise", "pause", "patience", "cooldown", "budget",
    "worth-it",
]  # fmt: skip
"""The kind of reason of a verdict."""
GROUNDS: Final[tuple[Ground, ...]] = get_args(Ground)

MOST: Final = 0.5
"""Part of a figure from which on it is most of it: of a lag, or of a load."""
NEARLY: Final = 0.9
"""Part of a figure that is nearly all of it: the rest would change nobody's decision."""
SURE: Final = 3.0
"""Standard errors that a relief must exceed. The heaviest of 100 equally loaded members seems to be
2.5 standard errors too heavy."""
CLEAR: Final = 2.0
"""A relief of so many times a threshold is clear. One that is hardly above it comes and goes with
the errors of rates, and a group may as well wait half a minute to be sure."""
SLIGHT: Final = 3
"""As many times the observations must agree on a relief that is not clear: for half a minute with
the default settings, as long as their cooldown."""
VAST: Final = 10.0
"""A relief of so many times a threshold needs no second observation."""
MIN_GAIN: Final = 1_000
"""Records, where no rate is known: two polls of a consumer's default ``max.poll.records``."""


class Verdict(NamedTuple):
    """Whether to rebalance, and why."""

    ground: Ground
    reason: str

    @property
    def worth_it(self) -> bool:
        return self.ground == "worth-it"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When a rebalance is worth it, and how often one may be started. Raises InputError."""

    gain_percent: float = 10.0
    """The most relieved member must be relieved by this, in percent of a fair share ..."""
    gain_delay_s: float = 60.0
    """... or by this many seconds of work."""
    confirm: int = 2
    """Consecutive observations that must promise such a gain, but for a vast one."""
    cooldown_s: float = 30.0
    """Least time between two rebalances that are started; it doubles while they bring nothing, and
    halves while they help."""
    moves_per_hour: int | None = None
    """Moves that started rebalances may take in an hour; None: ten times the partitions."""
    min_gain: float | None = None
    """Records by which a member must be relieved besides; None: what a member gets in a second, or
    else `MIN_GAIN`."""

    def __post_init__(self) -> None:
        for name in ("gain_percent", "gain_delay_s", "cooldown_s", "min_gain"):
            value = getattr(self, name)
            if name == "min_gain" and value is None:
                continue
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or not 0 <= value < float("inf"):
                raise InputError(f"{value!r} is not a number, 0 or more", name)
        whole_number(self.confirm, "confirm", 1)
        if self.moves_per_hour is not None:
            whole_number(self.moves_per_hour, "moves_per_hour")


@dataclass(frozen=True, slots=True)
class VerdictLimits:
    """From where on something is wrong."""

    thresholds: Thresholds = field(default_factory=Thresholds)
    """What a plan has to bring."""
    min_lag: float = 10_000
    """Records per partition that are much where no rate is known."""
    behind_s: float = 60.0
    """Seconds of production that are much."""

    def to_dict(self) -> dict[str, float | None]:
        """By the names of their options."""
        return {
            "gain": self.thresholds.gain_percent, "min_gain": self.thresholds.min_gain,
            "min_lag": self.min_lag, "behind": self.behind_s,
        }  # fmt: skip


def least_records(gain: Gain, thresholds: Thresholds) -> float:
    """Records that a relief has to be at least."""
    if thresholds.min_gain is not None:
        return thresholds.min_gain
    return gain.second_records or MIN_GAIN


def _enough_records(gain: Gain, thresholds: Thresholds) -> bool:
    """True also where loads are no records."""
    records = gain.relief_records
    return records is None or records >= least_records(gain, thresholds)


def reaches(gain: Gain, thresholds: Thresholds, times: float = 1.0) -> bool:
    """Return True for a relief of at least so many times one of the thresholds, and of enough
    records."""
    if not _enough_records(gain, thresholds):
        return False
    if gain.relief_percent >= times * thresholds.gain_percent:
        return True
    return gain.relief_s is not None and gain.relief_s >= times * thresholds.gain_delay_s


def judge(gain: Gain, thresholds: Thresholds) -> Verdict:
    """Return whether a gain is worth a rebalance, leaving aside when the last one was."""
    relief = _relief(gain)
    if gain.relief_percent <= 0 or not reaches(gain, thresholds):
        least = f"{thresholds.gain_percent:g} % or {thresholds.gain_delay_s:g} s"
        if not _enough_records(gain, thresholds):
            least = f"{least_records(gain, thresholds):,.0f} records"
        return Verdict("even", f"{relief}, less than {least}")
    is_sure = 0 < gain.sure_percent >= thresholds.gain_percent
    if gain.relief_percent < SURE * gain.noise_percent and not is_sure:
        unsure = f"a load is known to {gain.noise_percent:.1f} %"
        return Verdict("noise", f"{relief}, but {unsure} only")
    if gain.weighed is None:
        return Verdict("worth-it", relief)
    reason = f"{relief}, {gain.weighed}"
    return Verdict("worth-it" if gain.weighed.pays else "pause", reason)


def _relief(gain: Gain) -> str:
    seconds = "" if gain.relief_s is None else f" ({gain.relief_s:,.1f} s of work)"
    return f"relieves a member by {gain.relief_percent:.0f} % of a fair share{seconds}"
