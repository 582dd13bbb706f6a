"""The targets of the benchmark of assignors, and the comparison of results with them.

Every target is one line with the figure that decides it. A target whose cells were not run, or
whose peers are missing, is open: neither met nor missed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from benchmarks.assignors.lags import HEAVY
from benchmarks.assignors.limits import LARGEST

Cell: TypeAlias = dict[str, Any]
Results: TypeAlias = dict[str, Any]

OWN: Final = "equilag"
JAVA: Final = ("cooperative-sticky",)
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
GAP_TOPICS: Final = 1.0
GAP_SAME_WIDTH: Final = 0.2
"""Percent of the mean load."""
OVERRUN_MS: Final = 50.0
"""In 95 of 100 runs."""
WORST_MS: Final = 200.0
FIRST_S: Final = 0.3
MEMORY_MIB: Final = 1_024.0
LOADING: Final = 1.5
FEW_MOVES: Final = (60, 72)
"""Limits on moves with a proved optimum, and how many there are."""
ABOVE: Final = 0.1
"""Percent of the mean load."""
PERFECT: Final = 33
"""Lists at their optimum, of the 35 of each draw."""


class Target(NamedTuple):
    name: str
    limit: str
    figures: str
    met: bool | None
    """None if it was not measured."""

    def __str__(self) -> str:
        word = {True: "ok    ", False: "MISSED", None: "open  "}[self.met]
        return f"{word} {self.name}: {self.figures} (target {self.limit})"


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
        _perfect(results.get("perfect") or []),
        *_few_moves(results.get("few moves") or []),
        *_topics(results.get("topics") or []),
        _racks(results.get("racks") or []),
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
    return _largest(
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
    largest = [c for c in one if c["partitions"] > 10_000]
    mixed = [cell for cell in heavy if cell["family"] == "lag-mixed"]
    few = [cell for cell in heavy if cell["family"] == "lag-few"]
    same = [cell for cell in heavy if cell["family"] == "lag-20-topics"]
    for name, some, most in (
        ("proved gap from 10 x 60, one subscription, 2 s", small, GAP_SMALL),
        ("proved gap from 100 x 1,000 to 1,000 x 10,000, 2 s", middle, GAP),
        ("proved gap of 10,000 x 500,000, 10 s", largest, GAP_LARGEST),
        ("proved gap, mixed subscriptions up to 500 members, 3 s", mixed, GAP_MIXED),
        ("proved gap of 50 x 200, one subscription, 2 s", few, GAP_SMALL),
        ("proved gap, 20 topics each, 20 x 40 and 500 x 200, 3 s", same, GAP_SAME_WIDTH),
    ):
        gaps = {cell["case"]: _gap(cell, answer) for cell, answer in _own(some)}
        yield _largest(name, gaps, most, lambda gap: f"{gap:.4g} %")


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


def _perfect(rows: Sequence[dict[str, Any]]) -> Target:
    """Met if enough lists reach the known optimum, proved, with even counts."""
    lists = len({row["list"] for row in rows})
    short = [row["list"] for row in rows if not row["solved"]]
    figures = f"{len(rows) - len(short)} of {len(rows)} lists" if rows else "not run"
    if short:
        figures += f", not {short[0]}"
    elif rows:
        figures += f", at most {max(row['seconds'] for row in rows):.1f} s"
    met = (len(rows) - len(short)) * lists >= PERFECT * len(rows) if rows else None
    return Target("perfect plans", f"at least {PERFECT} of 35", figures, met)


def _few_moves(rows: Sequence[dict[str, Any]]) -> Iterator[Target]:
    """Met if enough limits on moves have a proved optimum, and no plan is far above the best."""
    sound = [row for row in rows if row["proved"] and not row["problems"]]
    figures = f"{len(sound)} of {len(rows)} cases" if rows else "not run"
    met = len(sound) * FEW_MOVES[1] >= FEW_MOVES[0] * len(rows) if rows else None
    yield Target("few moves", "proved in at least {} of {}".format(*FEW_MOVES), figures, met)
    above = {row["case"]: row["above_percent"] for row in rows}
    yield _largest("few moves, above the best plan", above, ABOVE, lambda part: f"{part:.3f} %")


def _topics(rows: Sequence[dict[str, Any]]) -> Iterator[Target]:
    """Large groups whose topics count one by one: overruns of short limits, and even loads."""
    failed = [row["group"] for row in rows if not row["exact"]]
    over = sorted(row["overrun_ms"] for row in rows if not row["even"])
    yield _overrun("overrun, topics one by one", over, failed, 0.95, OVERRUN_MS)
    gaps = {
        f"{row['group']}, {row['balance']}": row["gap_percent"] if row["exact"] else math.inf
        for row in rows
        if row["even"]
    }
    name = "proved gap, topics one by one, 10,000 x 200,000, 2 s"
    yield _largest(name, gaps, GAP_TOPICS, lambda gap: f"{gap:.3g} %")


def _racks(rows: Sequence[dict[str, Any]]) -> Target:
    """Met if the fewest reads across racks are proved, with the most even counts, in all groups."""
    plans = [row for row in rows if "fewest_cross_rack" in row]
    short = [
        row["group"]
        for row in plans
        if not row["counts_optimal"] or row["cross_rack"] != row["fewest_cross_rack"]
    ]
    figures = f"{len(plans) - len(short)} of {len(plans)} groups" if plans else "not run"
    if short:
        figures += f", not {short[0]}"
    return Target("racks: fewest reads", "all proved", figures, not short if plans else None)


def _limits(limits: dict[str, Any]) -> Iterator[Target]:
    parts = limits.get("overrun", [])
    runs = [(part["case"], run) for part in parts for run in part.get("runs", [])]
    over = sorted(1000.0 * (run["wall"] - run["limit"]) for _, run in runs)
    failed = [part["case"] for part in parts if "error" in part]
    yield _overrun("overrun in 95 of 100 runs", over, failed, 0.95, OVERRUN_MS)
    yield _overrun("overrun at worst", over, failed, 1.0, WORST_MS)
    first = [run["first_valid"] for case, run in runs if case == LARGEST]
    name = "first valid plan of 10,000 x 500,000"
    yield _largest(name, {LARGEST: max(first)} if first else {}, FIRST_S, lambda s: f"{s:.2f} s")
    for name, part, key, most, words in (
        ("memory, 10,000 x 500,000 from its snapshot", "memory", "peak_mib", MEMORY_MIB, _mib),
        ("loading 500,000 partitions over parsing", "loading", "ratio", LOADING, _times),
    ):
        found = limits.get(part)
        figure = {} if found is None else {LARGEST: float(found.get(key, math.inf))}
        yield _largest(name, figure, most, words)


def _overrun(name: str, over: list[float], failed: list[str], share: float, most: float) -> Target:
    limit = f"{most:.0f} ms"
    if failed or not over:
        figures = f"no answer for {', '.join(failed)}" if failed else "not run"
        return Target(name, limit, figures, False if failed else None)
    figure = over[math.ceil(share * len(over)) - 1]
    return Target(name, limit, f"{figure:+.0f} ms, {len(over)} runs", figure <= most)


def _largest(
    name: str, figures: dict[str, float], most: float, words: Callable[[float], str]
) -> Target:
    """Compare the largest of the figures by case with its limit `most`."""
    if not figures:
        return Target(name, words(most), "not run", None)
    worst = max(figures, key=lambda case: figures[case])
    text = words(figures[worst]) if math.isfinite(figures[worst]) else "no valid answer"
    return Target(name, words(most), f"{text}, in {worst}", figures[worst] <= most)


def _mib(size: float) -> str:
    return f"{size:,.0f} MiB"


def _times(ratio: float) -> str:
    return f"{ratio:.2f} times"
