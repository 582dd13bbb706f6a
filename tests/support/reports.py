"""Reports as tests look at them: text, words in one line, and blocks that people can read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, Final

from equilag.report.report_blocks import (
    Block,
    ChartPoint,
    Facts,
    Headline,
    Lines,
    Notes,
    Report,
    Section,
    Title,
)
from equilag.report.terminal import Screen
from equilag.report.text.write_text import text_output


def agrees(path: Path, text: str) -> None:
    """The file has this text; with WRITE_GOLDEN=1 it is written."""
    if os.environ.get("WRITE_GOLDEN"):
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


WIDTH: Final = 100
"""Columns of a golden file."""
MAX_POINTS: Final = 4
"""Points of a line that a golden file has; of more, the first and the last ones."""


def text_of(report: Report, width: int = 100, **screen: Any) -> str:
    """The report on a screen."""
    return text_output(report, Screen(width, **screen))


def words_of(report: Report, width: int = 300) -> str:
    """The same on one line."""
    return " ".join(text_of(report, width).split())


def sentences(report: Report) -> Iterator[str]:
    """The words of a report, without its tables and pictures."""
    for block in report.blocks():
        yield from _words(block)


def _words(block: Block) -> Iterator[str]:
    match block:
        case Headline(words, lines=lines):
            yield from (words, *lines)
        case Title(notes=notes):
            yield from notes
        case Facts(rows):
            yield from (f"{row.label}: {row.line}" for row in rows)
        case Notes(lines) | Lines(lines):
            yield from lines
        case Section(title, blocks, rest):
            yield f"{title}{rest}"
            for one in blocks:
                yield from _words(one)


def golden(report: Report) -> str:
    """The blocks of a report, what a field usually is left out."""
    return "".join(f"{line}\n" for block in report.blocks() for line in _lines(_plain(block), 0))


def sections(report: Report) -> dict[str, tuple[Block, ...]]:
    """Title -> blocks."""
    return {one.title: one.blocks for one in report.blocks() if isinstance(one, Section)}


def _plain(value: Any) -> Any:
    if is_dataclass(value) or hasattr(value, "_fields"):
        usual = getattr(value, "_field_defaults", None)
        if usual is None:
            usual = {one.name: one.default for one in fields(value) if one.default is not MISSING}
        names = getattr(value, "_fields", None) or [one.name for one in fields(value)]
        own = {name: getattr(value, name) for name in names}
        kept = {name: _plain(one) for name, one in own.items() if usual.get(name, MISSING) != one}
        return {"block": type(value).__name__, **kept} if is_dataclass(value) else kept
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        many = len(value) > MAX_POINTS and isinstance(value[0], ChartPoint)
        shown = (*value[:2], *value[-2:]) if many else value
        return [*([f"{len(value)} points"] if many else []), *map(_plain, shown)]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def _lines(value: Any, indent: int, name: str = "") -> Iterator[str]:
    """JSON in which what fits on a line stands on one."""
    start = " " * indent + name
    text = f"{start}{json.dumps(value, ensure_ascii=False, default=str)}"
    if len(text) <= WIDTH or not isinstance(value, (dict, list)):
        yield text
        return
    yield start + ("{" if isinstance(value, dict) else "[")
    for one in value:
        if isinstance(value, dict):
            yield from _lines(value[one], indent + 1, f'"{one}": ')
        else:
            yield from _lines(one, indent + 1)
    yield " " * indent + ("}" if isinstance(value, dict) else "]")
