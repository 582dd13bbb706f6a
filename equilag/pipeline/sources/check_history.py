"""Check that the files of a history have the columns of its tables.

The check runs before anything is computed or written, so a wrong column is a one-line error instead
of a failed job. Of JSON lines each is looked at; Spark loads what passes unchanged.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from equilag.domain.errors import InputError
from equilag.pipeline.sources.history import TABLES, TableFiles, TableName


def check_files(files: TableFiles, table: TableName) -> None:
    """Raise InputError naming file and column for the first file with wrong columns."""
    for path in files.parquet:
        check_parquet(path, table)
    for path in files.lines:
        check_lines(path, table)


def check_parquet(path: str, table: TableName) -> None:
    """Check the schema in a parquet file's footer against the table's columns.

    Raises InputError for the first column that is unknown, duplicate, missing or of a wrong type.
    """
    import pyarrow
    import pyarrow.parquet

    try:
        schema = pyarrow.parquet.read_schema(path)
    except (OSError, pyarrow.ArrowException) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise InputError(f"cannot be read as parquet: {reason}", source=path) from error
    columns = {column.name: column for column in TABLES[table]}
    names = list(schema.names)
    for name in names:
        if name not in columns:
            problem = f"unknown; the columns of {table} are {', '.join(columns)}"
            raise InputError(problem, f"column {name}", source=path)
        if names.count(name) > 1:
            raise InputError("appears twice", f"column {name}", source=path)
    for column in columns.values():
        if column.name not in names:
            if not column.optional:
                raise InputError("missing", f"column {column.name}", source=path)
            continue
        given = schema.field(column.name).type
        if not _is_kind(given, column.kind):
            hint = " (milliseconds since 1970)" if column.name == "ts_ms" else ""
            problem = f"must be of type {_IN_PARQUET[column.kind]}{hint}, not {given}"
            raise InputError(problem, f"column {column.name}", source=path)


_IN_PARQUET: Final = {
    "bigint": "int64 (or int32)",
    "string": "string",
    "double": "double",
    "array<string>": "list<string>",
    "map<string,array<int>>": "map<string, list<int32>>",
}


def _is_kind(given: object, kind: str) -> bool:
    import pyarrow.types as is_

    if is_.is_null(given):
        return False
    match kind:
        case "bigint":
            return bool(is_.is_signed_integer(given))
        case "string":
            return bool(is_.is_string(given) or is_.is_large_string(given)) or (
                is_.is_dictionary(given) and _is_kind(given.value_type, "string")  # type: ignore[attr-defined]
            )
        case "double":
            return bool(is_.is_float64(given) or is_.is_float32(given))
        case "array<string>":
            listed = is_.is_list(given) or is_.is_large_list(given)
            return bool(listed) and _is_kind(given.value_type, "string")  # type: ignore[attr-defined]
        case _:
            if not is_.is_map(given) or not _is_kind(given.key_type, "string"):  # type: ignore[attr-defined]
                return False
            inner = given.item_type  # type: ignore[attr-defined]
            return bool(is_.is_list(inner) and is_.is_int32(inner.value_type))


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
    tests = {c.name: (*_IN_LINES[c.kind], c.nullable) for c in columns.values()}
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
            is_valid, expected, nullable = tests[name]
            if not (is_valid(value) or (value is None and nullable)):
                shown = json.dumps(value)
                shown = shown if len(shown) <= MAX_SHOWN else shown[: MAX_SHOWN - 1] + "…"
                problem = f"must be {expected}, not {shown}"
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
        opened = gzip.open if path.lower().endswith(".gz") else Path.open
        with opened(Path(path), "rt", encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip(" \t\r\n"):
                    yield number, line
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {reason}", source=path) from error
    except UnicodeDecodeError as error:
        raise InputError("not UTF-8", source=path) from error


def _is_long(value: Any) -> bool:
    return type(value) is int and -_LONG <= value < _LONG


def _is_text(value: Any) -> bool:
    """Return False also for unpaired surrogates, which Spark would replace by question marks."""
    return type(value) is str and (
        value.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in value)
    )


def _is_owned(value: Any) -> bool:
    return type(value) is dict and all(
        _is_text(topic)
        and type(held) is list
        and all(type(p) is int and -_INT <= p < _INT for p in held)
        for topic, held in value.items()
    )


_IN_LINES: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "bigint": (_is_long, "a whole number"),
    "string": (_is_text, "a string"),
    "double": (lambda value: type(value) in (int, float), "a number"),
    "array<string>": (
        lambda value: type(value) is list and all(map(_is_text, value)),
        "a list of strings",
    ),
    "map<string,array<int>>": (_is_owned, "an object of lists of partition numbers"),
}
"""Kind of a column -> the test of a value, and what errors ask for."""
