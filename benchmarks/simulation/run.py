"""Rules in a simulation, a forecast against a real broker, sizes and cost, each with its targets.

    python -m benchmarks.simulation.run [--parts rules scale …] [--seeds 20] [--out F.json]

Prints the figures with their targets, and exits with 1 if a target is missed. With `--parts`, the
others stay in the results as they were.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from benchmarks.machine import machine
from benchmarks.simulation import broker_part, cost_part, rule_part, scale_part, size_part
from benchmarks.simulation.targets import judged

PARTS: Final = ("rules", "scale", "broker", "size", "cost")
PACKAGES: Final = ("equilag", "numpy", "ortools", "confluent-kafka")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulation.run")
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=PARTS)
    parser.add_argument("--seeds", type=int, default=rule_part.SEEDS)
    parser.add_argument("--out", type=Path, default=Path(".cache/bench-simulation.json"))
    args = parser.parse_args(arguments)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = json.loads(args.out.read_text("utf-8")) if args.out.exists() else {}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    run: dict[str, Any] = {
        "when": now,
        "machine": machine(),
        "versions": {
            "python": platform.python_version(), **{name: version(name) for name in PACKAGES}
        },
    }  # fmt: skip
    # A part that is run alone has a time of its own.
    results = results | run if set(args.parts) == set(PARTS) else run | results
    for part in args.parts:
        rule_part.say(part)
        results[part] = measured(part, args.seeds) | {"when": now}
        args.out.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    goals = judged(results)
    print("\n".join(map(str, goals)))  # noqa: T201
    return 0 if all(goal.met is not False for goal in goals) else 1


def measured(part: str, seeds: int) -> dict[str, Any]:
    match part:
        case "rules":
            return rule_part.measure(seeds)
        case "scale":
            return scale_part.measure(seeds)
        case "broker":
            return broker_part.measure()
        case "size":
            return size_part.measure()
        case _:
            return cost_part.measure()


if __name__ == "__main__":
    sys.exit(main())
