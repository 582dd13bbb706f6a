"""The report on a front: all trade-offs between moves and spread, the fewest moves first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from equilag.domain.figures import form, number, plural, short_percent
from equilag.domain.plan.verdict import VerdictFacts
from equilag.planner.facts.front import FrontFacts, PointFacts
from equilag.planner.facts.work import unit_words
from equilag.planner.frontier import Mark, Point
from equilag.report import report_blocks as b
from equilag.report.words.extended import SHORT_NOTE, keeps_up_words
from equilag.report.words.group import docs_of, group_title, sign_of

FORMAT: Final = "equilag/frontier/1"
MARKS: Final[Mapping[Mark, str]] = {"current": "current", "knee": "knee", "plan": "equilag plan"}
"""What is said of a point."""
CommandOf = Callable[[PointFacts], str]
"""The command that makes the plan of a point."""


class FrontierReport(b.Report):
    kind = "frontier"

    def __init__(
        self,
        front: FrontFacts,
        command: CommandOf | None = None,
        verdict: Callable[[], VerdictFacts] | None = None,
    ) -> None:
        """With commands a page lets one pick a point. `verdict` makes that on today's
        assignment, which only blocks show."""
        self.front, self.command, self.verdict = front, command, verdict
        self.interrupted = front.interrupted

    def document(self) -> dict[str, Any]:
        front, interrupted = self.front, {"interrupted": True} if self.interrupted else {}
        return {
            "format": FORMAT,
            "group": front.group.name,
            "policy": {**front.policy.to_dict(), **front.run},
            "evidence": front.evidence,
            "headline": front_headline(front),
            "points": [one.point.to_dict() for one in front.points],
            **interrupted,
        }

    @property
    def chart(self) -> b.Chart:
        return front_chart(self.front, self.command)

    def parts(self) -> Iterator[b.Block]:
        found = None if self.verdict is None else self.verdict()
        if found is not None and found.action not in ("move", "assign", "undecided"):
            # No point answers that; what moves bring, the points say themselves.
            yield b.Headline(found.headline, sign_of(found.action).tone, lines=docs_of(found))
        yield b.Headline(front_headline(self.front))
        yield group_title(self.front.group)
        if self.front.points:
            yield self.chart
            yield front_table(self.front, self.command)
            yield b.Notes(tuple(_remarks(self.front, has_commands=self.command is not None)))


def what_of(front: FrontFacts) -> str:
    return "load" if front.per_capacity else "lag"


def front_headline(front: FrontFacts) -> str:
    """What the fewest moves, the knee and equilag's plan get of the possible gain."""
    points, what = front.points, what_of(front)
    if not points:
        return "No trade-offs: there is nothing to assign"
    first = points[0]
    weighed = _weighed(front)
    moves = (
        f"a moved weight of {number(first.point.cost)}"
        if weighed
        else plural(first.point.moves, "move")
    )
    if len(points) == 1:
        return f"One point: no plan with more than {moves} and a smaller {what} spread was found"
    marked = {mark: one for one in points for mark in one.point.marks}
    own = [one for one in points if one.is_plan] or [marked[m] for m in ("plan",) if m in marked]
    shown = [*(marked[mark] for mark in ("knee",) if mark in marked), *own]
    shown = [one for one in shown if one.point.cost > first.point.cost] or [points[-1]]
    differ = any(one.gain_percent > first.gain_percent for one in shown)
    chosen = dict.fromkeys(_gain(one) if differ else _spread(one.point) for one in shown)
    return (
        f"Trade-offs: {what} spread {number(first.point.spread)} with {moves}; {'; '.join(chosen)}"
    )


def _spread(point: Point) -> str:
    return f"{number(point.spread)} with {number(point.cost)}"


def _gain(one: PointFacts) -> str:
    return f"{_spread(one.point)} ({short_percent(one.gain_percent)} of the possible gain)"


def front_table(front: FrontFacts, command: CommandOf | None = None) -> b.Table:
    what, above = what_of(front), "load" if front.per_capacity else "records"
    unit = unit_words(front.group.load_unit, True) if front.per_capacity else ""
    columns = (
        b.Column("moves"), b.Column("moved weight"), b.Column(f"{what} spread", note=unit),
        b.Column("of the mean", "percent", optional=True),
        b.Column("at least", note=f"no plan {_as_many(front)} has a smaller spread"),
        b.Column("excess", note=f"{above} above a fair share, over all members", optional=True),
        b.Column("keeps up", "text", SHORT_NOTE),
        b.Column("gain", "percent", "of the excess that can be saved"),
        b.Column("", "bar", optional=True), b.Column("", "text"), b.Column("command", "command"),
    )  # fmt: skip
    rows = tuple(
        (
            point.moves, point.move_weight, point.spread, one.percent_of_mean, _bound(one),
            point.excess if isinstance(point.spread, float) else round(point.excess),
            keeps_up_words(point.short), one.gain_percent, (point.spread,), _marks(one),
            command and command(one),
        )
        for one in front.points
        for point in [one.point]
    )  # fmt: skip
    caption = "Trade-offs, the fewest moves first"
    return b.Table(columns, rows, caption, few=len(rows), is_folded=True).known()


