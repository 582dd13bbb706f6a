"""Blocks as a template shows them: cells written, bars and pictures in percent."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup

from equilag.domain.figures import FIGURES, Change, cell, number, plural, printable
from equilag.report import report_blocks as b
from equilag.report.outputs import to_line
from equilag.report.page.chart_view import chart_view, flows_view
from equilag.report.short_names import name_shortener

STATIC_ROWS: Final = 100
"""Rows that a table has as HTML; scripts make the others, which are packed in a few bytes each."""
SEARCH_ROWS: Final = 20
"""Rows from which on a table can be searched."""
THIN: Final = 0.4
"""Percent of the longest bar below which partitions are drawn as one: too thin to point at."""
MAX_STRIPS: Final = 200
"""Members that are drawn, the heaviest of more; the table below has all."""
KEY_DIGITS: Final = 7
"""Significant digits by which figures are sorted."""


class Views:
    """Makes views of blocks, with the short names of members."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        self._labels = labels
        self.prose: Callable[[str], str] = name_shortener(labels)
        """Puts short names into a sentence, where figures keep to their units."""

    def view(self, block: b.Block) -> dict[str, Any]:
        """The view of a block: its kind, itself, and what has to be worked out."""
        found: dict[str, Any] = {"kind": type(block).__name__, "block": block}
        match block:
            case b.Section(blocks=blocks):
                found["blocks"] = [*map(self.view, blocks)]
            case b.Table():
                found |= self._table(block)
            case b.Bars():
                found |= self._bars(block)
            case b.Chart():
                found |= chart_view(block)
            case b.Flows():
                found |= flows_view(block, self.label)
        return found

    def label(self, name: str) -> Markup:
        """A member's name: short, in full on hover, and apart from what is written around it."""
        full, short = printable(name), self._labels.get(name, printable(name))
        title = Markup(' title="{}"').format(full) if short != full else ""
        return Markup("<bdi{}>{}</bdi>").format(title, short)

    def _table(self, table: b.Table) -> dict[str, Any]:
        columns = table.columns
        first, rest = table.rows[:STATIC_ROWS], table.rows[STATIC_ROWS:]
        longest = _longest(table)
        rows = [
            [self._cell(value, column, longest) for value, column in zip(row, columns, strict=True)]
            for row in first
        ]
        kept = [i for i, column in enumerate(columns) if column.filters][:1]
        return {
            "columns": [_column_view(column, i) for i, column in enumerate(columns)],
            "rows": rows,
            "size": len(table.rows),
            "rest": packed([self._packed_row(row, columns) for row in rest]) if rest else "",
            "details": packed(table.details) if table.details else "",
            "filters": Counter(str(row[i]) for row in table.rows for i in kept).most_common(),
            "filter_place": kept[0] if kept else None,
            "search": len(table.rows) > SEARCH_ROWS,
            "notes": "; ".join(f"{one.heading}: {one.note}" for one in columns if one.note),
        }

    def _cell(self, value: b.Cell, column: b.Column, longest: float) -> dict[str, Any]:
        form = column.form
        found: dict[str, Any] = {"words": "", "key": _key(value, form)}
        if form == "bar":
            found["bar"] = bar_view(value, column, longest)
        elif form == "member" and value is not None:
            found["words"] = self.label(value)
        elif form == "name" and value is not None:
            found["words"] = Markup("<bdi>{}</bdi>").format(printable(value))
        else:
            words = cell(value, form)
            found["words"] = self.prose(words) if form == "text" else words
        return found

    def _packed_row(self, row: Sequence[b.Cell], columns: Sequence[b.Column]) -> list[Any]:
        """The words of cells, a member's name as a pair, and then the keys of figures."""
        words: list[Any] = []
        for value, column in zip(row, columns, strict=True):
            if column.form == "member" and value in self._labels:
                words.append([self._labels[value], printable(value)])
            else:
                words.append("" if column.form == "bar" else cell(value, column.form))
        return [
            words,
            [_key(value, column.form) for value, column in zip(row, columns, strict=True)],
        ]

    def _bars(self, bars: b.Bars) -> dict[str, Any]:
        table = bars.table.without_bars() if bars.strips else bars.table
        strips = bars.strips
        if len(strips) > MAX_STRIPS:
            strips = tuple(sorted(strips, key=lambda one: -max(map(_load, (one.now, one.planned)))))
        most = max((_load(side) for one in strips for side in (one.now, one.planned)), default=0.0)
        return {
            "table": {"kind": "Table", "block": table, **self._table(table)},
            "fair": round(100 * bars.fair / most, 3) if 0 < bars.fair <= most else None,
            "fair_words": number(bars.fair),
            "has_hot": any("hot" in part.state for one in strips for part in one.now),
            "left_out": len(strips) - MAX_STRIPS,
            "strips": [self._strip(one, most or 1.0) for one in strips[:MAX_STRIPS]],
        }

    def _strip(self, strip: b.Strip, most: float) -> dict[str, Any]:
        now, planned = _load(strip.now), _load(strip.planned)
        return {
            "name": self.label(strip.name),
            "load": max(now, planned),
            "change": abs(planned - now),
            "sides": [
                {"when": when, "amount": number(load), "parts": [*self._parts(parts, most)]}
                for when, load, parts in (("now", now, strip.now), ("plan", planned, strip.planned))
            ],
        }

    def _parts(self, parts: Sequence[b.Part], most: float) -> Iterator[dict[str, Any]]:
        thin, size = 0, 0.0
        for part in parts:
            width = 100 * part.size / most
            if width < THIN and "hot" not in part.state:
                thin, size = thin + 1, size + width
            else:
                words = self.prose(part.words)
                yield {"width": round(width, 2), "state": part.state, "words": words}
        if thin:
            words = plural(thin, "smaller partition")
            yield {"width": round(size, 2), "state": "rest", "words": words}


