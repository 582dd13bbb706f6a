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

from benchmarks.assignors.drawing import Dot, LogAxis, scatter
from benchmarks.assignors.inputs import FRONT
from benchmarks.assignors.parts import PARTS
from benchmarks.assignors.target import Results
from benchmarks.assignors.targets import OWN, Cell, judged

LEAST_ABOVE: Final = 1e-6
"""Percent above the mean load that a picture still tells apart."""
LEAST_MS: Final = 0.001
PROOFS: Final = 0.05
"""Share of a call from which the time of claims that are computed when they are read is shown."""
LEAST_MOVES: Final = 0.1


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
    """Targets, assignors in sum, every cell, and the cells in which a peer is ahead."""
    cells: list[Cell] = results["cells"]
    machine, versions = results["machine"], results["versions"]
    where = f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB"
    lines = [
        "# The benchmark of assignors: every figure",
        "",
        f"Run of {results['when']} ({results['mode']}) on {where}.",
        "",
        "Versions: " + ", ".join(f"{name} {what}" for name, what in versions.items()) + ".",
        "",
        "## Targets",
        "",
        *targets_table(results),
    ]
    compared = [cell for cell in cells if len(cell["answers"]) > 1]
    if compared:
        if plain := [cell for cell in compared if cell["lags"] == "none"]:
            lines += ["", "## Assignors on groups without lags", "", *assignors_table(plain)]
        for family in dict.fromkeys(cell["family"] for cell in compared):
            rows = [cell for cell in compared if cell["family"] == family]
            lines += ["", f"## {family}: milliseconds", "", *cells_table(rows)]
        lines += ["", LEGEND, "", "## Where a peer is ahead", "", *ahead(compared)]
    alone = [cell for cell in cells if len(cell["answers"]) == 1 and OWN in cell["answers"]]
    if alone:
        lines += ["", "## Lag, equilag alone", "", *alone_table(alone)]
    if results.get("frontier"):
        lines += ["", "## Moves against lag", "", *front_table(results["frontier"])]
    for name, part in PARTS.items():
        if found := results.get(name):
            table = _table(part.module.HEAD, part.module.rows(found))
            lines += ["", f"## {part.title}", "", *table]
    return "\n".join([*lines, ""])


LEGEND: Final = (
    "Median milliseconds of the assignment alone. `!`: member counts are not the most even ones;"
    " `+n`: so many moves above the fewest that those counts need; `~`: not run, since a smaller"
    " case of the family timed out; `(x proved)`: with the plan's claims, which equilag computes"
    " when they are read; in brackets: largest lag of a member over the mean. Memory is"
    " that of the runner's process, with its runtime and the input; Java's heap is 4 GiB."
)


SUM: Final = (
    "assignor", "answers", "time-outs", "failed or not valid", "counts optimal",
    "and fewest moves", "time against equilag", "with names", "peak memory, MiB",
)  # fmt: skip


def targets_table(results: Results) -> list[str]:
    words = {True: "met", False: "**missed**", None: "not measured"}
    rows = [(t.name, t.limit, t.figures, words[t.met]) for t in judged(results)]
    return _table(("what", "target", "measured", ""), rows)


def assignors_table(cells: list[Cell]) -> list[str]:
    """Over all cells: how often exact, and how long against equilag (geometric means), without
    and with the way from names and back to them."""
    rows = []
    for peer in _peers(cells):
        found = [cell["answers"].get(peer, {}) for cell in cells]
        done = [answer for answer in found if "assign_ms" in answer]
        skipped = [answer["skipped"] for answer in found if "skipped" in answer]
        if not done and skipped:
            rows.append((peer, f"not run: {skipped[0]}", *[""] * (len(SUM) - 2)))
            continue
        even = [answer for answer in done if answer["counts_optimal"]]
        rows.append(
            (
                peer,
                f"{len(done)} of {len(found)}",
                str(sum("timeout" in answer for answer in found)),
                str(sum("error" in answer or not answer.get("valid", True) for answer in found)),
                str(len(even)),
                str(sum(answer["excess_moves"] == 0 for answer in even)),
                _against_own(cells, peer, ("assign_ms",)),
                _against_own(cells, peer, ("assign_ms", "names_ms")),
                f"{max((answer['peak_mib'] or 0.0 for answer in done), default=0.0):,.0f}",
            )
        )
    return _table(SUM, rows)


