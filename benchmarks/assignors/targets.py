"""The targets of the benchmark of assignors, and the comparison of results with them.

Every target is one line with the figure that decides it. A target whose cells were not run, or
whose peers are missing, is open: neither met nor missed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from benchmarks.assignors.lags import HEAVY
from benchmarks.assignors.limits import LARGEST
from benchmarks.assignors.part_targets import part_targets
from benchmarks.assignors.target import OVERRUN_MS, Results, Target, largest, overrun

Cell: TypeAlias = dict[str, Any]

OWN: Final = "equilag"
JAVA: Final = ("sticky", "cooperative-sticky")
FRANZ: Final = ("franz-go-sticky", "franz-go-cooperative-sticky")
UNIFORM: Final = ("uniform",)
MANY: Final = 100_000
"""Partitions from which equilag must also be as fast as UniformAssignor."""
SMALL: Final = 100
"""Members up to which a call takes a millisecond or two, most of it in the interpreter."""
SMALL_TIMES: Final = 3.0
RANDOM_MS: Final = 1_000.0
LEVELS_MS: Final = 50.0
GAP_SMALL: Final = 0.02
GAP: Final = 0.01
GAP_LARGEST: Final = 0.1
GAP_MIXED: Final = 0.5
GAP_SAME_WIDTH: Final = 0.2
"""Percent of the mean load."""
WORST_MS: Final = 200.0
FIRST_S: Final = 0.3
MEMORY_MIB: Final = 1_024.0
LOADING: Final = 1.5


def judged(results: Results) -> list[Target]:
    """Return each target with its figures."""
    cells: list[Cell] = results["cells"]
    plain = [cell for cell in cells if cell["lags"] == "none"]
    one = [cell for cell in plain if cell["kind"] == "one"]
    mixed = [cell for cell in plain if cell["kind"] == "mixed"]
    large = [cell for cell in one if cell["partitions"] >= MANY]
    return [
        _exact("one subscription: counts and moves", one),
        _not_slower("one subscription: against Java and franz-go", one, JAVA + FRANZ),
        _not_slower(
            "one subscription, 100,000 partitions: against UniformAssignor", large, UNIFORM
        ),
        _exact("mixed subscriptions: counts and moves", mixed),
        _not_slower("mixed subscriptions: against franz-go", mixed, FRANZ),
        _not_slower(
            f"mixed subscriptions up to {SMALL} members: against franz-go",
            [cell for cell in mixed if cell["members"] <= SMALL],
            FRANZ,
            SMALL_TIMES,
        ),
        _within("random 2,000 x 10,000", _named(mixed, "mixed/2000x10000/"), RANDOM_MS),
        _within("disjoint groups at different levels", _named(mixed, "levels/"), LEVELS_MS),
        *_gaps(cells),
        _optimal("5 x 30, mixed subscriptions", _named(cells, "lag-small/5x30 mixed/")),
        _optimal("6 x 36", _named(cells, "lag-small/6x36/")),
        *part_targets(results),
        *_limits(results.get("limits") or {}),
    ]


def missed(targets: Sequence[Target]) -> bool:
    return any(target.met is False for target in targets)


def _named(cells: list[Cell], prefix: str) -> list[Cell]:
    return [cell for cell in cells if cell["case"].startswith(prefix)]


def _own(cells: list[Cell]) -> Iterator[tuple[Cell, dict[str, Any]]]:
    for cell in cells:
        if OWN in cell["answers"]:
            yield cell, cell["answers"][OWN]


def _exact(name: str, cells: list[Cell]) -> Target:
    """Met if the timed plan reaches the optimum that a verified plan proves, in every cell."""
    answers = list(_own(cells))
    wrong = [
        cell["case"]
        for cell, answer in answers
        if cell["proved"]["findings"]
        or not answer.get("counts_optimal")
        or answer.get("excess_moves") != 0
    ]
    figures = f"{len(answers) - len(wrong)} of {len(answers)} cells"
    if wrong:
        figures += f", not {wrong[0]}"
    return Target(name, "all proved", figures, not wrong if answers else None)


def _not_slower(name: str, cells: list[Cell], peers: Sequence[str], most: float = 1.0) -> Target:
    """Compare equilag with the fastest of `peers` in each cell; a peer that timed out is slower.

    Met if it takes at most `most` times as long.
    """
    limit = "never slower" if most == 1.0 else f"at most {most:g} times"
    ratios: dict[str, float] = {}
    for cell, answer in _own(cells):
        others = [cell["answers"][peer] for peer in peers if peer in cell["answers"]]
        others = [other for other in others if "assign_ms" in other or "timeout" in other]
        if others:
            ours, best = _ms(answer), min(map(_ms, others))
            ratios[cell["case"]] = ours / best if math.isfinite(best) else float(ours == math.inf)
    if not ratios:
        return Target(name, limit, "no such peer was run", None)
    worst = max(ratios, key=lambda case: ratios[case])
    won = sum(ratio <= most for ratio in ratios.values())
    figures = f"{won} of {len(ratios)} cells, at worst {ratios[worst]:.2f} times, in {worst}"
    return Target(name, limit, figures, won == len(ratios))


def _ms(answer: dict[str, Any]) -> float:
    """Return milliseconds, infinite without a result."""
    return float(answer.get("assign_ms", math.inf))


def _within(name: str, cells: list[Cell], most: float) -> Target:
    return largest(
        name,
        {cell["case"]: _ms(answer) for cell, answer in _own(cells)},
        most,
        lambda ms: f"{ms:,.0f} ms",
    )


def _gaps(cells: list[Cell]) -> Iterator[Target]:
    heavy = [cell for cell in cells if cell["lags"] in HEAVY]
    one = [cell for cell in heavy if cell["family"] == "lag"]
    middle = [c for c in one if c["members"] >= 100 and c["partitions"] <= 10_000]
    small = [c for c in one if c["members"] < 100]
    huge = [c for c in one if c["partitions"] > 10_000]
    mixed = [cell for cell in heavy if cell["family"] == "lag-mixed"]
    few = [cell for cell in heavy if cell["family"] == "lag-few"]
    same = [cell for cell in heavy if cell["family"] == "lag-20-topics"]
    for name, some, most in (
        ("proved gap from 10 x 60, one subscription, 2 s", small, GAP_SMALL),
        ("proved gap from 100 x 1,000 to 1,000 x 10,000, 2 s", middle, GAP),
        ("proved gap of 10,000 x 500,000, 10 s", huge, GAP_LARGEST),
        ("proved gap, mixed subscriptions up to 500 members, 3 s", mixed, GAP_MIXED),
        ("proved gap of 50 x 200, one subscription, 2 s", few, GAP_SMALL),
        ("proved gap, 20 topics each, 20 x 40 and 500 x 200, 3 s", same, GAP_SAME_WIDTH),
    ):
        gaps = {cell["case"]: _gap(cell, answer) for cell, answer in _own(some)}
        yield largest(name, gaps, most, lambda gap: f"{gap:.4g} %")


def _gap(cell: Cell, answer: dict[str, Any]) -> float:
    """Return the gap in percent of the mean load, infinite if nothing is proved."""
    sound = answer.get("counts_optimal") and not cell["proved"]["findings"]
    return float(answer["gap_percent"]) if sound else math.inf


def _optimal(name: str, cells: list[Cell]) -> Target:
    answers = list(_own(cells))
    short = [
        cell["case"]
        for cell, answer in answers
        if answer.get("status") != "optimal" or cell["proved"]["findings"]
    ]
    figures = f"{len(answers) - len(short)} of {len(answers)} groups"
    if short:
        figures += f", not {short[0]}"
    return Target(name, "all proved optimal", figures, not short if answers else None)


def _limits(limits: dict[str, Any]) -> Iterator[Target]:
    parts = limits.get("overrun", [])
    runs = [(part["case"], run) for part in parts for run in part.get("runs", [])]
    over = sorted(1000.0 * (run["wall"] - run["limit"]) for _, run in runs)
    failed = [part["case"] for part in parts if "error" in part]
    yield overrun("overrun in 95 of 100 runs", over, failed, 0.95, OVERRUN_MS)
    yield overrun("overrun at worst", over, failed, 1.0, WORST_MS)
    first = [run["first_valid"] for case, run in runs if case == LARGEST]
    name = "first valid plan of 10,000 x 500,000"
    yield largest(name, {LARGEST: max(first)} if first else {}, FIRST_S, lambda s: f"{s:.2f} s")
    for name, part, key, most, words in (
        ("memory, 10,000 x 500,000 from its snapshot", "memory", "peak_mib", MEMORY_MIB, _mib),
        ("loading 500,000 partitions over parsing", "loading", "ratio", LOADING, _times),
    ):
        found = limits.get(part)
        figure = {} if found is None else {LARGEST: float(found.get(key, math.inf))}
        yield largest(name, figure, most, words)


def _mib(size: float) -> str:
    return f"{size:,.0f} MiB"


def _times(ratio: float) -> str:
    return f"{ratio:.2f} times"
