"""Measure equilag alone in a separate process: proof, time limit, memory.

    python -m benchmarks.assignors.own CASE --limits 2 --times 1 --prove
    python -m benchmarks.assignors.own --snapshot FILE --limits 10
    python -m benchmarks.assignors.own --snapshot FILE --loading 5

Prints one JSON object. The first call includes the imports, as it does for users.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.assignors.case import Case
from benchmarks.assignors.inputs import named
from benchmarks.assignors.measuring import peak_mib
from equilag.domain.group.group import Group


def ask(*arguments: str, limit: float) -> dict[str, Any]:
    """Run this module in a child process for at most `limit` seconds.

    Returns the object that it printed, or ``{"error": ...}``.
    """
    command = [sys.executable, "-m", "benchmarks.assignors.own", *arguments]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"not finished within {limit:.0f} s"}
    if ran.returncode:
        return {"error": f"status {ran.returncode}: {ran.stderr.strip()[-500:]}"}
    answer: dict[str, Any] = json.loads(ran.stdout)
    return answer


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.assignors.own")
    parser.add_argument("case", nargs="?")
    parser.add_argument("--snapshot", type=Path)
    parser.add_argument("--limits", type=float, nargs="+", default=[])
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--prove", action="store_true")
    parser.add_argument("--loading", type=int, default=0)
    args = parser.parse_args(arguments)
    answer: dict[str, Any] = {}
    if args.loading:
        answer |= loading(args.snapshot, args.loading)
    elif args.snapshot is not None:
        answer |= planned_from(args.snapshot, args.limits[0])
    else:
        case = named(args.case)
        answer["runs"] = runs(case.group(), args.limits, args.times)
        if args.prove:
            answer |= quality(case, args.limits[0])
    answer["peak_mib"] = peak_mib() or 0.0
    print(json.dumps(answer))  # noqa: T201
    return 0


def runs(group: Group, limits: Sequence[float], times: int) -> list[dict[str, float]]:
    """Run each limit `times` times; return the seconds to the plan, and to the first valid plan."""
    from equilag.planner.solve import solve
    from equilag.planner.solving.stage import Progress

    measured = []
    for _ in range(times):
        for limit in limits:
            seen: list[float] = []

            def watch(progress: Progress, seen: list[float] = seen) -> None:
                if progress.spread is not None and not seen:
                    seen.append(progress.elapsed)

            gc.collect()
            start = time.monotonic()
            solve(group, time_limit=limit, tolerance=0, progress=watch)
            wall = time.monotonic() - start
            measured.append({"limit": limit, "wall": wall, "first_valid": min([*seen, wall])})
    return measured


def quality(case: Case, limit: float) -> dict[str, Any]:
    """Plan a case with the default policy; return its figures, evaluated and verified."""
    from benchmarks.assignors.prove import proved_by
    from equilag.planner.solve import solve

    start = time.monotonic()
    plan = solve(case.group(), time_limit=limit, tolerance=0)
    wall = time.monotonic() - start
    proof, figures = proved_by(case, plan)
    figures_beside = figures.beside(proof)
    return {
        "wall": wall,
        "status": plan.status,
        "algorithm": plan.algorithm,
        "evidence": {claim.claim: claim.evidence for claim in plan.claims},
        "notes": list(plan.notes),
        "proved": proof.to_dict(figures.mean),
        "figures": figures_beside,
    }


def planned_from(snapshot: Path, limit: float) -> dict[str, Any]:
    """Load a snapshot, plan it and write the plan as text, as `equilag plan` does."""
    from equilag.adapters.snapshot.read_input import load_snapshot
    from equilag.planner.solve import solve

    plan = solve(load_snapshot(snapshot), time_limit=limit, tolerance=0)
    return {"bytes": len(json.dumps(plan.to_dict())), "status": plan.status}


def loading(snapshot: Path, times: int) -> dict[str, Any]:
    """Measure loading a snapshot and parsing the same file as plain JSON, alternately."""
    from equilag.adapters.snapshot.read_input import load_snapshot

    load, parse = [], []
    for _ in range(times + 1):
        gc.collect()
        start = time.perf_counter()
        parsed = json.loads(snapshot.read_text("utf-8"))
        parse.append(time.perf_counter() - start)
        del parsed
        gc.collect()
        start = time.perf_counter()
        group = load_snapshot(snapshot)
        load.append(time.perf_counter() - start)
        del group
    return {"load_s": load[1:], "parse_s": parse[1:]}  # the first round is the warm-up


if __name__ == "__main__":
    sys.exit(main())
