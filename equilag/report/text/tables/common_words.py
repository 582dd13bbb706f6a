"""Long names that are alike, cut where they are alike.

Names are words between separators. Those with as many words and the same first one are a family: a
column of words that is the same in all of a family tells nothing apart, and is cut first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

MAX_WHOLE: Final = 12
"""Characters of a word up to which it is not cut inside: half a number would mislead."""
_SEPARATORS: Final = re.compile(r"([-_.:/@ ]+)")
_UUID: Final = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")


def words_of(name: str) -> list[str]:
    """Words and separators in turn; a UUID is one word."""
    words: list[str] = []
    for i, part in enumerate(_UUID.split(name)):
        words += [part] if i % 2 else _SEPARATORS.split(part)
    return words


@dataclass(slots=True)
class _NamePart:
    """A part of every name of a family."""

    texts: Sequence[str]
    """By name."""
    is_common: bool
    width: int = 0
    """Columns that it may take."""

    def __post_init__(self) -> None:
        self.width = self.longest

    @property
    def longest(self) -> int:
        return max(map(cell_len, self.texts))


def cut_alike(names: Sequence[Sequence[str]], room: int, dots: str) -> list[str] | None:
    """The names of a family, given as words, in at most `room` columns each; None if what tells
    them apart does not fit."""
    pieces = _merged([piece for column in zip(*names, strict=True) for piece in _split(column)])
    if not _drop(pieces, room, cell_len(dots)):
        return None
    _share_out(pieces, room, cell_len(dots))
    shown = [_cut_piece(piece, dots) for piece in pieces]
    return ["".join(parts).replace(2 * dots, dots) for parts in zip(*shown, strict=True)]


def _cut_piece(piece: _NamePart, dots: str) -> Sequence[str]:
    """The texts of a piece in the columns that it has."""
    if piece.longest <= piece.width:
        return piece.texts
    cut = cut_run(piece.texts[0], piece.width, dots) if piece.is_common else dots
    return [cut] * len(piece.texts)


def cut_run(text: str, width: int, dots: str) -> str:
    """`text` cut in its middle to `width` columns; its end begins with a word if one fits."""
    if cell_len(text) <= width:
        return text
    left = width - cell_len(dots)
    if left <= 0:
        return dots
    most = max(1, left * 2 // 3)
    starts = [found.end() for found in _SEPARATORS.finditer(text)]
    ends = [text[start:] for start in starts if 0 < cell_len(text[start:]) <= most]
    end = ends[0] if ends else front_of(text[::-1], most)[::-1]
    return front_of(text, left - cell_len(end)) + dots + end


def front_of(text: str, width: int) -> str:
    """The longest front of `text` in `width` columns."""
    kept = 0
    for i, sign in enumerate(text):
        kept += cell_len(sign)
        if kept > width:
            return text[:i]
    return text


def _split(column: Sequence[str]) -> list[_NamePart]:
    """A column as one piece, or as its common front, what differs, and its common end."""
    if len(set(column)) == 1:
        return [_NamePart(column, is_common=True)]
    if max(map(len, column)) <= MAX_WHOLE:
        return [_NamePart(column, is_common=False)]
    front = _common_front(column)
    rest = [text[front:] for text in column]
    end = _common_front([text[::-1] for text in rest])
    middle = [text[: len(text) - end] for text in rest]
    parts = [text[len(text) - end :] for text in rest]
    pieces = [
        _NamePart([text[:front] for text in column], is_common=True),
        _NamePart(middle, is_common=False),
        _NamePart(parts, is_common=True),
    ]
    return [piece for piece in pieces if piece.longest]


def _common_front(texts: Sequence[str]) -> int:
    """Characters with which all texts begin."""
    first, last = min(texts), max(texts)
    pairs = enumerate(zip(first, last, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(first), len(last)))


def _merged(pieces: list[_NamePart]) -> list[_NamePart]:
    """Neighbours that are common become one piece."""
    made: list[_NamePart] = []
    for piece in pieces:
        if made and made[-1].is_common and piece.is_common:
            texts = [a + b for a, b in zip(made[-1].texts, piece.texts, strict=True)]
            made[-1] = _NamePart(texts, is_common=True)
        else:
            made.append(piece)
    return made


def _least(piece: _NamePart, dots: int) -> int:
    """Columns without which a piece cannot be shown."""
    return min(piece.width, dots) if piece.is_common else piece.width


def _drop(pieces: list[_NamePart], room: int, dots: int) -> bool:
    """Leave out columns that differ, the widest first, as long as the others tell the names apart;
    whether the rest fits."""
    kept = [piece for piece in pieces if not piece.is_common and piece.longest > dots]
    kept.sort(key=lambda piece: piece.longest)
    while kept and sum(_least(piece, dots) for piece in pieces) > room:
        piece = kept.pop()
        others = [one.texts for one in pieces if one is not piece and _is_told(one)]
        apart = len(set(zip(*others, strict=True))) if others else 1
        if apart == len(piece.texts):
            piece.width = dots
    return sum(_least(piece, dots) for piece in pieces) <= room


def _is_told(piece: _NamePart) -> bool:
    return not piece.is_common and piece.width >= piece.longest


def _share_out(pieces: list[_NamePart], room: int, dots: int) -> None:
    """Give common pieces what room is left: the short ones whole, the others the same."""
    common = sorted((piece for piece in pieces if piece.is_common), key=lambda piece: piece.longest)
    left = room - sum(piece.width for piece in pieces if not piece.is_common)
    for i, piece in enumerate(common):
        needed = sum(_least(other, dots) for other in common[i + 1 :])
        share = max(_least(piece, dots), min(left // (len(common) - i), left - needed))
        piece.width = min(piece.longest, share)
        left -= piece.width
