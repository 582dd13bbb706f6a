"""Compare all peers on every case of `inputs`, on one machine in one run.

    python -m benchmarks.assignors.run [--full] [--only REGEX] [--peers REGEX] [--out results.json]

Prints the figures with their targets, and exits with 1 if a target is missed. With `--only`, just
the cells are measured, unless `--parts` names other parts.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from benchmarks.assignors import frontier, limits
from benchmarks.assignors.cells import Peer, Slow, cell
from benchmarks.assignors.inputs import full, short
from benchmarks.assignors.parts import PARTS
from benchmarks.assignors.peers import PEERS, CallBudget
from benchmarks.assignors.report import markdown
from benchmarks.assignors.targets import judged, missed
from benchmarks.machine import machine

BUDGETS: Final = {
    "short": CallBudget(warm_s=0.2, measure_s=0.2, limit_s=3.0),
    "full": CallBudget(warm_s=0.2, measure_s=0.3, limit_s=60.0),
}
"""A peer that needs longer than the limit for a call has timed out; short runs have less time."""
MEASURED: Final = ("cells", "limits", "frontier", *PARTS)
PACKAGES: Final = ("equilag", "numpy", "ortools", "networkx")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.assignors.run")
    parser.add_argument("--full", action="store_true", help="all cases, not a representative part")
    parser.add_argument("--only", default="", metavar="REGEX", help="cases whose names it matches")
    parser.add_argument("--peers", default="", metavar="REGEX", help="peers whose names it matches")
    parser.add_argument("--parts", nargs="*", choices=MEASURED, help="what to measure")
    parser.add_argument("--out", type=Path, default=Path(".cache/bench-assignors.json"))
    parser.add_argument("--resume", action="store_true", help="continue the run in --out")
    args = parser.parse_args(arguments)
    parts = args.parts or (("cells",) if args.only else MEASURED)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    peers = [peer for peer in PEERS if re.search(args.peers, peer.name)]
    before = json.loads(args.out.read_text("utf-8")) if args.resume else None
    mode = "full" if args.full else "short"
    results = measure(mode, args.only, peers, parts, args.out, before)
    print(markdown(results))  # noqa: T201
    targets = judged(results)
    print("\n".join(map(str, targets)))  # noqa: T201
    return 1 if missed(targets) else 0


def measure(
    mode: str,
    only: str,
    peers: Sequence[Peer],
    parts: Sequence[str],
    out: Path,
    before: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Measure all parts and write the results to `out` after each step.

    An interrupted run can be continued: `before` are the results that it has written.
    """
    start = time.monotonic()
    results: dict[str, Any] = before or {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "versions": versions(),
        "mode": mode,
        "cells": [],
        "limits": {},
        "frontier": {},
        **{name: [] for name in PARTS},
    }
    missing = {peer.name: why for peer in peers if (why := peer.missing())}
    for name, why in missing.items():
        say(f"without {name}: {why}")
    if "cells" in parts:
        cells(results, mode, only, peers, out)
    if "limits" in parts:
        say("time limits, memory, loading")
        results["limits"] = limits.measure(limits.FULL if mode == "full" else limits.SHORT)
    if "frontier" in parts:
        say("the front of moves against lag")
        results["frontier"] = frontier.front(frontier.FULL if mode == "full" else frontier.SHORT)
    for name, part in PARTS.items():
        if name in parts:
            say(part.words)
            results[name] = part.measure(mode)
    results["seconds"] = time.monotonic() - start
    write(results, out)
    return results


def cells(results: dict[str, Any], mode: str, only: str, peers: Sequence[Peer], out: Path) -> None:
    slow = Slow()
    done = {found["case"]: found for found in results["cells"]}
    with tempfile.TemporaryDirectory(prefix="bench-assignors-") as folder:
        for case in full(only) if mode == "full" else short(only):
            if earlier := done.get(case.name):
                for peer, answer in earlier["answers"].items():
                    slow.note(peer, case, answer)
                continue
            start = time.monotonic()
            found = cell(case, peers, BUDGETS[mode], slow, Path(folder))
            results["cells"].append(found)
            for answer in found["answers"].values():
                library, _, number = answer.get("version", "").rpartition(" ")
                if library:
                    results["versions"][library] = number
            write(results, out)
            say(f"{case.name}: {brief(found)} [{time.monotonic() - start:.0f} s]")


def brief(found: dict[str, Any]) -> str:
    """Return a cell as one line of progress."""
    words = []
    for peer, answer in found["answers"].items():
        if "assign_ms" in answer:
            counts = "" if answer["counts_optimal"] else "!"
            words.append(f"{peer} {answer['assign_ms']:.3g}{counts}")
        elif "skipped" not in answer:
            words.append(f"{peer} {'time-out' if 'timeout' in answer else 'error'}")
    return ", ".join(words)


def versions() -> dict[str, str]:
    """Return the versions of Python and its packages; results have those of the peers."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def write(results: dict[str, Any], out: Path) -> None:
    part = out.with_suffix(".part")
    part.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    part.replace(out)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