def _weighed(front: FrontFacts) -> bool:
    return any(one.point.move_weight is not None for one in front.points)


def _as_many(front: FrontFacts) -> str:
    return "with as much moved weight" if _weighed(front) else "with as many moves"


def _bound(one: PointFacts) -> float | str:
    if one.is_proved:
        return "proved" if one.point.evidence == "checked" else "solver"
    return one.point.spread_lower_bound


def _marks(one: PointFacts) -> str:
    own = ["this plan"] if one.is_plan else []
    return ", ".join([*(MARKS[mark] for mark in one.point.marks), *own])


def front_chart(front: FrontFacts, command: CommandOf | None = None) -> b.Chart:
    """Moves against spread; with commands its points can be picked."""
    what, found = what_of(front), front.points
    spreads = [one.point.spread for one in found]
    points = [
        b.ChartPoint(
            one.point.cost, one.point.spread, _words_of(front, one), _marks(one),
            command(one) if command else "",
        )
        for one in found
    ]  # fmt: skip
    on_front = tuple(p for p, one in zip(points, found, strict=True) if one.better is None)
    bounds = tuple(b.ChartPoint(o.point.cost, o.point.spread_lower_bound) for o in found)
    own = [points[i] for i, one in enumerate(found) if one.is_plan]
    series = [b.Series("smallest spread found", on_front, "step")]
    series += [b.Series("no spread can be below", bounds, "bound")] if front.unproved else []
    series += [b.Series("this plan", (one,), "mark") for one in own]
    picked = next((i for i, one in enumerate(on_front) if one in own), 0)
    unit = unit_words(front.group.load_unit, True) if front.per_capacity else "records"
    return b.Chart(
        f"{what.capitalize()} spread by {'weight' if _weighed(front) else 'number'} of moves",
        b.Axis("moved weight" if _weighed(front) else "moves"),
        b.Axis(f"{what} spread ({unit})"),
        tuple(series),
        # Where most of the spread cannot be helped, the scale begins above 0.
        from_zero=not min(spreads, default=0) > 0.5 * max(spreads, default=0),
        picked=picked if command else -1,
    )


def _words_of(front: FrontFacts, one: PointFacts) -> str:
    point, what = one.point, what_of(front)
    bound = f"at least {number(point.spread_lower_bound)}"
    if one.is_proved:
        bound = f"no plan {_as_many(front)} has a smaller spread"
    weighs = "" if point.move_weight is None else f" of a weight of {number(point.move_weight)}"
    behind = f"; {number(point.short)} records per second short" if point.short else ""
    behind = "; all keep up" if point.short == 0 else behind
    return (
        f"{plural(point.moves, 'move')}{weighs}, {what} spread {number(point.spread)}"
        f" ({short_percent(one.percent_of_mean)} of the mean); gain"
        f" {short_percent(one.gain_percent)}; {bound}{behind}"
    )


def _remarks(front: FrontFacts, *, has_commands: bool) -> Iterator[str]:
    policy, what = front.policy, what_of(front)
    if front.interrupted:
        yield "interrupted: these are the points so far"
    if len(front.points) > 1 and not has_commands:
        # Policies that put fewer moves first never trade moves for lag.
        other = "--policy lag-aware, " if policy.moves_first and not policy.pins_owned else ""
        limit = ("weight N", "--max-move-weight") if _weighed(front) else ("N moves", "--max-moves")
        how = f"{other}{limit[1]} N and --tolerance 0 makes the plan of the row with {limit[0]}"
        yield f"equilag plan with the same options, {how}"
    for one in front.points:
        if one.better is not None:
            moved = "of moved weight" if _weighed(front) else "moves"
            yield f"another run found a {what} spread of {_spread(one.better)} {moved}"
    if front.unproved:
        rows = f"{number(front.unproved)} {form(front.unproved, 'row is', 'rows are')} not proved"
        yield f"{rows}: a longer --time-limit may find a smaller {what} spread, down to 'at least'"
