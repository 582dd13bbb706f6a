"""The tables and pictures of a run, from its JSON.

    python -m benchmarks.assignors.report RESULTS.json --out FOLDER

Leaves `report.md`, `quality.svg` (lag quality against time, one dot for each assignor) and
`front.svg` (what moves buy) in the folder.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.assignors.cells import HEURISTIC, TWINS
from benchmarks.assignors.drawing import Dot, LogAxis, scatter
from benchmarks.assignors.inputs import FRONT
from benchmarks.assignors.parts import PARTS
from benchmarks.assignors.target import Results, summary
from benchmarks.assignors.targets import OWN, Cell, judged

LEAST_ABOVE: Final = 1e-6
"""Percent above the mean load that a picture still tells apart."""
LEAST_MS: Final = 0.001
LEAST_MOVES: Final = 0.1
MOST_ROWS: Final = 10
"""A part with more rows is only in targets and JSON."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.assignors.report")
    parser.add_argument("results", type=Path)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    args = parser.parse_args(arguments)
    results = json.loads(args.results.read_text("utf-8"))
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "report.md").write_text(markdown(results), "utf-8")
    for name, picture in (("quality.svg", quality_svg(results)), ("front.svg", front_svg(results))):
        if picture:
            (args.out / name).write_text(picture, "utf-8")
    return 0


def markdown(results: Results) -> str:
    """Targets, assignors in sum and by family, and the cells in which a peer is ahead."""
    cells: list[Cell] = results["cells"]
    machine, versions = results["machine"], results["versions"]
    where = f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB"
    lines = [
        "# The benchmark of assignors: figures of the last run",
        "",
        f"`make bench-full`: run of {results['when']} ({results['mode']}) on {where}; "
        + ", ".join(f"{name} {what}" for name, what in versions.items())
        + ". Every cell is in `benchmarks/assignors/results.json`.",
        "",
        *runs_line(results),
        "`!`: member counts are not the most even ones; `~`: not run, since a smaller case of the",
        "family timed out. Peak memory includes the runtime and the input; Java's heap is 4 GiB.",
        "",
        "## Targets",
        "",
        *summary(judged(results)),
    ]
    compared = [cell for cell in cells if len(cell["answers"]) > 1]
    if plain := [cell for cell in compared if cell["lags"] == "none"]:
        lines += ["", "## Assignors on groups without lags", "", *assignors_table(plain)]
        legend = LEGEND.format(claims=_with_claims(plain)).splitlines()
        lines += ["", "## Time by family", "", *legend, "", *families_table(plain)]
        lines += ["", "## Where a peer is ahead", "", *ahead(plain)]
    if lagging := [cell for cell in compared if cell["lags"] != "none"]:
        lines += ["", "## Largest lag of a member over the mean", "", *loads_table(lagging)]
    alone = [cell for cell in cells if len(cell["answers"]) == 1 and OWN in cell["answers"]]
    if alone:
        lines += ["", "## Lag, equilag alone", "", *alone_table(alone)]
    for name, part in PARTS.items():
        rows = part.module.rows(results.get(name, []))
        if 0 < len(rows) <= MOST_ROWS:
            lines += ["", f"## {part.title}", "", *_table(part.module.HEAD, rows)]
    return "\n".join([*lines, ""])


def runs_line(results: Results) -> list[str]:
    """When each part ended, and beside how much other work."""
    runs = [
        f"{name} {run['until'][:16]} ({run['load']})"
        for name, run in results.get("runs", {}).items()
    ]
    return [f"End and load of each part: {'; '.join(runs)}.", ""] if runs else []


LEGEND: Final = """\
Assignment alone, as a multiple of equilag's time: geometric means over the cells that both
answered. equilag takes {claims} times as long when the plan's claims are read, too."""


SUM: Final = (
    "assignor", "answers", "counts optimal", "and fewest moves", "time against equilag",
    "peak memory, MiB",
)  # fmt: skip