def _against_own(cells: list[Cell], peer: str, parts: Sequence[str]) -> str:
    pairs = [(cell["answers"].get(peer, {}), cell["answers"].get(OWN, {})) for cell in cells]
    ratios = [
        sum(other[part] for part in parts) / sum(own[part] for part in parts)
        for other, own in pairs
        if "assign_ms" in other and "assign_ms" in own
    ]
    ratios = [ratio for ratio in ratios if ratio > 0.0]
    return f"{math.exp(statistics.fmean(map(math.log, ratios))):.2f}" if ratios else ""


def cells_table(cells: list[Cell]) -> list[str]:
    peers = _peers(cells)
    with_lags = any(cell["lags"] != "none" for cell in cells)
    rows = [
        (
            cell["case"].partition("/")[2],
            *(_words(cell["answers"].get(p), with_lags) for p in peers),
        )
        for cell in cells
    ]
    return _table(("case", *peers), rows)


def ahead(cells: list[Cell]) -> list[str]:
    """Cells in which a peer that reached the same counts and moves was faster than equilag."""
    rows = []
    for cell in cells:
        own = cell["answers"].get(OWN, {})
        for peer, answer in cell["answers"].items():
            exact = answer.get("counts_optimal") and answer["excess_moves"] == 0
            if exact and cell["lags"] == "none" and "assign_ms" in own and peer != OWN:
                ratio = own["assign_ms"] / answer["assign_ms"]
                if ratio > 1.0:
                    rows.append((cell["case"], peer, f"{ratio:.2f}"))
    rows.sort(key=lambda row: -float(row[2]))
    return _table(("case", "peer", "times faster"), rows) if rows else ["In no cell."]


def alone_table(cells: list[Cell]) -> list[str]:
    rows = []
    for cell in cells:
        own = cell["answers"][OWN]
        if "error" in own:
            rows.append((cell["case"], own["error"], "", "", "", ""))
            continue
        rows.append(
            (
                cell["case"],
                f"{own['assign_ms'] / 1000:.2f} of {own['limit_s']:g} s",
                own["status"],
                f"{own['max_over_mean']:.7g}",
                f"{own['gap_percent']:.4g} %",
                f"{own['moves']:,}",
            )
        )
    return _table(("case", "time", "status", "max/mean", "proved gap", "moves"), rows)


def front_table(front: dict[str, Any]) -> list[str]:
    rows = [
        (f"{p['moves']:,}", f"{p['changed']:,}", f"{p['max_over_mean']:.7f}")
        for p in better_each(front)
    ]
    return _table(("moves", "partitions that change hands", "max/mean lag"), rows)


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


def _words(answer: dict[str, Any] | None, with_lags: bool) -> str:
    if answer is None or "skipped" in answer:
        return ""
    if "timeout" in answer:
        return f"> {answer['timeout']:.0f} s{' ~' if 'inferred_from' in answer else ''}"
    if "error" in answer:
        return "failed"
    if not answer["valid"]:
        return "not valid"
    text = f"{_ms(answer['assign_ms'])}{'' if answer['counts_optimal'] else ' !'}"
    if answer.get("extra", {}).get("proofs_ms", 0.0) > PROOFS * answer["assign_ms"]:
        text += f" ({_ms(answer['assign_ms'] + answer['extra']['proofs_ms'])} proved)"
    if with_lags:
        return f"{text} ({answer['max_over_mean']:.5g})"
    return text + (f" +{answer['excess_moves']:,}" if answer["excess_moves"] > 0 else "")


def _ms(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows)]


if __name__ == "__main__":
    sys.exit(main())
