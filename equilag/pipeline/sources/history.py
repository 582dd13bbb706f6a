"""A history: its tables, the files that hold them, and the same as Spark's tables.

Paths are local, or on a file system mounted at the same place on all workers.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from equilag.domain.errors import InputError

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession


Kind = Literal["bigint", "string", "double", "array<string>", "map<string,array<int>>"]
TableName = Literal["offsets", "members", "racks"]


END_OF_TIME: Final = 253_402_300_800_000
"""Begin of the year 10000 in milliseconds since 1970; RFC 3339 has four digits for the year."""


class TableColumn(NamedTuple):
    """A column of a table."""

    name: str
    kind: Kind
    nullable: bool = False
    """True if rows may lack a value. A row that lacks another column's value is invalid."""
    optional: bool = False
    """True if a file may lack the column."""


OFFSETS: Final = (
    TableColumn("ts_ms", "bigint"),
    TableColumn("group", "string"),
    TableColumn("topic", "string"),
    TableColumn("partition", "bigint"),
    TableColumn("log_start", "bigint"),
    TableColumn("log_end", "bigint"),
    TableColumn("committed", "bigint", nullable=True),
    TableColumn("log_bytes", "bigint", nullable=True, optional=True),
)
MEMBERS: Final = (
    TableColumn("ts_ms", "bigint"),
    TableColumn("group", "string"),
    TableColumn("member", "string", nullable=True),
    TableColumn("subscription", "array<string>", nullable=True),
    TableColumn("owned", "map<string,array<int>>", nullable=True),
    TableColumn("rack", "string", nullable=True),
    TableColumn("capacity", "double", nullable=True),
    TableColumn("instance_id", "string", nullable=True, optional=True),
    TableColumn("generation", "bigint", nullable=True, optional=True),
    TableColumn("client_id", "string", nullable=True, optional=True),
    TableColumn("host", "string", nullable=True, optional=True),
    TableColumn("max_partitions", "bigint", nullable=True, optional=True),
    TableColumn("instance", "string", nullable=True, optional=True),
)
"""A row with `member` null means that the group had no members at that time."""

RACKS: Final = (
    TableColumn("ts_ms", "bigint", nullable=True, optional=True),
    TableColumn("topic", "string"),
    TableColumn("partition", "bigint"),
    TableColumn("racks", "array<string>", nullable=True),
)

TABLES: Final[dict[TableName, tuple[TableColumn, ...]]] = {
    "offsets": OFFSETS,
    "members": MEMBERS,
    "racks": RACKS,
}


def ddl(columns: Iterable[tuple[Any, ...]]) -> str:
    """Return columns, which begin with name and kind, as a schema in Spark's DDL syntax."""
    return ", ".join(f"`{name}` {kind}" for name, kind, *_ in columns)


def arrow_types() -> Mapping[str, pyarrow.DataType]:
    """Return kind -> Arrow type; Spark's parser of types is not available on executors."""
    import pyarrow as pa

    return {
        "bigint": pa.int64(),
        "int": pa.int32(),
        "string": pa.string(),
        "double": pa.float64(),
        "array<string>": pa.list_(pa.string()),
        "map<string,array<int>>": pa.map_(pa.string(), pa.list_(pa.int32())),
    }


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
                f"must be {', '.join(PARQUET)}, or {', '.join(LINES[:3])} (also .gz)", source=source
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


class History(NamedTuple):
    """The tables `offsets`, `members` and `racks`, with the columns of `TABLES`.

    `unreadable` (group, reason) holds the groups that the source could not decode. `notes` are
    further facts about the source, for the summary.
    """

    offsets: DataFrame
    members: DataFrame
    unreadable: DataFrame | None = None
    notes: Mapping[str, Any] = MappingProxyType({})
    racks: DataFrame | None = None


def read_files(spark: SparkSession, files: TableFiles, table: TableName) -> DataFrame:
    """Return the rows of files that passed `check_files`; missing columns are null."""
    schema = ddl(TABLES[table])
    frames = []
    if files.parquet:
        frames.append(spark.read.schema(schema).parquet(*map(literal, files.parquet)))
    if files.lines:
        lines = spark.read.schema(schema).option("mode", "FAILFAST")
        frames.append(lines.json(list(map(literal, files.lines))))
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.unionByName(frame)
    return whole


def literal(path: str) -> str:
    """Escape a path, which Spark would otherwise read as a pattern."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", path)
