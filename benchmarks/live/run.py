"""Load on live groups, each scenario against its targets.

    python -m benchmarks.live.run [--only slow-member …] [--seconds 480] [--sides by-work …]
        [--option by-work='--every 5s' …] [--seed 2] [--out .cache/live]

Prints the figures with their targets, and exits with 1 if a target is missed. `--seconds` shortens
the scenarios, with all their changes; `--option` stands in for the options of a steward, to try
others.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from benchmarks.kafka_broker import CHECKOUT
from benchmarks.live.load_run import measured_scenario, versions
from benchmarks.live.load_scenarios import SCENARIOS, SEED, LoadScenario, scenario_of
from benchmarks.live.load_targets import judged_load

OUT: Final = CHECKOUT / ".cache" / "live"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live.run")
    parser.add_argument("--only", nargs="*", choices=list(SCENARIOS), default=list(SCENARIOS))
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--sides", nargs="*", metavar="SIDE", help="by-work is needed")
    parser.add_argument("--option", action="append", default=[], metavar="SIDE=OPTIONS")
    parser.add_argument("--seed", type=int, default=SEED, help="of the arrivals")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args(arguments)
    met = True
    for name in args.only:
        scenario = changed(scenario_of(name, args.seconds, args.seed), args.sides, args.option)
        results = measure(scenario, args.out)
        for goal in judged_load(results):
            print(goal, flush=True)  # noqa: T201
            met &= goal.met is not False
    return 0 if met else 1


def changed(
    scenario: LoadScenario, names: Sequence[str] | None, options: Sequence[str]
) -> LoadScenario:
    """Return the scenario with some of its groups, and with these options of their stewards."""
    given = dict(option.split("=", 1) for option in options)
    sides = tuple(
        replace(side, options=tuple(shlex.split(given[side.name]))) if side.name in given else side
        for side in scenario.sides
        if names is None or side.name in names
    )
    return replace(scenario, sides=sides)


def measure(scenario: LoadScenario, out: Path) -> dict[str, Any]:
    """Run the scenario, and write its figures and the logs of its stewards to a folder."""
    out.mkdir(parents=True, exist_ok=True)
    results = measured_scenario(scenario, out)
    text = json.dumps(results, indent=1)
    (out / f"load-{scenario.name}.json").write_text(text + "\n", "utf-8")
    return results


def keep(name: str, figures: dict[str, Any]) -> None:
    """Write the figures of one case, with the day, the load of the last minutes and versions."""
    OUT.mkdir(parents=True, exist_ok=True)
    when, load = datetime.now(UTC).isoformat(timespec="seconds"), os.getloadavg()[1]
    now = {"when": when, "load": round(load, 1), "versions": versions()}
    text = json.dumps({"case": name, **figures, **now}, indent=1)
    (OUT / f"{name}.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
