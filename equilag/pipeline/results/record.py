"""Record a history on disk: a parquet file per round and table, merged into one per hour.

`offsets/`, `members/` and `racks/` hold files called `part-TIME-RANDOM.parquet`, one per round with
the same name in each, and `hour-TIME-RANDOM.parquet`, the rounds of one hour. Only rounds in which
racks were read have a file in `racks/`. Files never change: each is written as `….parquet.part` and
renamed once it is complete and flushed to disk.

At any time, even after a kill, a reader of `*.parquet` sees

- each row at least once. A round appears in `offsets/` first. If the process is killed before the
  round appears in the others, the next start completes it from the finished `.part` files;
- no row twice, except between the appearance of an hour's file and the removal of its parts. That
  takes milliseconds, or until the next start if the process is killed in between. Such rows are
  equal in every column, so a reader can count and drop them; an exact reader must.

A reader that lists files first and opens them later may find the parts of an hour deleted, once an
hour. It then gets an error, never a wrong result.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:
    from equilag.domain.errors import MissingExtra

    raise MissingExtra("a recording needs pyarrow: pip install 'equilag[collect]'") from error

from equilag.domain.errors import InputError
from equilag.pipeline.results.run_dir import read_columns
from equilag.pipeline.sources.history import TABLES, arrow_types

Columns: TypeAlias = Mapping[str, list[Any]]

_TYPES: Final = arrow_types()
SCHEMAS: Final[dict[str, pa.Schema]] = {
    name: pa.schema([pa.field(c.name, _TYPES[c.kind], c.nullable) for c in columns])
    for name, columns in TABLES.items()
}
"""Folder -> schema. A round appears in the folders in this order."""

OPTIONAL: Final = "racks"
"""The table whose folder is there only once it has a row."""
LOCK: Final = ".collecting"
_HOUR_MS: Final = 3_600_000
_MERGED_ROWS: Final = 500_000
"""Rows that are merged, sorted and written at a time, which bounds the memory: a row takes about
100 bytes."""
_SOURCES: Final = b"equilag.parts"
"""The metadata key under which an hour's file names the parts it contains."""
_NAME: Final = re.compile(r"(part|hour)-([0-9]+)-[0-9a-f]+\.parquet")
_OURS: Final = re.compile(r"[^.].*\.parquet(\.part)?")


class Recorder:
    """Appends rounds to a history in `folder`, which is created if it does not exist.

    The constructor repairs what a killed run left behind. It raises InputError if the folder holds
    anything but a history, cannot be written, or is in use by another recorder.
    """

    def __init__(self, folder: str) -> None:
        self._shown = folder
        self._folder = Path(folder)
        self._lock: int | None = None
        with self._named():
            check_folder(folder)
            self._folder.mkdir(exist_ok=True)
            self._lock = _locked(self._folder / LOCK, folder)
            try:
                for name in TABLES:
                    if name != OPTIONAL:  # a reader takes an empty folder for an error
                        (self._folder / name).mkdir(exist_ok=True)
                self._recover()
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """Release the lock on the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def add(
        self, ts_ms: int, offsets: Columns, members: Columns, racks: Columns | None = None
    ) -> None:
        """Append a round to all tables or to none; racks only if there are any.

        Raises InputError if writing fails.
        """
        name = f"part-{ts_ms}-{secrets.token_hex(4)}.parquet"
        with self._named():
            parts = []
            try:
                for (table, schema), columns in zip(
                    SCHEMAS.items(), (offsets, members, racks), strict=True
                ):
                    if table == OPTIONAL:
                        if not (columns and columns["topic"]):
                            continue
                        (self._folder / table).mkdir(exist_ok=True)
                    path = self._folder / table / name
                    parts.append(path)
                    with _written(path, schema) as writer:
                        writer.write_table(pa.table(dict(columns or {}), schema=schema))
            except BaseException:
                for path in parts:
                    _part(path).unlink(missing_ok=True)
                raise
            # The first rename makes the round final: see _recover.
            for path in parts:
                _part(path).rename(path)

    def compact(self, now_ms: int) -> None:
        """Merge the parts of all hours before that of `now_ms`. Raises InputError if writing fails;
        no rows are lost then."""
        with self._named():
            for table, schema in SCHEMAS.items():
                for hour, parts in sorted(_by_hour(self._folder / table, "part").items()):
                    if hour < now_ms // _HOUR_MS:
                        _merge(parts, hour, schema)

    def _recover(self) -> None:
        first, *others = (self._folder / table for table in TABLES)
        for table in TABLES:
            for path in sorted((self._folder / table).glob("*.parquet.part")):
                name = path.name.removesuffix(".part")
                # A round is renamed in the first table only once it is complete in all tables.
                if self._folder / table in others and (first / name).exists():
                    path.rename(path.with_name(name))
                else:
                    path.unlink()
        for table in TABLES:
            hours = _by_hour(self._folder / table, "hour")
            for hour, parts in _by_hour(self._folder / table, "part").items():
                inside = {name for path in hours.get(hour, []) for name in _sources(path)}
                for part in parts:
                    if part.name in inside:
                        part.unlink()

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Turn errors of the system and of pyarrow into InputErrors that name the folder."""
        try:
            yield
        except OSError as error:
            problem = f"cannot be written: {error.strerror or error}"
            raise InputError(problem, "", self._shown) from error
        except pa.ArrowException as error:
            raise InputError(str(error).splitlines()[0], "", self._shown) from error


