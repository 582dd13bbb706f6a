"""JSON as strict as a snapshot needs it: no duplicate keys, every failure an InputError."""

from __future__ import annotations

import json
from collections.abc import Callable

from equilag.errors import InputError
from equilag.show import below, show


def parse_json(text: str, constant: Callable[[str], object] | None = None) -> object:
    """The value of a JSON text.

    NaN and Infinity pass as the floats they are, so that whoever checks the field can name it;
    `constant`, if given, makes something else of their names.
    Raises InputError (without a source): syntax errors with line and column, duplicate keys with
    the place of the object that has them.
    """
    if not text or text.isspace():
        raise InputError("empty, where a JSON object is due")
    duplicates: list[tuple[dict[str, object], str]] = []

    def collect(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) != len(pairs):
            duplicates.append((found, _first_duplicate(pairs)))
        return found

    try:
        value: object = json.loads(text, object_pairs_hook=collect, parse_constant=constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise InputError(f"not valid JSON: {error.msg}", place) from error
    except RecursionError:
        # The chain of causes would drag thousands of frames along.
        raise InputError("not acceptable JSON: nested too deeply") from None
    except ValueError as error:  # Python's limit on the digits of an integer
        raise InputError("not acceptable JSON: a number with thousands of digits") from error
    if duplicates:
        owner, key = duplicates[0]
        raise InputError(f"duplicate key {show(key)}", _place_of(owner, value))
    return value


def _first_duplicate(pairs: list[tuple[str, object]]) -> str:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return key
        seen.add(key)
    raise AssertionError("no key is there twice")


def _place_of(wanted: object, root: object) -> str:
    """Where in `root` the object `wanted` is; empty if it is gone (it was itself overwritten)."""
    stack = [(root, "")]
    while stack:
        value, place = stack.pop()
        if value is wanted:
            return place
        if isinstance(value, dict):
            stack.extend((inner, below(place, key)) for key, inner in value.items())
        elif isinstance(value, list):
            stack.extend((inner, f"{place}[{index}]") for index, inner in enumerate(value))
    return ""
