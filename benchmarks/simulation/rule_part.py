"""The part `rules`: every scenario under every rule, for all seeds."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from benchmarks.simulation.episode import COMMIT_S, PAUSE_S, Outcome, run_episode
from benchmarks.simulation.rules import OWN, RULES, Settings
from benchmarks.simulation.scenarios import SCENARIOS, SIGMA, SPEED, Scenario

SEEDS: Final = 20
TRIED: Final[dict[str, dict[str, float]]] = {
    "as above": {},
    "tolerance 1 %": {"tolerance": 1.0},
    "tolerance 10 %": {"tolerance": 10.0},
    "horizon 1 min": {"horizon_s": 60.0},
    "horizon 15 min": {"horizon_s": 900.0},
    "rates over 30 s": {"window_s": 30},
    "gain of 50 %": {"gain_percent": 50.0},
}
"""Settings that an operator could choose, each beside the default ones."""
TRIED_ON: Final = "slow"
"""The scenario that they are tried on: one where speeds count."""
TRIED_SEEDS: Final = 5
FIGURES: Final = ("age_p95_s", "age_max_s", "lag", "moves", "rebalances", "plans")


def measure(seeds: int = SEEDS) -> dict[str, Any]:
    """Return the figures of all scenarios with the settings behind them."""
    settings = Settings()
    return {
        "seeds": seeds,
        "settings": {
            **asdict(settings), "commit_s": COMMIT_S, "pause_s": PAUSE_S, "sigma": SIGMA,
            "speed": SPEED,
        },
        "scenarios": [_scenario(scenario, range(seeds), settings) for scenario in SCENARIOS],
        "tried": [_tried(words, min(seeds, TRIED_SEEDS)) for words in TRIED],
    }  # fmt: skip


def _tried(words: str, seeds: int) -> dict[str, Any]:
    """Work per speed with other settings in the scenario TRIED_ON."""
    settings = Settings(**TRIED[words])  # type: ignore[arg-type]
    scripts = [s.script(seed) for s in SCENARIOS if s.name == TRIED_ON for seed in range(seeds)]
    found: dict[str, Any] = {"words": words, "seeds": seeds}
    for rule in RULES:
        if rule.by_speed:
            found[rule.name] = summary([run_episode(one, rule, settings) for one in scripts])
    say(f"  {words}: {found[OWN]['age_p95_s']['median']:.1f} s")
    return found


def _scenario(scenario: Scenario, seeds: Sequence[int], settings: Settings) -> dict[str, Any]:
    scripts = [scenario.script(seed) for seed in seeds]
    rows = []
    for rule in RULES:
        outcomes = [run_episode(script, rule, settings) for script in scripts]
        rows.append({"rule": rule.name, "words": rule.words, **summary(outcomes)})
        say(f"  {scenario.name}, {rule.name}: {rows[-1]['age_p95_s']['median']:.1f} s")
    return {"name": scenario.name, "words": scenario.words, "rules": rows}


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Median and worst of each figure over the seeds, and the values of every seed."""
    columns = {name: [round(getattr(one, name), 2) for one in outcomes] for name in FIGURES}
    figures: dict[str, Any] = {
        name: {"median": statistics.median(values), "worst": max(values), "seeds": values}
        for name, values in columns.items()
    }
    return {**figures, "cpu_s": round(statistics.fmean(one.cpu_s for one in outcomes), 2)}


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201
