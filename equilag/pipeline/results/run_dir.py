"""The directory of one run: complete or removed, `_SUCCESS` is written last; and its tables, read
without Spark."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from equilag.domain.errors import EquilagError, InputError, MissingExtra
from equilag.domain.show import guess, show

if TYPE_CHECKING:
    import pyarrow

FORMAT: Final = "equilag/fleet/1"
SUCCESS: Final = "_SUCCESS"
PAUSES: Final = (0.0, 0.2, 0.5, 1.0, 2.0)
"""Seconds to wait between attempts to empty a directory: cancelled tasks end within seconds."""
SUMMARY: Final = "summary.json"
MAX_TEXT: Final = 200
"""Characters of an error's text that fit into a one-line message."""
WORK: Final = "_work"
"""Folder of intermediate tables, removed at the end of the run."""


def check_target(path: str) -> Path:
    """Return the directory of a new run. It must be empty or not exist yet. Raises InputError."""
    target = Path(path).absolute()
    try:
        if target.exists() and not target.is_dir():
            raise InputError("cannot be written: not a directory", source=path)
        if target.is_dir() and any(target.iterdir()):
            problem = "is not empty"
            if (target / SUCCESS).exists():
                problem = "already holds a run"
            elif (target / WORK).exists():
                problem = "holds an unfinished run, which can be removed"
            raise InputError(f"{problem}; each run needs its own directory", source=path)
        above = next(p for p in target.parents if p.exists())
        if not above.is_dir():
            raise InputError(f"cannot be written: {str(above)!r} is not a directory", source=path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", source=path) from error
    return target


@contextmanager
def new_run(path: str) -> Iterator[Path]:
    """Create the directory of a run; if the run inside fails, remove all that it has written.

    Raises InputError if the directory cannot be created or written.
    """
    target = check_target(path)
    made = [p for p in (target, *target.parents) if not p.exists()]
    try:
        (target / WORK).mkdir(parents=True)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", source=path) from error
    try:
        yield target
    except BaseException as error:
        _empty(target)
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        if isinstance(error, OSError):
            problem = f"cannot be written: {error.strerror or error}"
            raise InputError(problem, source=path) from error
        raise


def _empty(target: Path) -> None:
    """Empty the directory, repeatedly, since cancelled tasks may still be writing."""
    for pause in PAUSES:
        with suppress(OSError):
            for entry in target.iterdir():
                with suppress(OSError):
                    shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        time.sleep(pause)
        with suppress(OSError):
            if not target.exists() or not any(target.iterdir()):
                return


def finish_run(target: Path, summary: dict[str, Any]) -> None:
    """Write the summary, remove intermediate tables, and mark the run as complete."""
    text = json.dumps({"format": FORMAT, **summary}, indent=1, allow_nan=False) + "\n"
    (target / SUMMARY).write_text(text, "utf-8")
    shutil.rmtree(target / WORK)
    (target / SUCCESS).touch()


@contextmanager
def reading_run(path: str) -> Iterator[None]:
    """Turn the errors that a damaged or edited run causes in its readers into InputErrors."""
    try:
        yield
    except EquilagError:
        raise
    except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        text = " ".join(str(error).split())[:MAX_TEXT]
        problem = f"this run is damaged: {type(error).__name__}: {text}"
        raise InputError(problem, source=path) from error


def read_summary(path: str) -> dict[str, Any]:
    """Read the summary of a finished run. Raises InputError."""
    target = Path(path)
    if not target.is_dir():
        raise InputError("cannot be read: no such directory", source=path)
    if not (target / SUCCESS).exists():
        raise InputError(f"not a finished run: it holds no {SUCCESS}", source=path)
    try:
        summary = json.loads((target / SUMMARY).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"not a run of equilag fleet: {error}", SUMMARY, path) from error
    if not isinstance(summary, dict) or summary.get("format") != FORMAT:
        raise InputError(f"must be {FORMAT}", f"{SUMMARY}: format", path)
    return summary


NAMES: Final = ("group", "assignor", "topic", "from", "to")
"""Columns with few distinct strings. They are read dictionary-encoded, which is much faster."""


def read_columns(
    path: str, table: str, columns: Sequence[str], where: Mapping[str, str] | None = None
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
        raise InputError("has no parquet files: is it complete?", table, path)
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


def plan_row(path: str, group: str, columns: Sequence[str]) -> dict[str, Any]:
    """Return the row of `plans/` of one group.

    Raises InputError if the run has no such group (with the most similar name), or if the group was
    not planned (with the reason).
    """
    try:
        group.encode()
    except UnicodeEncodeError:  # Arrow refuses such a string, so no table can contain it
        raise InputError(f"there is no group {show(group)}", source=path) from None
    rows: list[dict[str, Any]] = read_columns(path, "plans", columns, {"group": group}).to_pylist()
    if rows:
        return rows[0]
    failed = read_columns(path, "failures", ("kind", "reason"), {"group": group}).to_pylist()
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
