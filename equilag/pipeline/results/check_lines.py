"""Check JSON lines against a table's columns, line by line. Spark loads what passes unchanged."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Final

from equilag.domain.errors import InputError
from equilag.pipeline.results.run_tables import TABLES, TableName

_LONG: Final = 2**63
"""Values of a 64-bit integer column are below this."""
_INT: Final = 2**31
"""Partition numbers, which are 32-bit integers, are below this."""
MAX_SHOWN: Final = 60
"""Characters of a wrong value that fit into a one-line message."""


def check_lines(path: str, table: TableName) -> None:
    """Raise InputError for the first line that is not an object with the table's columns.

    A nullable column may be missing from a line.
    """
    columns = {column.name: column for column in TABLES[table]}
    required = [c.name for c in columns.values() if not c.nullable]
    tests = {c.name: (_TESTS[c.kind], c.nullable, c.kind) for c in columns.values()}
    for number, line in _lines(path):
        place = f"line {number}"
        try:
            row = json.loads(line, object_pairs_hook=_object)
        except _DuplicateKey as error:
            raise InputError("appears twice", f"{place}: column {error}", path) from error
        except (ValueError, RecursionError) as error:
            raise InputError(f"not JSON: {error}", place, path) from error
        if not isinstance(row, dict):
            raise InputError("not an object", place, path)
        for name, value in row.items():
            if name not in tests:
                problem = f"unknown; the columns of {table} are {', '.join(columns)}"
                raise InputError(problem, f"{place}: column {name}", path)
            is_valid, nullable, kind = tests[name]
            if not (is_valid(value) or (value is None and nullable)):
                shown = json.dumps(value)
                shown = shown if len(shown) <= MAX_SHOWN else shown[: MAX_SHOWN - 1] + "…"
                problem = f"must be {_EXPECTED[kind]}, not {shown}"
                raise InputError(problem, f"{place}: column {name}", path)
        for name in required:
            if name not in row:
                raise InputError("missing", f"{place}: column {name}", path)


class _DuplicateKey(Exception):
    """A JSON object has this key twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _DuplicateKey(next(key for key in keys if keys.count(key) > 1))
    return made


def _lines(path: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, numbered from 1. Raises InputError."""
    try:
        with _opened(path) as stream:
            for number, line in enumerate(stream, 1):
                if line.strip(" \t\r\n"):
                    yield number, line
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {reason}", source=path) from error
    except UnicodeDecodeError as error:
        raise InputError("not UTF-8", source=path) from error


def _opened(path: str) -> IO[str]:
    if path.lower().endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8")
    return Path(path).open(encoding="utf-8")


def _is_long(value: Any) -> bool:
    return type(value) is int and -_LONG <= value < _LONG


def _is_text(value: Any) -> bool:
    return type(value) is str and (value.isascii() or _is_unicode(value))


def _is_unicode(text: str) -> bool:
    """Return False for unpaired surrogates, which Spark would replace by question marks."""
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_texts(value: Any) -> bool:
    return type(value) is list and all(_is_text(v) for v in value)


def _is_owned(value: Any) -> bool:
    return type(value) is dict and all(
        _is_text(topic)
        and type(held) is list
        and all(type(p) is int and -_INT <= p < _INT for p in held)
        for topic, held in value.items()
    )


_TESTS: Final[dict[str, Callable[[Any], bool]]] = {
    "bigint": _is_long,
    "string": _is_text,
    "double": _is_number,
    "array<string>": _is_texts,
    "map<string,array<int>>": _is_owned,
}
_EXPECTED: Final = {
    "bigint": "a whole number",
    "string": "a string",
    "double": "a number",
    "array<string>": "a list of strings",
    "map<string,array<int>>": "an object of lists of partition numbers",
}