def _load(parts: Sequence[b.Part]) -> float:
    return sum(part.size for part in parts)


def _longest(table: b.Table) -> float:
    """The length of the longest of all bars of a table, and what there is room for at least."""
    bars = [i for i, column in enumerate(table.columns) if column.form == "bar"]
    least = [column.parts.least for column in table.columns if column.parts]
    return max([sum(row[i]) for row in table.rows for i in bars] + least, default=0.0)


def bar_view(value: Sequence[float], column: b.Column, longest: float) -> dict[str, Any]:
    """A bar: how long its parts are, and where a line stands."""
    parts = column.parts
    whole = sum(value) if parts is not None and parts.is_whole else longest
    mark = parts.mark if parts is not None else None
    return {
        "parts": [round(100 * max(one, 0.0) / (whole or 1.0), 2) for one in value],
        "mark": None if mark is None else round(100 * mark / (whole or 1.0), 2),
        "is_whole": parts is not None and parts.is_whole,
    }


def _column_view(column: b.Column, place: int) -> dict[str, Any]:
    is_figure = column.form in FIGURES
    marks = {
        "figure": is_figure,
        "full": place == 0 or column.form in ("command", "bar"),
        "optional": column.optional,
    }
    return {
        "heading": column.heading[:1].upper() + column.heading[1:],
        "style": " ".join([f"of-{column.form}", *(name for name, own in marks.items() if own)]),
        "note": column.note,
        "sorts": is_figure,
        "parts": column.parts.names if column.parts and len(column.parts.names) > 1 else (),
    }


def _key(value: b.Cell, form: str) -> float | None:
    """What a figure is sorted by; of a change the figure under the plan."""
    if isinstance(value, Change):
        value = value.planned
    if form not in FIGURES or isinstance(value, str) or value is None:
        return None
    return float(f"{value:.{KEY_DIGITS}g}") if isinstance(value, float) else value


def packed(document: Any) -> str:
    """JSON in gzip in Base64: half as long, and opened by a browser when somebody asks for it."""
    text = to_line(document).encode("ascii")
    return b64encode(gzip.compress(text, mtime=0)).decode("ascii")
