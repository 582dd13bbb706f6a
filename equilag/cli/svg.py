"""Drawings with two axes as SVG, without a plotting library; in pixels from the top left corner."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

_STYLE: Final = """\
.title { font-size: 16px; font-weight: bold }
.grid { stroke: #ddd }
.axis { stroke: #222 }"""


class Scale(NamedTuple):
    """What an axis is called, and the words beside it: how far along, from 0 to 1, and what."""

    title: str
    ticks: Sequence[tuple[float, str]]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A drawing of `width` by `height`; its axes meet at `left` and `bottom`.

    `letters` is the size of the words, `style` the CSS of what is drawn between the axes.
    """

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    letters: int
    style: str

    def x(self, share: float) -> float:
        """So far along the axis across, from 0 to 1."""
        return self.left + (self.right - self.left) * share

    def y(self, share: float) -> float:
        """So far along the axis up, from 0 to 1."""
        return self.bottom - (self.bottom - self.top) * share

    def svg(self, title: str, across: Scale, up: Scale, inside: Iterable[str]) -> str:
        """The whole file: title, axes, and what is drawn between them."""
        box = f"0 0 {self.width} {self.height}"
        size = f'width="{self.width}" height="{self.height}"'
        font = f"text {{ font: {self.letters}px sans-serif; fill: #222 }}"
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {size} role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{font}\n{_STYLE}\n{self.style}\n</style>",
            f'<rect {size} fill="#fff"/>',
            text(self.left, 30, title, "start", ' class="title"'),
            *self._axes(across, up),
            *inside,
            "</svg>",
            "",
        ]
        return "\n".join(parts)

    def _axes(self, across: Scale, up: Scale) -> list[str]:
        left, right, top, bottom = self.left, self.right, self.top, self.bottom
        parts = []
        for share, words in up.ticks:
            y = self.y(share)
            parts += [line(left, y, right, y, "grid"), text(left - 8, y + 4, words, "end")]
        for share, words in across.ticks:
            x = self.x(share)
            parts += [line(x, bottom, x, bottom + 5, "axis"), text(x, bottom + 20, words, "middle")]
        middle = (top + bottom) / 2
        upwards = text(20, middle, up.title, "middle")
        return [
            *parts,
            line(left, bottom, right, bottom, "axis"),
            line(left, top, left, bottom, "axis"),
            text((left + right) / 2, bottom + 46, across.title, "middle"),
            f'<g transform="rotate(-90 20 {middle:.1f})">{upwards}</g>',
        ]


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def polyline(corners: Iterable[tuple[float, float]], kind: str) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return f'<polyline class="{kind}" points="{points}"/>'


def text(x: float, y: float, words: str, anchor: str, more: str = "") -> str:
    """`anchor` is ``start``, ``middle`` or ``end``; `more` is further attributes."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'
