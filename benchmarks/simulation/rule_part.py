"""The part `rules`: every scenario under every rule, for all seeds."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from benchmarks.simulation.episode import COMMIT_S, PAUSE_S, Outcome, run_episode
from benchmarks.simulation.rules import RULES, Settings
from benchmarks.simulation.scenarios import SCENARIOS, SIGMA, SPEED, Scenario

SEEDS: Final = 20
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
    }  # fmt: skip


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