def assignors_table(cells: list[Cell]) -> list[str]:
    """Over all cells: how often exact, and how long against equilag (geometric means)."""
    rows = []
    for peer in _peers(cells):
        found = [cell["answers"][peer] for cell in cells if peer in cell["answers"]]
        done = [answer for answer in found if "assign_ms" in answer]
        skipped = [answer["skipped"] for answer in found if "skipped" in answer]
        if not done and skipped:
            rows.append((peer, f"not run: {skipped[0]}", *[""] * (len(SUM) - 2)))
            continue
        even = [answer for answer in done if answer["counts_optimal"]]
        late = sum("timeout" in answer for answer in found)
        failed = sum("error" in answer or not answer.get("valid", True) for answer in found)
        others = [f"{n} {what}" for n, what in ((late, "timed out"), (failed, "failed")) if n]
        rows.append(
            (
                peer,
                ", ".join([f"{len(done)} of {len(found)}", *others]),
                str(len(even)),
                str(sum(answer["excess_moves"] == 0 for answer in even)),
                _against_own(cells, peer),
                f"{max((answer['peak_mib'] or 0.0 for answer in done), default=0.0):,.0f}",
            )
        )
    return _table(SUM, rows)


def _against_own(cells: list[Cell], peer: str) -> str:
    pairs = [(cell["answers"].get(peer, {}), cell["answers"].get(OWN, {})) for cell in cells]
    ratios = [
        other["assign_ms"] / own["assign_ms"]
        for other, own in pairs
        if "assign_ms" in other and "assign_ms" in own
    ]
    ratios = [ratio for ratio in ratios if ratio > 0.0]
    return f"{math.exp(statistics.fmean(map(math.log, ratios))):.2f}" if ratios else ""


def families_table(cells: list[Cell]) -> list[str]:
    """Times against equilag in each family."""
    peers = [peer for peer in _peers(cells) if peer not in (OWN, *TWINS)]
    rows = []
    for family in dict.fromkeys(cell["family"] for cell in cells):
        ours = [cell for cell in cells if cell["family"] == family]
        rows.append((family, str(len(ours)), *(_against_own(ours, peer) for peer in peers)))
    return _table(("family", "cells", *peers), rows)


def _with_claims(cells: list[Cell]) -> str:
    own = [cell["answers"].get(OWN, {}) for cell in cells]
    ratios = [
        1.0 + answer.get("extra", {}).get("proofs_ms", 0.0) / answer["assign_ms"]
        for answer in own
        if "assign_ms" in answer
    ]
    return f"{math.exp(statistics.fmean(map(math.log, ratios))):.2f}" if ratios else ""


def loads_table(cells: list[Cell]) -> list[str]:
    """The evenness that each assignor reaches where lags are known."""
    peers = [peer for peer in _peers(cells) if peer not in TWINS]
    rows = [(cell["case"], *(_load(cell["answers"].get(p)) for p in peers)) for cell in cells]
    return _table(("case", *peers), rows)


def _load(answer: dict[str, Any] | None) -> str:
    if answer is None or "skipped" in answer:
        return ""
    if "timeout" in answer:
        return f"> {answer['timeout']:.0f} s{' ~' if 'inferred_from' in answer else ''}"
    if "error" in answer:
        return "failed"
    if not answer["valid"]:
        return "not valid"
    return f"{answer['max_over_mean']:.5g}{'' if answer['counts_optimal'] else ' !'}"


def ahead(cells: list[Cell]) -> list[str]:
    """Cells in which a peer that reached the same counts and moves was faster than equilag,
    without the heuristic that is equilag's own."""
    found = []
    for cell in cells:
        own = cell["answers"].get(OWN, {})
        for peer, answer in cell["answers"].items():
            exact = answer.get("counts_optimal") and answer["excess_moves"] == 0
            if exact and "assign_ms" in own and peer not in (OWN, HEURISTIC):
                ratio = own["assign_ms"] / answer["assign_ms"]
                if ratio > 1.0:
                    found.append((ratio, cell["case"], peer))
    if not found:
        return ["In no cell."]
    slower = len({case for _, case, _ in found})
    ratio, case, peer = max(found)
    return [
        f"In {slower} of {len(cells)} cells, without {HEURISTIC} (equilag's own code); by up to",
        f"{ratio:.2f} times, in {case} ({peer}).",
    ]


