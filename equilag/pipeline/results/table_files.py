"""Find the files of a table and check that each has the required columns.

The check runs before anything is computed or written, so a wrong column is a one-line error instead
of a failed job. Paths are local, or on a file system mounted at the same place on all workers.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from equilag.domain.errors import InputError
from equilag.pipeline.results.check_lines import check_lines
from equilag.pipeline.results.run_tables import TABLES, TableName

PARQUET: Final = (".parquet",)
LINES: Final = (".jsonl", ".ndjson", ".json", ".jsonl.gz", ".ndjson.gz", ".json.gz")
MAX_SHOWN_SOURCE: Final = 200
"""Characters of a path that the system refused, which may be too long for a message."""


class TableFiles(NamedTuple):
    """The files of one table, by kind."""

    parquet: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def size(self) -> int:
        """Total size in bytes."""
        return sum(Path(path).stat().st_size for path in self.parquet + self.lines)


def find_files(sources: Sequence[str], table: TableName) -> TableFiles:
    """Return the data files named by `sources`: files, directories (recursively) and patterns.

    Directories are searched without hidden entries and entries that begin with an underscore, such
    as Spark's `_SUCCESS`. Raises InputError for a source that is missing, of an unknown kind, or
    without data files.
    """
    found: list[str] = []
    for source in sources:
        try:
            found += _files_of(source, table)
        except OSError as error:
            reason = error.strerror or str(error)
            problem = f"cannot be read: {reason}"
            raise InputError(problem, source=source[:MAX_SHOWN_SOURCE]) from error
    unique = list(dict.fromkeys(found))
    for path in unique:
        _check_name(path)
    return TableFiles(
        tuple(p for p in unique if _kind(p) == "parquet"),
        tuple(p for p in unique if _kind(p) == "lines"),
    )


def _files_of(source: str, table: TableName) -> list[str]:
    if not source:
        raise InputError(f"the path of the {table} is empty")
    path = Path(source)
    if path.is_dir():
        inside = _inside(path)
        if not inside:
            raise InputError(
                f"this directory holds no parquet or JSON-lines files of {table}", source=source
            )
        return inside
    if path.is_file():
        if _kind(source) is None:
            raise InputError(
                f"must be {', '.join(PARQUET)}, or {', '.join(LINES[:3])} (also .gz)",
                source=source,
            )
        return [source]
    patterns = glob.glob(source)  # noqa: PTH207 - the pattern may be absolute
    matches = [p for p in sorted(patterns) if Path(p).is_dir() or _kind(p)]
    found = [f for p in matches for f in (_inside(Path(p)) if Path(p).is_dir() else [p])]
    if not found:
        raise InputError("cannot be read: no such file or directory", source=source)
    return found


def _inside(folder: Path) -> list[str]:
    """Return the data files below a directory, following links. Raises OSError."""
    found: list[str] = []
    seen: set[str] = set()

    def give_up(error: OSError) -> None:
        raise error

    for above, below, names in os.walk(folder, followlinks=True, onerror=give_up):
        resolved = os.path.realpath(above)
        if resolved in seen:
            below.clear()  # a link to a directory that was searched already
            continue
        seen.add(resolved)
        below[:] = sorted(name for name in below if not name.startswith((".", "_")))
        found += [
            os.path.join(above, name)  # noqa: PTH118 - keeps the spelling of the user's path
            for name in names
            if not name.startswith((".", "_")) and _kind(name)
        ]
    return sorted(found)


def _check_name(path: str) -> None:
    """Raise InputError for file names that Spark ignores or misreads."""
    name = Path(path).name
    if not Path(path).is_file():
        reason = "not a regular file" if Path(path).exists() else "no such file or directory"
        raise InputError(f"cannot be read: {reason}", source=path)
    if name.startswith((".", "_")):
        raise InputError("Spark ignores files whose names begin with . or _", source=path)
    if ":" in name:
        raise InputError("Spark cannot read files with a colon in their names", source=path)


def _kind(path: str) -> str | None:
    name = path.lower()
    if name.endswith(PARQUET):
        return "parquet"
    return "lines" if name.endswith(LINES) else None


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
            problem = f"must be of type {_EXPECTED[column.kind]}{hint}, not {given}"
            raise InputError(problem, f"column {column.name}", source=path)


_EXPECTED: Final = {
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
