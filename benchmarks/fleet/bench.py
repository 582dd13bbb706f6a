"""Fleets at scale: `equilag fleet` on generated histories, and a plain loop of the same solves.

    python -m benchmarks.fleet.bench [--groups 5000] [--partitions 2000000] [--out RESULTS.json]

One run measures the time of each stage, the peak memory, how the time per group grows from a tenth
of the groups to all of them, and the overhead of Spark. Exits with 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq

from benchmarks.fleet.history import write_history
from benchmarks.fleet.memory import run_watched
from benchmarks.fleet.settings import HistorySettings
from benchmarks.fleet.targets import judged, memory_line
from benchmarks.machine import machine
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.policy.policy import Policy
from equilag.pipeline.fleet_options import GroupSettings
from equilag.pipeline.group_result import PlanGroup
from equilag.pipeline.results.export import export_group
from equilag.planner.solve import solve

EFFORT: Final = 0.05
"""Seconds of counted effort per group: half the default, so that the run takes some minutes."""
BATCH: Final = 16
"""Problems that the plain loop reads at a time, as a task of the solve stage does."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fleet.bench")
    parser.add_argument("--groups", type=int, default=5_000)
    parser.add_argument("--partitions", type=int, default=2_000_000)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/fleet/results.json"))
    args = parser.parse_args(arguments)
    work = Path(tempfile.mkdtemp(prefix="bench-fleet-"))
    try:
        result = measure(work, args.groups, args.partitions)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    args.out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    targets = judged(result)
    print("\n".join([*map(str, targets), memory_line(result)]))  # noqa: T201
    return 0 if all(target.met for target in targets) else 1


def measure(work: Path, groups: int, partitions: int) -> dict[str, Any]:
    say("the demo: 500 groups, 50,000 partitions, with faults")
    demo = fleet(work / "demo", HistorySettings(500, 50_000, faults=True), "--horizon", "3m")
    same = same_as_the_command(work / "demo" / "run")
    say(f"{groups // 10:,} groups")
    small = fleet(work / "small", HistorySettings(groups // 10, partitions // 10))
    say(f"{groups:,} groups, {partitions:,} partitions")
    large = fleet(work / "large", HistorySettings(groups, partitions))
    say("the same solves in a bare loop")
    loop = bare_loop(work / "large" / "run")
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "versions": large["summary"]["versions"],
        "effort": EFFORT,
        "demo": demo,
        "same": same,
        "small": small,
        "large": large,
        "loop": loop,
    }


def fleet(folder: Path, settings: HistorySettings, *options: str) -> dict[str, Any]:
    """Generate a history and plan it with the command, as users do."""
    start = time.monotonic()
    made = write_history(folder / "history", settings)
    making = time.monotonic() - start
    command = [
        str(Path(sys.executable).with_name("equilag")), "fleet", "--json",
        *("--history", str(folder / "history"), "--out", str(folder / "run")),
        *("--effort", str(EFFORT)), *options,
    ]  # fmt: skip
    ran = run_watched(command)
    if ran.status:
        raise SystemExit(f"equilag fleet failed with {ran.status}: {ran.stderr[-2000:]}")
    summary = json.loads(ran.stdout)
    say(f"  {ran.seconds:.0f} s, of which solve {summary['stages_s']['solve']:.0f} s")
    return {
        "offset_rows": made["rows"],
        "making_s": making,
        "command_s": ran.seconds,
        "peak_mib": ran.peaks,
        "summary": {k: v for k, v in summary.items() if k != "settings"},
    }


def same_as_the_command(run: Path, by_command: int = 12) -> dict[str, int]:
    """Plan every group again from its exported snapshot and count the equal plans.

    All groups are planned by the library call that `equilag plan` makes. The `by_command` largest
    groups and as many others are also planned by the command.
    """
    plans = pq.read_table(run / "plans", columns=["group", "partitions"]).to_pylist()
    plans.sort(key=lambda row: -row["partitions"])
    named = [row["group"] for row in plans]
    equal = commands = 0
    chosen = {*named[:by_command], *named[:: max(1, len(named) // by_command)]}
    for group in named:
        snapshot, plan = export_group(str(run), group)
        loaded = load_snapshot(snapshot)
        again = solve(
            loaded, plan.policy or "lag-aware", seed=plan.seed,
            effort=plan.effort, time_limit=plan.time_limit or 0.0,
        )  # fmt: skip
        equal += bool(np.array_equal(again.assigned, plan.assigned) and again.claims == plan.claims)
        if group in chosen:
            commands += planned_by_command(run.parent, snapshot, plan.to_dict())
    return {
        "groups": len(named), "equal": equal, "commands": len(chosen), "equal_commands": commands
    }  # fmt: skip


def planned_by_command(folder: Path, snapshot: dict[str, Any], plan: dict[str, Any]) -> bool:
    path = folder / "one.json"
    path.write_text(json.dumps(snapshot), "utf-8")
    policy = plan["policy"]
    command = [
        str(Path(sys.executable).with_name("equilag")), "plan", str(path), "--json",
        *("--effort", str(policy["effort"]), "--seed", str(policy["seed"])),
        *("--time-limit", str(plan["timing"]["time_limit_s"])),
    ]  # fmt: skip
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    again = json.loads(answer.stdout)
    return all(again[part] == plan[part] for part in plan if part != "timing")


def bare_loop(run: Path) -> dict[str, float]:
    """Read, solve and compare the problems of a run in this process, one after the other."""
    planner = PlanGroup("work")
    settings = GroupSettings(Policy(), EFFORT, 60.0, 0)
    groups = 0
    start = time.monotonic()
    for file in sorted((run / "problems").glob("*.parquet")):
        parquet = pq.ParquetFile(file)
        columns = ["group", "state", "last_ms", "topics", "members"]
        for batch in parquet.iter_batches(BATCH, columns=columns):
            for problem in batch.to_pylist():
                if problem["state"] == "ready":
                    planner(problem, settings)
                    groups += 1
    return {"groups": groups, "seconds": time.monotonic() - start}


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
