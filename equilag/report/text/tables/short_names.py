"""Long names in few columns of a terminal, still different from one another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from rich.cells import cell_len

from equilag.report.text.tables.common_words import cut_alike, cut_run, front_of, words_of
from equilag.report.wording.words import in_ascii, natural_key, printable

TAIL: Final = 6
"""Characters kept of the end of a name that is cut in its middle: room for a number."""
_UUID: Final = re.compile(r"-([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_DIGITS: Final = (4, 8, 0)
"""Digits kept of the random UUID with which Kafka's member ids end: enough to find it in a log, or
none where the rest of the ids differs."""

Shortened = dict[str, str]
"""Name -> the name as it is shown."""


def middle(text: str, width: int, dots: str = "…") -> str:
    """`text` cut in its middle to `width` characters; more is kept of the front, which people
    choose."""
    if len(text) <= width:
        return text
    tail = min(TAIL, max(0, (width - len(dots)) // 3))
    return text[: max(1, width - tail - len(dots))] + dots + (text[-tail:] if tail else "")


def fitted(text: str, room: int, dots: str) -> str:
    """`text`, printable already, cut in its middle to `room` columns of a terminal."""
    return cut_run(text, room, dots)


def labels(names: Iterable[str], room: int, dots: str = "…") -> Shortened:
    """Printable name -> the name in at most `room` columns.

    Names are cut where they do not differ, and stay different: the last resort is a number.
    """
    full = list(dict.fromkeys(names))
    if dots.isascii() and not all(map(str.isascii, full)):
        short = labels(map(in_ascii, full), room, dots)
        return {name: short[in_ascii(name)] for name in full}
    if max(map(cell_len, full), default=0) <= room:
        return {name: name for name in full}
    for cut in (_by_family, _by_number_of_words, _in_the_middle):
        short = cut(full, room, dots)
        if len(set(short.values())) == len(full):
            return short
    return _numbered(_by_family(full, room, dots), room, dots)


def member_names(ids: Iterable[str], room: int, dots: str = "…") -> Shortened:
    """Member id -> the id in at most `room` columns, most of its random UUID left out."""
    full = {name: printable(name) for name in ids}
    forms = [
        {name: _without_uuid(text, digits, dots) for name, text in full.items()}
        for digits in _DIGITS
    ]
    apart = [form for form in forms if len(set(form.values())) == len(set(full.values()))]
    fitting = (form for form in apart if _widest_cut(full, form) <= room)
    # Where one is too long, the shortest leaves most room for what people chose.
    trimmed = next(fitting, min([*apart, full], key=lambda form: sum(map(len, form.values()))))
    shown = labels(trimmed.values(), room, dots)
    return {name: shown[text] for name, text in trimmed.items()}


def with_short_names(text: str, names: Mapping[str, str]) -> str:
    """Prose that names members, with their short names (member id -> short name)."""
    cut = [(printable(name), short) for name, short in names.items() if name not in short]
    for full, short in sorted(cut, key=lambda pair: -len(pair[0])):
        if len(full) > len(short):
            text = text.replace(full, short)
    return text


def _widest_cut(full: Shortened, form: Shortened) -> int:
    """Columns of the longest name that lost something."""
    return max(
        (cell_len(form[name]) for name, text in full.items() if form[name] != text), default=0
    )


def _without_uuid(name: str, digits: int, dots: str) -> str:
    return _UUID.sub(lambda found: f"-{found[1][:digits]}{dots}" if digits else dots, name)


def _by_family(names: Sequence[str], room: int, dots: str) -> Shortened:
    """Names with as many words and the same first one are cut at the same places."""
    return _in_families(names, room, dots, lambda words: (len(words), words[0]))


def _by_number_of_words(names: Sequence[str], room: int, dots: str) -> Shortened:
    return _in_families(names, room, dots, len)


def _in_families(
    names: Sequence[str], room: int, dots: str, key: Callable[[list[str]], object]
) -> Shortened:
    """Families whose names all fit are left as they are."""
    families: dict[object, dict[str, list[str]]] = {}
    for name in names:
        words = words_of(name)
        families.setdefault(key(words), {})[name] = words
    short: Shortened = {}
    for family in families.values():
        made = None
        if max(map(cell_len, family)) > room:
            made = cut_alike([*family.values()], room, dots)
        else:
            made = [*family]
        short |= zip(family, made or (cut_run(name, room, dots) for name in family), strict=True)
    return {name: short[name] for name in names}


def _in_the_middle(names: Sequence[str], room: int, dots: str) -> Shortened:
    return {name: cut_run(name, room, dots) for name in names}


def _numbered(short: Shortened, room: int, dots: str) -> Shortened:
    """Labels that several names would have end in a number instead."""
    alike: dict[str, list[str]] = {}
    for name, label in short.items():
        alike.setdefault(label, []).append(name)
    taken = set(alike)
    found = dict(short)
    for label, names in alike.items():
        if len(names) == 1:
            continue
        number = 0
        for name in sorted(names, key=natural_key):
            shown = label
            while shown in taken:
                number += 1
                end = f"{dots}#{number}"
                shown = front_of(name, room - len(end)) + end
            taken.add(shown)
            found[name] = shown
    return found
