"""How messages write values, places and counts: short, on one line, values as in JSON."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Container, Iterable, Sequence
from typing import Final

LONGEST: Final = 60
"""Characters of one value or name: a message with a place and two of them fits two lines."""
MAX_NAMED: Final = 3
"""Names, or what else a sentence lists: with names of 40 characters they fit two lines."""
MAX_IN_LINE: Final = 5
"""The same of a line that has nothing else."""
MAX_COMPARED: Final = 10_000
"""Names that a wrong one is compared with: some 0.1 s."""
PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+")
MASK: Final = "***"
_NAMED: Final = re.compile(r"([\w.-]+)=")
_SECRET: Final = re.compile(
    r"^(?:sasl|ssl)\.|(?:^--|\.).*(?:password|passphrase|secret|token|credential|jaas|pem|key|user.info)",
    re.IGNORECASE,
)
"""Names of what may be a secret, but for these."""
_HARMLESS: Final = (".location", ".keytab", ".protocol", ".mechanism", ".mechanisms", ".algorithm",
                    ".type", ".username", ".id", ".ms")  # fmt: skip
_ADDRESS: Final = re.compile(r"((?:://|^|(?<=[\s,]))[^/\s:@,=]*):[^/\s]*@")
_IN_ADDRESS: Final = re.compile(r"(?<=://)[^/\s@:]+(?=@)|(?<=[?#])\S+")
_MANY_BITS: Final = 256
"""An integer of more bits is not written out: nobody can check 77 digits by eye."""


def shorten(text: str, width: int = LONGEST, dots: str = "…") -> str:
    """Return `text`, cut at its end to `width` characters."""
    return text if len(text) <= width else text[: max(0, width - len(dots))] + dots


def show(value: object) -> str:
    """Return a value as it stands in JSON, shortened; of a container only its kind."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        quoted = json.dumps(value[: 2 * LONGEST], ensure_ascii=False)
        return shorten(quoted if quoted.isprintable() else json.dumps(value[: 2 * LONGEST]))
    if isinstance(value, int):
        bits = int.bit_length(value)
        # Python refuses to print integers of thousands of digits.
        return f"an integer of {bits} bits" if bits > _MANY_BITS else shorten(int.__repr__(value))
    if isinstance(value, float):
        if math.isfinite(value):
            return float.__repr__(value)
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return kind(value)


def kind(value: object) -> str:
    """Return the kind of a JSON value, with its article."""
    names: tuple[tuple[type, str], ...] = (
        (bool, "a boolean"),
        (int, "an integer"),
        (float, "a float"),
        (str, "a string"),
        (list, "a list"),
        (dict, "an object"),
    )
    if value is None:
        return "null"
    for known, name in names:
        if isinstance(value, known):
            return name
    return f"a Python {type(value).__name__}"


def name_of(name: str) -> str:
    """Return a name as it is, or in quotes where it has other characters than names of Kafka."""
    return shorten(name) if PLAIN_NAME.fullmatch(name) else show(name)


def masked(text: str) -> str:
    """Return a text without the secrets that it may hold: values of named properties, and passwords
    in addresses."""
    text = _ADDRESS.sub(rf"\1:{MASK}@", text)
    if "://" in text:
        text = _IN_ADDRESS.sub(MASK, text)
    for found in _NAMED.finditer(text):
        if _SECRET.search(found[1]) and not found[1].endswith(_HARMLESS):
            return f"{text[: found.end()]}{MASK}"
    return text


def masked_property(text: str, known: Container[str]) -> str:
    """Return a property NAME=VALUE without its value where that may be a secret, as of a name that
    is not known, and nothing of a text that is no such line."""
    name, equals, value = text.strip().partition("=")
    if not equals or not PLAIN_NAME.fullmatch(name):
        return MASK
    if "\n" in value or name not in known:
        return f"{name}={MASK}"
    return masked(f"--{name}={value}").removeprefix("--")


def some_of(names: Sequence[str], most: int = MAX_NAMED) -> str:
    """Return the first of the names, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def guess(word: object, known: Iterable[str]) -> str:
    """Return `, did you mean "…"?` if something known is close to `word`, else nothing."""
    close = closest(word, known) if isinstance(word, str) else []
    return f", did you mean {' or '.join(map(show, close))}?" if close else ""


def closest(word: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Return what somebody may have meant by `word`: what begins with it, else what is like it."""
    among = list(known)[:MAX_COMPARED]
    begin = [name for name in among if len(word) > 1 and name.startswith(word)]
    return begin[:most] or difflib.get_close_matches(word[: 2 * LONGEST], among, n=most)


def plural(count: int, word: str, words: str | None = None) -> str:
    """Return a count with its word: `1 member`, `7 members`."""
    return f"{count:,} {form(count, word, words)}"


def form(count: int, word: str, words: str | None = None) -> str:
    """Return the form of a word that goes with a number: `member`, `members`."""
    return word if count == 1 else words or word + "s"
