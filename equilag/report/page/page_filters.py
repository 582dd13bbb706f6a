"""How templates write figures and names: the words of every report, as filters of Jinja2.

`static/core.js` writes the same for what it adds to a page; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from equilag.report.text.tables.short_names import middle
from equilag.report.wording.words import NONE, percent, plural, printable, ratio_words, time_span
from equilag.report.wording.words import number as exact_number

NAME_WIDTH: Final = 36
"""Characters of a name in a table: a phone's screen has some 45 columns."""


def number(value: float) -> str:
    """A number as `words` writes it; a whole one without decimals, since JSON in a browser knows no
    other difference between 12 and 12.0."""
    return exact_number(int(value) if float(value).is_integer() else value)


def figure(value: Any, form: str = "number") -> Markup | str:
    """A figure in its form: `number`, `percent`, `seconds`, `ms`, `yes`, `text`, …"""
    if value is None:
        return NONE
    return FORMS[form](value)


@pass_context
def name(context: Context, text: str, width: int = NAME_WIDTH) -> Markup:
    """A name: short, in full on hover, and apart from what is written around it.

    The page's `labels` have short names that differ; another one is cut in its middle, and all are
    where a template imports another without its context.
    """
    full = printable(text)
    short = context.get("labels", {}).get(text) or middle(full, width)
    if short == full:
        return Markup("<bdi>{}</bdi>").format(full)
    return Markup('<bdi title="{}">{}</bdi>').format(full, short)


@pass_context
def cell(context: Context, row: Any, column: Mapping[str, Any], place: int) -> Markup | str:
    """What a table shows of a row; `place` is that of the column in rows that are lists."""
    value = row[column["key"]] if isinstance(row, Mapping) else row[place]
    form = column.get("form", "text")
    if "names" in column:
        names = context["doc"]
        for key in column["names"].split("."):
            names = names[key]
        value = names[value]
    if form == "name" and value is not None:
        return name(context, value)
    return figure(value, form)


def setting(value: Any) -> str:
    """The value of a setting."""
    if isinstance(value, list):
        return ", ".join(map(setting, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else printable(str(value))


def tied(text: str) -> str:
    """The text, in which no line ends between a figure and its percent sign."""
    return text.replace(" %", "\u00a0%")


def words(command: str) -> list[str]:
    """The words of a command, none of which a line may break."""
    return command.split(" ")


def whole(value: float) -> str:
    """A figure in whole numbers."""
    return number(round(value))


def listed_words(words: Sequence[str]) -> str:
    return ", ".join(map(printable, words))


def command_code(line: str) -> Markup:
    """A command, in a cell of a table."""
    return Markup('<code class="command">{}</code>').format(line)


FORMS: Final[Mapping[str, Callable[[Any], Markup | str]]] = {
    "number": number,
    "percent": percent,
    "share": lambda share: percent(100 * share),
    "times": lambda ratio: f"{ratio_words(ratio)} ×",
    "seconds": time_span,
    "ms": lambda ms: f"{ms:,.1f} ms",
    "yes": lambda found: "yes" if found else "no",
    "marks": lambda marks: ", ".join("this plan" if mark == "plan" else mark for mark in marks),
    "command": command_code,
    "text": lambda text: printable(str(text)),
}
FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "figure": figure, "number": number, "percent": percent, "plural": plural,
    "name": name, "cell": cell, "setting": setting, "whole": whole, "words": words, "tied": tied,
    "listed": listed_words, "printable": printable,
}  # fmt: skip
