"""Compare all peers on every case of `inputs`, on one machine in one run.

    python -m benchmarks.assignors.run [--full] [--only REGEX] [--peers REGEX] [--out results.json]

Prints the figures with their targets, and exits with 1 if a target is missed. With `--only`, just
the cells are measured, unless `--parts` names other parts.
"""

from __future__ import annotations

import argparse
import json
import os
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
from benchmarks.assignors.cells import PARTLY, Peer, Slow, cell
from benchmarks.assignors.inputs import SHORT, full, short
from benchmarks.assignors.parts import PARTS
from benchmarks.assignors.peers import PEERS, CallBudget
from benchmarks.assignors.report import markdown
from benchmarks.assignors.targets import judged, missed
from benchmarks.machine import machine

BUDGETS: Final = {
    "short": CallBudget(warm_s=0.2, measure_s=0.2, limit_s=3.0),
    "full": CallBudget(warm_s=0.2, measure_s=0.3, limit_s=20.0),
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
    args.out.parent.mkdir(parents=True, exist_ok=True)
    peers = [peer for peer in PEERS if re.search(args.peers, peer.name)]
    before = json.loads(args.out.read_text("utf-8")) if args.resume else None
    done = before.setdefault("runs", {}) if before else {}
    rest = [part for part in MEASURED if part not in done]
    parts = args.parts or (("cells",) if args.only else rest)
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

    An interrupted run can be continued, and parts of an earlier one renewed: `before` are the
    results that it has written.
    """
    results: dict[str, Any] = before or {
        "when": now(),
        "machine": machine(),
        "versions": versions(),
        "mode": mode,
        "runs": {},
        "cells": [],
        "limits": {},
        "frontier": {},
        **{name: [] for name in PARTS},
    }
    missing = {peer.name: why for peer in peers if (why := peer.missing())}
    for name, why in missing.items():
        say(f"without {name}: {why}")
    for name in parts:
        start = time.monotonic()
        if name == "cells":
            cells(results, mode, only, peers, out)
        elif name == "limits":
            results[name] = limits.measure(limits.FULL if mode == "full" else limits.SHORT)
        elif name == "frontier":
            results[name] = frontier.front(frontier.FULL if mode == "full" else frontier.SHORT)
        else:
            results[name] = PARTS[name].measure(mode)
        seconds, load = round(time.monotonic() - start), round(os.getloadavg()[2])
        results["runs"][name] = {"until": now(), "mode": mode, "seconds": seconds, "load": load}
        say(f"{name} [{seconds} s]")
        write(results, out)
    return results


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


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
            some = [p for p in peers if p.name not in PARTLY or case.name in SHORT]
            found = cell(case, some, BUDGETS[mode], slow, Path(folder))
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
