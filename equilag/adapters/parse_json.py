"""JSON as strict as a snapshot needs it: no duplicate keys, every failure an InputError; TOML."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from equilag.domain.errors import InputError
from equilag.domain.show import show
from equilag.domain.values import below


def parse_json(text: str) -> object:
    """Return the value of a JSON text.

    NaN and Infinity become floats, which the check of the field refuses with its place. Raises
    InputError (without a source): for a syntax error with line and column, for a duplicate key with
    the place of its object.
    """
    if not text or text.isspace():
        raise InputError("empty; a JSON object is required")
    duplicates: list[tuple[dict[str, object], str]] = []

    def collect(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) != len(pairs):
            duplicates.append((found, _first_duplicate(pairs)))
        return found

    try:
        value: object = json.loads(text, object_pairs_hook=collect)
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


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text. Raises InputError (without a source)."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InputError("not TOML: nested too deeply") from None
    except ValueError as error:
        raise InputError(f"not TOML: {error}") from error


def _first_duplicate(pairs: list[tuple[str, object]]) -> str:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return key
        seen.add(key)
    raise AssertionError("no key is there twice")


def _place_of(wanted: object, root: object) -> str:
    """Return the place of the object `wanted` in `root`; empty if a later key replaced it."""
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
