"""The report on a sizing: the answer, the sizes that are worth a look, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from equilag.domain.figures import number, plural, time_span
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.verdict import VerdictFacts
from equilag.planner.facts.group import group_facts
from equilag.planner.sizes.sizing import SizeRow, Sizing, notable_sizes
from equilag.report import report_blocks as b
from equilag.report.words.group import group_title, look_first
from equilag.report.words.size import Wording, load_note, size_lines, size_notes

SMALL: Final = 3
"""A few members have many times the load: a picture leaves out loads above so many times what is
known of the present size, or what members keep up with."""
KEEPS_UP: Final = {True: "yes", False: "no", None: "open"}
SERIES: Final = "heaviest load under the best plan"


class SizeReport(b.Report):
    kind = "size"

    def __init__(self, sizing: Sizing, verdict: VerdictFacts | None = None) -> None:
        self.sizing, self.verdict = sizing, verdict
        self.wording = Wording.of(sizing)
        self.interrupted = sizing.interrupted
        wanted = notable_sizes(
            sizing.rows, sizing.basis.present, (sizing.least_keeping_up, sizing.least_catching_up)
        )
        self.shown = tuple(row for row in sizing.rows if row.size in wanted)
        """The present size, those around the least ones that keep up or catch up, and those that
        help; of many of these some."""

    def document(self) -> dict[str, Any]:
        verdict = {} if self.verdict is None else {"verdict": self.verdict.document()}
        return {**self.sizing.to_dict(), "headlines": [*size_lines(self.sizing)], **verdict}

    def parts(self) -> Iterator[b.Block]:
        now, figures = self.sizing.now, group_facts(Plan.of_owners(self.sizing.group))
        tone: b.Tone = "neutral"
        if now is not None and now.keeps_up is not None:
            tone = "good" if now.keeps_up else "bad"
        yield from look_first(self.verdict)
        for place, line in enumerate(size_lines(self.sizing)):
            yield b.Headline(line, "neutral" if place else tone)
        yield group_title(figures)
        if self.sizing.rows:
            yield self.chart
        yield self.table
        shown, all_of = len(self.shown), len(self.sizing.rows)
        left = (f"shown: {number(shown)} of {number(all_of)} numbers; --json has all",)
        yield b.Notes((*(left if shown < all_of else ()), *size_notes(self.sizing)))

    @property
    def table(self) -> b.Table:
        wording = self.wording
        threaded = self.sizing.basis.threads > 1
        keeps = self.sizing.least_keeping_up is not None
        timed = any(row.catch_up != "unknown" for row in self.sizing.rows)
        columns = (
            b.Column(wording.many),
            b.Column("threads", optional=True),
            b.Column(f"heaviest {wording.unit}", wording.form, load_note(self.sizing)),
            b.Column("at least", wording.form, "no plan has less", optional=True),
            b.Column("keeps up", "text"),
            b.Column("all read after", "seconds"),
            b.Column("", "text"),
        )
        rows = tuple(
            (
                row.size, row.members if threaded else None, wording.figure(row.load),
                "proved" if wording.is_proved(row) else wording.figure(row.load_at_least),
                KEEPS_UP[row.keeps_up] if keeps else None,
                _read_after(row) if timed else None,
                ", ".join(self._marks(row)),
            )
            for row in self.shown
        )  # fmt: skip
        return b.Table(columns, rows, "Sizes", few=len(rows), is_folded=True).known()

    def _marks(self, row: SizeRow) -> Iterator[str]:
        sizing = self.sizing
        if row.size == sizing.basis.present:
            yield "now"
        if sizing.least_keeping_up and row.size == sizing.least_keeping_up.at_most:
            yield "keeps up"
        if sizing.least_catching_up and row.size == sizing.least_catching_up.at_most:
            yield f"caught up within {time_span(sizing.catch_up or 0)}"
        if row is sizing.helpful_end:
            yield "the last that helps"

    @property
    def chart(self) -> b.Chart:
        """The heaviest load by the number of members."""
        sizing, wording = self.sizing, self.wording
        enough = 100.0 if wording.scale else 0.0
        loads = [wording.figure(row.load) for row in sizing.rows]
        now = loads[0] if sizing.now is None else wording.figure(sizing.now.load)
        most = SMALL * max(now, enough)
        points = tuple(
            b.ChartPoint(
                row.size,
                load,
                f"{plural(row.size, wording.one, wording.many)}: {_told(row, wording)}",
            )
            for row, load in zip(sizing.rows, loads, strict=True)
            if load <= most
        )
        lines = [b.MarkLine("now", "x", sizing.basis.present)]
        lines += [b.MarkLine("what a member keeps up with", "y", enough)] if enough else []
        title = f"Heaviest load by the number of {wording.many}"
        up = b.Axis(SERIES, wording.form)
        series = (b.Series(SERIES, points, "step"),)
        return b.Chart(title, b.Axis(wording.many), up, series, tuple(lines))


def _read_after(row: SizeRow) -> float | str | None:
    """A time, or a word: ``never``, ``unknown`` or ``at least 35 s``."""
    if row.catch_up == "at least":
        return f"at least {time_span(row.catch_up_at_least_s or 0)}"
    return row.catch_up_s if row.catch_up == "known" else row.catch_up


def _told(row: SizeRow, wording: Wording) -> str:
    keeps = {True: "; keeps up", False: "; does not keep up", None: ""}[row.keeps_up]
    return f"{wording.load(row.load)}{keeps}"
