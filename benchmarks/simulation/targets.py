"""The targets of the simulation benchmark, and the comparison of results with them."""

from __future__ import annotations

from typing import Any, Final

from benchmarks.assignors.target import Target
from benchmarks.simulation.rules import LAG, OWN, RULES

Results = dict[str, Any]

BY_SPEED: Final = frozenset(rule.name for rule in RULES if rule.by_speed)
AGE_SHARE: Final = 0.2
"""Age under work per speed, at most so much of the age under a balance of lag."""
MOVES: Final = 1.5
"""Moves, at most so many times those of the rule with the lowest age among the others."""
FORECAST_PERCENT: Final = 15.0
SPEED_PERCENT: Final = 10.0
RATE_PERCENT: Final = 5.0
COST_PERCENT: Final = 10.0


def judged(results: Results) -> list[Target]:
    """Return each target with its figures; parts that were not run have none."""
    goals: list[Target] = []
    for scenario in results.get("rules", {}).get("scenarios", []):
        goals += _scenario(scenario)
    if broker := results.get("broker"):
        goals += _broker(broker)
    if size := results.get("size"):
        goals += _size(size)
    if cost := results.get("cost"):
        goals.append(_cost(cost))
    return goals


def median_of(row: Results, figure: str) -> float:
    return float(row[figure]["median"])


def best_other(rows: list[Results]) -> Results:
    """The rule with the lowest age, and of those the fewest moves, among the others."""
    others = [row for row in rows if row["rule"] != OWN]
    return min(others, key=lambda row: (median_of(row, "age_p95_s"), median_of(row, "moves")))


def _scenario(scenario: Results) -> list[Target]:
    rows = scenario["rules"]
    by_name = {row["rule"]: row for row in rows}
    own, lag, best = by_name[OWN], by_name[LAG], best_other(rows)
    age, words = median_of(own, "age_p95_s"), scenario["words"]
    of_lag, of_best = (median_of(row, "age_p95_s") for row in (lag, best))
    moves, allowed = median_of(own, "moves"), MOVES * median_of(best, "moves")
    plain = best_other([row for row in rows if row["rule"] not in BY_SPEED])
    of_plain, of_plain_moves = (median_of(plain, figure) for figure in ("age_p95_s", "moves"))
    return [
        Target(
            f"{words}: age against lag", f"1/{1 / AGE_SHARE:.0f}",
            f"{age:.1f} s of {of_lag:.1f} s", age <= AGE_SHARE * of_lag,
        ),
        Target(
            f"{words}: age against the best other rule", f"{of_best:.1f} s ({best['words']})",
            f"{age:.1f} s", age <= of_best,
        ),
        Target(
            f"{words}: moves against that rule", f"{MOVES:g} times, {allowed:.0f}",
            f"{moves:.0f}", moves <= allowed,
        ),
        Target(
            f"{words}: age and moves against the best rule without speeds",
            f"{of_plain:.1f} s, {MOVES:g} times {of_plain_moves:.0f} ({plain['words']})",
            f"{age:.1f} s, {moves:.0f}", age <= of_plain and moves <= MOVES * of_plain_moves,
        ),
    ]  # fmt: skip


def forecast_errors(broker: Results) -> list[float]:
    """Percent by which the forecast was off at each full minute."""
    rows = list(zip(broker["forecast"], broker["came"], strict=True))[1:]
    return [100.0 * (forecast - came) / max(came, 1) for forecast, came in rows]


def relative_errors(pairs: Results) -> list[float | None]:
    """Percent by which each measured figure is off; None where it is unknown."""
    return [
        None if found is None else 100.0 * (found - truth) / truth
        for truth, found in zip(pairs["truth"], pairs["measured"], strict=True)
    ]


def _broker(broker: Results) -> list[Target]:
    if "left_out" in broker:
        return [Target("real broker", "forecast, speeds, rates", broker["left_out"], None)]
    forecast = forecast_errors(broker)
    return [
        Target(
            "forecast of total lag, every minute", f"{FORECAST_PERCENT:.0f} %",
            ", ".join(f"{error:+.1f} %" for error in forecast),
            max(map(abs, forecast)) <= FORECAST_PERCENT,
        ),
        _errors("measured speeds", broker["speeds"], SPEED_PERCENT),
        _errors("measured rates", broker["rates"], RATE_PERCENT),
    ]  # fmt: skip


def _errors(name: str, pairs: Results, most: float) -> Target:
    errors = relative_errors(pairs)
    known = [abs(error) for error in errors if error is not None]
    figures = f"{max(known, default=0.0):.1f} %, {len(known)} of {len(errors)} known"
    return Target(
        name, f"{most:.0f} %", figures, len(known) == len(errors) and max(known) <= most
    )  # fmt: skip


def _size(size: Results) -> list[Target]:
    goals = [
        Target(
            f"size: {case['words']}", "every size proved and as the closed form",
            f"{case['proved']} proved, {case['as_expected']} as expected of {case['sizes']}",
            case["proved"] == case["as_expected"] == case["sizes"],
        )
        for case in size["cases"]
    ]  # fmt: skip
    tiny = size["enumerated"]
    figures = f"{tiny['equal']} of {tiny['sizes']} sizes of {tiny['groups']} groups"
    met = tiny["equal"] == tiny["sizes"]
    return [*goals, Target("size: small groups", "proved and equal to enumeration", figures, met)]


def _cost(cost: Results) -> Target:
    percent = 100.0 * (cost["ratio"] - 1.0)
    figures = (
        f"{percent:+.1f} %, {cost['work_s']:.2f} s against {cost['lag_s']:.2f} s of CPU time,"
        f" {cost['pairs']} pairs"
    )
    name = f"plan of {cost['members']:,} × {cost['partitions']:,} by work against lag"
    return Target(name, f"within {COST_PERCENT:.0f} %", figures, percent <= COST_PERCENT)
