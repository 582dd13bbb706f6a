"""Long names in few columns of a terminal, still different from one another.

A name is words between separators. Names with as many words and the same first one are a family: a
word that is the same in all of a family tells nothing apart, and is left out first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from rich.cells import cell_len

from equilag.domain.figures import in_ascii, natural_key, printable

_SEPARATORS: Final = re.compile(r"([-_.:/@ ]+)")
_UUID: Final = re.compile(r"-([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])")
_DIGITS: Final = (4, 8, 0)
"""Digits kept of the random UUID that Kafka's member ids have: enough to find it in a log, or none
where the rest of the ids differs."""

Shortened = dict[str, str]
"""Name -> the name as it is shown."""


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


def _without_uuid(name: str, digits: int, dots: str) -> str:
    return _UUID.sub(lambda found: f"-{found[1][:digits]}{dots}" if digits else dots, name)


def _widest_cut(full: Shortened, form: Shortened) -> int:
    """Columns of the longest name that lost something."""
    return max((cell_len(form[name]) for name in full if form[name] != full[name]), default=0)


def name_shortener(names: Mapping[str, str]) -> Callable[[str], str]:
    """A function that puts the short names of members (id -> short name) into prose."""
    cut = {printable(name): short for name, short in names.items() if len(name) > len(short)}
    if not cut:
        return lambda text: text
    pattern = re.compile("|".join(map(re.escape, sorted(cut, key=len, reverse=True))))
    return lambda text: pattern.sub(lambda found: cut[found[0]], text)


def labels(names: Iterable[str], room: int, dots: str = "…") -> Shortened:
    """Printable name -> the name in at most `room` columns.

    Names are cut where they do not differ, and stay different: the last resort is a number.
    """
    full = list(dict.fromkeys(names))
    if dots.isascii() and not all(map(str.isascii, full)):
        short = labels(map(in_ascii, full), room, dots)
        return {name: short[in_ascii(name)] for name in full}
    families: defaultdict[object, list[str]] = defaultdict(list)
    for name in full:
        words = _SEPARATORS.split(name)
        families[len(words), words[0]].append(name)
    short = {}
    for family in families.values():
        short |= _cut_family(family, room, dots)
    return _numbered({name: short[name] for name in full}, room, dots)


def _cut_family(names: Sequence[str], room: int, dots: str) -> Shortened:
    """Names with as many words: but for the first, those that are alike are left out, the longest
    first, then those without which the names still differ."""
    if len(names) == 1:
        return {names[0]: cut_run(names[0], room, dots)}
    columns = [*zip(*map(_SEPARATORS.split, names), strict=True)]
    lengths = [max(map(cell_len, column)) for column in columns]
    places = sorted(range(2, len(columns), 2), key=lambda i: -lengths[i])
    alike = [i for i in places if len(set(columns[i])) == 1]
    hidden: set[int] = set()
    shown = names
    for place in (*alike, *(i for i in places if i not in alike)):
        if max(map(cell_len, shown)) <= room:
            break
        tried = _without(columns, {*hidden, place}, dots)
        if len(set(tried)) == len(names):
            hidden, shown = {*hidden, place}, tried
    return {name: cut_run(text, room, dots) for name, text in zip(names, shown, strict=True)}


def _without(columns: Sequence[Sequence[str]], hidden: set[int], dots: str) -> list[str]:
    """The names with dots in the place of some words, and of what stands between these."""
    kept = [
        [dots] * len(column) if i in hidden or {i - 1, i + 1} <= hidden else column
        for i, column in enumerate(columns)
    ]
    run = re.compile(f"(?:{re.escape(dots)}){{2,}}")
    return [run.sub(dots, "".join(parts)) for parts in zip(*kept, strict=True)]


def cut_run(text: str, width: int, dots: str) -> str:
    """`text` cut in its middle to `width` columns; its end begins with a word if one fits."""
    if cell_len(text) <= width:
        return text
    left = width - cell_len(dots)
    if left <= 0:
        return dots
    most = max(1, left * 2 // 3)
    ends = [text[found.end() :].removeprefix(dots) for found in _SEPARATORS.finditer(text)]
    fitting = [end for end in ends if 0 < cell_len(end) <= most]
    end = fitting[0] if fitting else front_of(text[::-1], most)[::-1]
    return front_of(text, left - cell_len(end)) + dots + end


def front_of(text: str, width: int) -> str:
    """The longest front of `text` in `width` columns."""
    kept = 0
    for i, sign in enumerate(text):
        kept += cell_len(sign)
        if kept > width:
            return text[:i]
    return text


def _numbered(short: Shortened, room: int, dots: str) -> Shortened:
    """Labels that several names would have end in a number instead."""
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for name, label in short.items():
        alike[label].append(name)
    taken, found = set(alike), dict(short)
    for label, names in alike.items():
        number = 0
        for name in sorted(names, key=natural_key) if len(names) > 1 else ():
            shown = label
            while shown in taken:
                number += 1
                end = f"{dots}#{number}"
                shown = front_of(name, room - len(end)) + end
            taken.add(shown)
            found[name] = shown
    return found