def check_folder(shown: str) -> None:
    """Raise InputError if the folder holds anything but a history. Writes nothing."""
    folder = Path(shown)
    try:
        exists = folder.exists()
    except OSError as error:
        problem = f"cannot be written: {error.strerror or error}"
        raise InputError(problem, "", shown[:200]) from error
    if not exists:
        if not folder.parent.is_dir():
            problem = f"cannot be created: the directory {str(folder.parent)!r} does not exist"
            raise InputError(problem, "", shown)
        return
    if not folder.is_dir():
        raise InputError("not a directory", "", shown)
    for path in sorted(folder.iterdir()):
        if path.name != LOCK and not (path.name in TABLES and path.is_dir()):
            raise InputError(f"not a history: it holds {path.name!r}", "", shown)
    for table in TABLES:
        if (folder / table).is_dir():
            for path in sorted((folder / table).iterdir()):
                if not _OURS.fullmatch(path.name):
                    inside = f"{table}/{path.name}"
                    raise InputError(f"not a history: it holds {inside!r}", "", shown)


def _locked(path: Path, shown: str) -> int:
    """Open and lock a file. The system releases the lock however the process ends.

    Raises InputError if another process holds the lock.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        import fcntl
    except ImportError:  # Windows has no such lock; users must avoid two recorders there
        return descriptor
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise InputError("another equilag collect is writing here", "", shown) from None
    return descriptor


def _by_hour(folder: Path, kind: str) -> dict[int, list[Path]]:
    """Hour -> files of this kind, oldest first."""
    found: dict[int, list[Path]] = {}
    for path in sorted(folder.glob(f"{kind}-*.parquet")):
        if match := _NAME.fullmatch(path.name):
            found.setdefault(int(match[2]) // _HOUR_MS, []).append(path)
    return found


def _merge(parts: list[Path], hour: int, schema: pa.Schema) -> None:
    names = ",".join(part.name for part in parts)
    path = parts[0].with_name(f"hour-{hour * _HOUR_MS}-{secrets.token_hex(4)}.parquet")
    try:
        with _written(path, schema.with_metadata({_SOURCES: names.encode()})) as writer:
            for table in _pieces(parts, schema):
                # Sorted rows compress to a fraction of the size.
                names_of_keys = ("group", "topic", "partition", "ts_ms")
                keys = [(name, "ascending") for name in names_of_keys if name in schema.names]
                writer.write_table(table.sort_by(keys))
    except BaseException:
        _part(path).unlink(missing_ok=True)
        raise
    _part(path).rename(path)
    for part in parts:
        part.unlink()


def _pieces(parts: list[Path], schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the rows of all parts in tables of about `_MERGED_ROWS`. Raises InputError."""
    held: list[pa.Table] = []
    for part in parts:
        try:
            held.append(pq.read_table(part, schema=schema, partitioning=None))
        except pa.ArrowException as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"cannot be read as parquet: {reason}", "", str(part)) from error
        if sum(table.num_rows for table in held) >= _MERGED_ROWS:
            yield pa.concat_tables(held)
            held = []
    if held:
        yield pa.concat_tables(held)


def _sources(path: Path) -> list[str]:
    """Return the names of the parts that an hour's file contains."""
    metadata = pq.read_schema(path).metadata or {}
    return [
        name for name in metadata.get(_SOURCES, b"").decode("utf-8", "replace").split(",") if name
    ]


def _part(path: Path) -> Path:
    return path.with_name(path.name + ".part")


@contextmanager
def _written(path: Path, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    """Yield a writer to the `.part` file of `path`; at exit the file is flushed to disk."""
    part = _part(path)
    with pq.ParquetWriter(part, schema, compression="zstd") as writer:
        yield writer
    with part.open("rb") as stream:
        os.fsync(stream.fileno())


_LAG_COLUMNS: Final = ("ts_ms", "log_start", "log_end", "committed")


def lag_course(folder: str, group: str) -> list[tuple[float, int]]:
    """Seconds since the first sample of a group, and its lag then, in records. A partition without
    a commit counts as 0. Raises InputError, also for a group that is not in the folder."""
    rows = read_columns(folder, "offsets", _LAG_COLUMNS, {"group": group})
    if not len(rows):
        raise InputError(f"has no parquet rows of the group {group!r}", "offsets", folder)
    at, start, end, committed = (rows[name].fill_null(-1).to_numpy() for name in _LAG_COLUMNS)
    known = (committed >= 0) & (end >= 0)
    lag = np.where(known, np.maximum(end - np.maximum(committed, start), 0), 0)
    times, place = np.unique(at, return_inverse=True)
    total = np.bincount(place, lag).astype(np.int64)
    return [*zip(((times - times[0]) / 1000).tolist(), total.tolist(), strict=True)]
