"""The shapes of JSON values: objects with known fields, and lists."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any, TypeAlias

from equilag.adapters.snapshot.parse_columns import Numbers
from equilag.domain.errors import InputError
from equilag.domain.show import below, guess, kind, not_a

Object: TypeAlias = dict[str, Any]


def as_object(value: object, place: str) -> Object:
    """Return `value` if it is an object; raises InputError."""
    if not isinstance(value, dict):
        raise InputError(not_a(value, "an object"), place)
    if not set(map(type, value)) <= {str}:  # only data made in Python can fail here
        key = next(key for key in value if type(key) is not str)
        raise InputError(f"{kind(key)} as a key, not a string", place)
    return value


def as_list(value: object, place: str) -> list[Any]:
    """Return `value` if it is a list; raises InputError."""
    if not isinstance(value, list):
        raise InputError(not_a(value, "a list"), place)
    return value


def as_lists(value: object, place: str) -> Object:
    """Return `value` if it is an object whose values are lists, Numbers included.

    Raises InputError.
    """
    found = as_object(value, place)
    if not set(map(type, found.values())) <= {list, Numbers}:
        for key, row in found.items():
            if not isinstance(row, Numbers):
                as_list(row, below(place, key))
    return found


def check_keys(value: Object, known: Set[str], required: Iterable[str], place: str) -> None:
    """Refuse unknown fields and missing ones; raises InputError."""
    if not value.keys() <= known:
        key = next(key for key in value if key not in known)
        raise InputError(f"unknown field{guess(key, known)}", below(place, key))
    for key in sorted(required):
        if key not in value:
            raise InputError("missing, but required", below(place, key))
