"""The tables of an ablation: python -m benchmarks.ablation.table RESULTS --out PAGE."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Final

from benchmarks.ablation.run import ALL
from benchmarks.ablation.switches import STAGES

SURE: Final = 2.0
"""Standard errors that a mean change has to be away from zero."""
LEAST: Final = 0.005
"""Percentage points below which a change is none."""

HEAD: Final = (
    "| group | run | gap | worst gap | heaviest above the mean | proved |",
    "|---|---|---|---|---|---|",
)
Rows = dict[str, list[dict[str, Any]]]
"""What was left out -> one outcome for each seed, in their order."""


def page(results: dict[str, Any]) -> str:
    by_kind: dict[str, Rows] = defaultdict(lambda: defaultdict(list))
    for one in results["outcomes"]:
        by_kind[one["kind"]][one["left_out"]].append(one)
    stages = [one for one in STAGES if any(one in rows for rows in by_kind.values())]
    changes = {
        name: {kind: change(rows, name) for kind, rows in by_kind.items()} for name in stages
    }
    silent = [name for name, row in changes.items() if not any(row.values())]
    machine = results["machine"]
    setting = (
        f"Each stage left out, over {results['seeds']} seeds of each kind of group at an effort of"
        f" {results['effort']:g} ({machine['cpu']}, {machine['cores']} cores). Percent of the mean"
        " load; mean ± standard deviation over seeds. Gap: of the spread to the best bound that any"
        " of the runs of a seed proved."
    )
    reading = (
        "Change of the spread in percentage points, ± the standard error over paired seeds, where"
        f" it is more than {SURE:g} of them from 0; and proofs gained (+) or lost (-):"
    )
    lines = ["# Ablation", "", setting, "", *HEAD]
    lines += [line for kind, rows in by_kind.items() for line in whole(kind, rows)]
    lines += ["", reading, "", "| left out | group | change |", "|---|---|---|"]
    for name, row in changes.items():
        lines += [f"| {name} | {kind} | {text} |" for kind, text in row.items() if text]
    lines += ["", f"No change anywhere: {', '.join(silent) or 'none'}.", ""]
    return "\n".join(lines)


def whole(kind: str, rows: Rows) -> list[str]:
    """The run with every stage, and the simple rules beside it."""
    bounds: dict[int, float] = defaultdict(float)
    for one in chain.from_iterable(rows.values()):
        bounds[one["seed"]] = max(bounds[one["seed"]], one["bound"])
    lines = []
    for name in [ALL, *(name for name in rows if name not in (ALL, *STAGES))]:
        found = rows[name]
        gaps = [one["spread"] - bounds[one["seed"]] for one in found if one["spread"] is not None]
        heaviest = [one["heaviest"] for one in found]
        words = name.replace("_", " ")
        proved = f"{sum(one['proved'] for one in found)} of {len(found)}"
        worst = f"{max(gaps):.3g}" if gaps else ""
        lines.append(
            f"| {kind} | {words} | {spread_of(gaps)} | {worst} | {spread_of(heaviest)} | {proved} |"
        )
    return lines


def change(rows: Rows, name: str) -> str:
    """What leaving out `name` changes; nothing where that is less than the seeds do."""
    pairs = list(zip(rows[ALL], rows[name], strict=True))
    by = [other["spread"] - one["spread"] for one, other in pairs]
    mean, error = fmean(by), (stdev(by) if len(by) > 1 else 0.0) / len(by) ** 0.5
    proofs = sum(other["proved"] for _, other in pairs) - sum(one["proved"] for one, _ in pairs)
    words = [f"{mean:+.3g} ± {error:.2g}"] if abs(mean) > max(LEAST, SURE * error) else []
    words += [f"{proofs:+d} proofs"] if proofs else []
    return ", ".join(words)


def spread_of(values: Sequence[float]) -> str:
    if not values:
        return ""
    return f"{fmean(values):.3g} ± {stdev(values) if len(values) > 1 else 0.0:.2g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.write_text(page(json.loads(given.results.read_text("utf-8"))), "utf-8")


if __name__ == "__main__":
    main()
