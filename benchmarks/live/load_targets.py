"""The targets of the load scenarios, and the comparison of results with them."""

from __future__ import annotations

from typing import Any, Final

from benchmarks.assignors.target import Target

Results = dict[str, Any]

SLOW_LAG_SHARE: Final = 1 / 10
"""One slow member: mean total lag by work, as a share of that by lag, or of the brokers' own."""
CHANGING_LAG_SHARE: Final = 1 / 4
CHANGING_DELAY_SHARE: Final = 1 / 3
"""Rates dealt anew: mean total lag and p99 delay by work, as shares of those by lag, or of the
brokers' own."""
BY_HAND: Final = 2.0
"""Mean total lag by work, at most so many times that by hand."""
DELAY_S: Final = 2.0
SETTLED_S: Final = 60.0
REBALANCES: Final = 2
"""In half an hour of steady load: the first, and one more."""
CPU_PERCENT: Final = 5.0


def judged_load(results: Results) -> list[Target]:
    """Return each target of a scenario with its figures; groups that were not run have none."""
    sides = {row["side"]: row for row in results["sides"]}
    match results["name"]:
        case name if name.startswith("slow-member-848"):
            found = [
                _against(sides, "lag_mean", "none", SLOW_LAG_SHARE),
                _against(sides, "lag_mean", "by-hand", BY_HAND),
            ]
        case "slow-member":
            found = [
                _against(sides, "lag_mean", "by-lag", SLOW_LAG_SHARE),
                _against(sides, "lag_mean", "by-hand", BY_HAND),
                _at_most(sides, "delay_p99_s", DELAY_S),
            ]
        case name if name.startswith("changing-rates"):
            other = "none" if "848" in name else "by-lag"
            found = [
                _against(sides, "lag_mean", other, CHANGING_LAG_SHARE),
                _against(sides, "delay_p99_s", other, CHANGING_DELAY_SHARE),
            ]
        case "peak":
            found = [
                _before_the_peak(sides["by-work"], results["phases"][-1]),
                _against(sides, "lag_mean", "by-hand", BY_HAND),
            ]
        case "peer":
            found = [_settled(sides["by-work"])]
        case _:
            found = [_few_rebalances(sides["by-work"]), _cpu(sides["by-work"])]
    return [goal._replace(name=f"{results['words']}: {goal.name}") for goal in found]


_WORDS: Final = {
    "lag_mean": ("mean total lag", "records"),
    "delay_p99_s": ("p99 delay", "s"),
    "by-lag": "by lag",
    "by-hand": "by hand",
    "none": "the brokers' own assignor",
}


def _against(sides: dict[str, Results], figure: str, other: str, share: float) -> Target:
    what, unit = _WORDS[figure]
    words = f"{share:g} times" if share >= 1 else f"1/{1 / share:.0f} of"
    name, limit = f"{what} by work", f"{words} {_WORDS[other]}"
    if other not in sides:
        return Target(name, limit, "not run", None)
    own, of_other = sides["by-work"][figure], sides[other][figure]
    figures = f"{own:,.1f} against {of_other:,.1f} {unit}"
    return Target(name, limit, figures, own <= share * of_other)


def _at_most(sides: dict[str, Results], figure: str, most: float) -> Target:
    what, unit = _WORDS[figure]
    own = sides["by-work"][figure]
    return Target(f"{what} by work", f"{most:g} {unit}", f"{own:,.2f} {unit}", own <= most)


def _before_the_peak(row: Results, peak_s: float) -> Target:
    times = [one["at_s"] for one in row["rebalances"]]
    figures = f"first rebalance after {times[0]:.0f} s" if times else "no rebalance"
    met = bool(times) and times[0] < peak_s
    return Target("acts before the peak", f"before {peak_s:.0f} s", figures, met)


def _settled(row: Results) -> Target:
    after = row["processes"][-1]["within_after_s"]
    figures = "not until the end" if after is None else f"after {after:.0f} s"
    return Target(
        "rates of processes within 2 % of their mean, after the change", f"{SETTLED_S:.0f} s",
        figures, after is not None and after <= SETTLED_S,
    )  # fmt: skip


def _few_rebalances(row: Results) -> Target:
    number = len(row["rebalances"])
    return Target(
        "rebalances that move partitions", f"{REBALANCES}", f"{number}", number <= REBALANCES
    )


def _cpu(row: Results) -> Target:
    used = row["steward_cpu_percent"]
    return Target(
        "CPU of the steward", f"{CPU_PERCENT:g} % of a core", f"{used:.1f} %", used <= CPU_PERCENT
    )