def alone_table(cells: list[Cell]) -> list[str]:
    """One row for each shape of a group, over all its lags and seeds."""
    shapes: dict[str, list[Cell]] = {}
    for cell in cells:
        shapes.setdefault("/".join(cell["case"].split("/")[:2]), []).append(cell)
    rows = []
    for shape, ours in shapes.items():
        answers = [cell["answers"][OWN] for cell in ours]
        done = [answer for answer in answers if "error" not in answer]
        failed = [answer["error"] for answer in answers if "error" in answer]
        gaps = [answer["gap_percent"] for answer in done]
        rows.append(
            (
                shape,
                str(len(ours)) + (f", failed: {'; '.join(failed)}" if failed else ""),
                " or ".join(sorted({f"{answer['limit_s']:g} s" for answer in done})),
                f"{max(answer['assign_ms'] for answer in done) / 1000:.2f} s" if done else "",
                str(sum(answer["status"] == "optimal" for answer in done)),
                f"{statistics.median(gaps):.4g} %" if gaps else "",
                f"{max(gaps):.4g} %" if gaps else "",
            )
        )
    head = ("group", "runs", "limit", "longest", "optimal", "median gap", "largest gap")
    return _table(head, rows)


def better_each(front: dict[str, Any]) -> list[dict[str, Any]]:
    """The points that are more even than all of fewer moves: a run with a larger budget of moves
    may end with a worse plan."""
    found: list[dict[str, Any]] = []
    for point in front["points"]:
        if not found or point["max_over_mean"] < found[-1]["max_over_mean"]:
            found.append(point)
    return found


def quality_svg(results: Results) -> str | None:
    """One dot for each assignor on the case of the front; None where that was not run."""
    found = _cell(results, FRONT)
    if found is None:
        return None
    dots = [
        Dot(answer["assign_ms"], above(answer), peer, _kind(peer, answer))
        for peer, answer in found["answers"].items()
        if "assign_ms" in answer and answer["valid"]
    ]
    if not dots:
        return None
    across = LogAxis.over("milliseconds (median)", [dot.x for dot in dots], LEAST_MS)
    up = LogAxis.over("largest lag above the mean, %", [dot.y for dot in dots], LEAST_ABOVE)
    what = f"{found['members']:,} members, {found['partitions']:,} partitions"
    return scatter(f"Lag quality against time: {what}", across, up, dots)


def front_svg(results: Results) -> str | None:
    """The front, and each peer's plan beside it; None where it was not run."""
    front = results.get("frontier")
    if not front or not front["points"]:
        return None
    line = [Dot(p["moves"], above(p), "", "own") for p in better_each(front)]
    found = _cell(results, front["case"])
    dots = [
        Dot(answer["moves"], above(answer), peer, _kind(peer, answer))
        for peer, answer in (found["answers"].items() if found else ())
        if "assign_ms" in answer and answer["valid"]
    ]
    across = LogAxis.over(
        f"moves, beside the {front['free']:,} partitions of the member that left",
        [dot.x for dot in [*line, *dots]], LEAST_MOVES, zero=True,
    )  # fmt: skip
    up = LogAxis.over(
        "largest lag above the mean, %", [dot.y for dot in [*line, *dots]], LEAST_ABOVE
    )
    return scatter("What moves buy", across, up, dots, line)


def above(figures: dict[str, Any]) -> float:
    """Percent by which the largest load is above the mean."""
    return max(LEAST_ABOVE, 100.0 * (float(figures["max_over_mean"]) - 1.0))


def _kind(peer: str, answer: dict[str, Any]) -> str:
    if peer == OWN:
        return "own"
    return "other" if answer["counts_optimal"] else "hollow"


def _cell(results: Results, name: str) -> Cell | None:
    return next((cell for cell in results["cells"] if cell["case"] == name), None)


def _peers(cells: Iterable[Cell]) -> list[str]:
    names = dict.fromkeys(peer for cell in cells for peer in cell["answers"])
    return sorted(names, key=lambda peer: peer != OWN)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows)]


if __name__ == "__main__":
    sys.exit(main())
