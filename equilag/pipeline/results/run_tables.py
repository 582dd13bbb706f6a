"""Read selected columns and rows of a finished run's tables, without Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from equilag.domain.errors import InputError, MissingExtra
from equilag.domain.show import guess, show
from equilag.pipeline.results.run_dir import SUMMARY

if TYPE_CHECKING:
    import pyarrow

NAMES: Final = ("group", "assignor", "topic", "from", "to")
"""Columns with few distinct strings. They are read dictionary-encoded, which is much faster."""


def read_columns(
    path: str,
    table: str,
    columns: Sequence[str],
    where: Mapping[str, str] | None = None,
) -> pyarrow.Table:
    """Read columns of a table of the run in `path`: all rows, or those with the values in `where`.

    Raises InputError naming directory and table if the table is missing or cannot be read, and
    MissingExtra without pyarrow.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtra("a fleet's run needs pyarrow: pip install 'equilag[arrow]'")
    import pyarrow
    from pyarrow import parquet

    files = sorted(Path(path, table).glob("[!._]*.parquet"))
    if not files:
        raise InputError("missing: this run is incomplete", table, path)
    matching = [(name, "=", value) for name, value in (where or {}).items()] or None
    try:
        parts = []
        for file in files:
            present = parquet.read_schema(file).names
            for name in columns:
                if name not in present:
                    raise InputError("missing", f"{table}: column {name}", path)
            encoded = [] if matching else [name for name in NAMES if name in columns]
            parts.append(
                parquet.read_table(
                    file,
                    columns=list(columns),
                    filters=matching,
                    read_dictionary=encoded,
                    partitioning=None,
                )
            )
        return pyarrow.concat_tables(parts)
    except (OSError, pyarrow.ArrowException) as error:
        reason = getattr(error, "strerror", None) or (str(error).splitlines() or ["broken"])[0]
        raise InputError(f"cannot be read: {reason}", table, path) from error


def rows_of(
    path: str,
    table: str,
    columns: Sequence[str],
    where: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """Read as `read_columns` does, and return a dict per row."""
    rows: list[dict[str, Any]] = read_columns(path, table, columns, where).to_pylist()
    return rows


def plan_row(path: str, group: str, columns: Sequence[str]) -> dict[str, Any]:
    """Return the row of `plans/` of one group.

    Raises InputError if the run has no such group (with the most similar name), or if the group was
    not planned (with the reason).
    """
    try:
        group.encode()
    except UnicodeEncodeError:  # Arrow refuses such a string, so no table can contain it
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
    """Raise InputError if the summary lacks a field that its readers need."""
    for name, fields in _NEEDED.items():
        if name not in summary:
            raise InputError("missing", f"{SUMMARY}: {name}", path)
        for field in fields:
            if not isinstance(summary[name], dict) or field not in summary[name]:
                raise InputError("missing", f"{SUMMARY}: {name}.{field}", path)
