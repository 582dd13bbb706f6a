"""The places of a JSON document, and documents with other values there."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Path = tuple[Any, ...]


def places(document: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of all values of a document, the document itself first."""
    yield path
    if isinstance(document, dict):
        for key, value in document.items():
            yield from places(value, (*path, key))
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from places(value, (*path, index))


def value_at(document: Any, path: Path) -> Any:
    for key in path:
        document = document[key]
    return document


def replaced(document: Any, path: Path, value: Any) -> Any:
    """The document with another value at the path; it shares what lies beside the path."""
    if not path:
        return value
    key, *rest = path
    found = copy.copy(document)
    found[key] = replaced(document[key], (*rest,), value) if rest else value
    return found


def without(document: Any, path: Path) -> Any:
    """The document without the value at the path, which is not the whole of it."""
    rest = copy.copy(value_at(document, path[:-1]))
    del rest[path[-1]]
    return replaced(document, path[:-1], rest)
