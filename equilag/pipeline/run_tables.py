"""The tables of a finished run, read without Spark: only the columns and rows asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from equilag.adapters.show import guess, show
from equilag.errors import InputError, MissingExtra
from equilag.pipeline.run_dir import SUMMARY

if TYPE_CHECKING:
    import pyarrow

BATCHES: Final = 32
"""Parts in which a row group is read where only some rows are asked for."""
NAMES: Final = ("group", "assignor", "topic", "from", "to")
"""Columns in which the same strings come again and again: left encoded, they read much faster."""


def read_columns(
    path: str, table: str, columns: Sequence[str], where: Mapping[str, str] | None = None
) -> pyarrow.Table:
    """Columns of a table of the run in `path`; of all rows, or of those with the values in `where`.

    Raises InputError, which names directory and table, for a table that is missing or cannot be
    read, and MissingExtra without pyarrow.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtra("fleets need the package pyarrow: pip install 'equilag[spark]'")
    import pyarrow
    import pyarrow.parquet

    files = sorted(Path(path, table).glob("[!._]*.parquet"))
    if not files:
        raise InputError("missing, so this run is not whole", table, path)
    try:
        parts = []
        for file in files:
            there = pyarrow.parquet.read_schema(file).names
            for name in columns:
                if name not in there:
                    raise InputError("missing", f"{table}: column {name}", path)
            encoded = [name for name in NAMES if name in there]
            with pyarrow.parquet.ParquetFile(file, read_dictionary=encoded) as parquet:
                parts += _parts(parquet, list(columns), where or {})
        return pyarrow.concat_tables(parts)
    except (OSError, pyarrow.ArrowException) as error:
        reason = getattr(error, "strerror", None) or (str(error).splitlines() or ["broken"])[0]
        raise InputError(f"cannot be read: {reason}", table, path) from error


def _parts(parquet: Any, columns: list[str], where: Mapping[str, str]) -> list[pyarrow.Table]:
    """The rows asked for out of one `ParquetFile`, as one table or several."""
    import pyarrow
    import pyarrow.compute as pc

    if not where:
        return [parquet.read(columns)]
    parts = [parquet.schema_arrow.empty_table().select(columns)]
    for number in range(parquet.num_row_groups):
        # First only the columns asked about: most row groups then need no further reading.
        asked = parquet.read_row_group(number, list(where))
        same = (
            pc.fill_null(pc.equal(asked[name].cast("string"), value), False)
            for name, value in where.items()
        )
        fits = reduce(pc.and_, same)
        places = pc.indices_nonzero(fits)
        if not len(places):
            continue
        # Batch by batch up to the last row that fits: a row of `problems/` can be large.
        last, at = places[-1].as_py(), 0
        for batch in parquet.iter_batches(len(fits) // BATCHES + 1, [number], columns):
            inside = fits.slice(at, len(batch))
            parts.append(pyarrow.Table.from_batches([batch]).filter(inside))
            at += len(batch)
            if at > last:
                break
    return parts


def rows_of(
    path: str, table: str, columns: Sequence[str], where: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """As `read_columns`, a dict per row."""
    rows: list[dict[str, Any]] = read_columns(path, table, columns, where).to_pylist()
    return rows


def plan_row(path: str, group: str, columns: Sequence[str]) -> dict[str, Any]:
    """The row of `plans/` of one group.

    Raises InputError for a group that is not there, or was not planned, with what is known of it.
    """
    try:
        group.encode()
    except UnicodeEncodeError:  # not from any table, and Arrow does not take it
        raise InputError(f"there is no group {show(group)}", source=path) from None
    rows = rows_of(path, "plans", columns, {"group": group})
    if rows:
        return rows[0]
    failed = rows_of(path, "failures", ("kind", "reason"), {"group": group})
    if failed:
        kind, reason = failed[0]["kind"], failed[0]["reason"]
        raise InputError(f"group {show(group)} was not planned: {kind}: {reason}", source=path)
    known = [
        name
        for table in ("plans", "failures")
        for name in read_columns(path, table, ("group",))["group"].to_pylist()
    ]
    raise InputError(f"there is no group {show(group)}{guess(group, known)}", source=path)


_NEEDED: Final = {
    "at": (),
    "settings": ("weight", "auto_offset_reset", "horizon_s"),
    "planned": (
        "groups", "partitions", "members", "moves", "by_status", "median_gap_percent",
        "p95_gap_percent",
    ),
    "failed": ("groups", "by_kind"),
    "assignors": (),
    "quality": ("samples", "faults"),
    "forecast": ("partitions",),
}  # fmt: skip


def check_summary(summary: Mapping[str, Any], path: str) -> None:
    """Raise InputError if something that is read from every summary is not in this one."""
    for name, fields in _NEEDED.items():
        if name not in summary:
            raise InputError("missing", f"{SUMMARY}: {name}", path)
        for field in fields:
            if not isinstance(summary[name], dict) or field not in summary[name]:
                raise InputError("missing", f"{SUMMARY}: {name}.{field}", path)
