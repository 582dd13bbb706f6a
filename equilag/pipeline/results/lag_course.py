"""The lag of one group over the time of a recording, read without Spark."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

import numpy as np

from equilag.domain.errors import InputError, MissingExtra
from equilag.pipeline.results.table_files import find_files

_COLUMNS: Final = ("ts_ms", "log_start", "log_end", "committed")


def lag_course(folder: str, group: str) -> list[tuple[float, int]]:
    """Seconds since the first sample of a group, and its lag then, in records. A partition without
    a commit counts as 0.

    `folder` is what `equilag collect` writes. Raises InputError, also for a group that is not in
    it, and MissingExtra without pyarrow.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtra("a recording needs the package pyarrow: pip install 'equilag[collect]'")
    import pyarrow
    from pyarrow import parquet

    files = find_files([str(Path(folder) / "offsets")], "offsets").parquet
    try:
        parts = [
            parquet.read_table(file, columns=[*_COLUMNS], filters=[("group", "=", group)])
            for file in files
        ]
    except (OSError, pyarrow.ArrowException) as error:
        reason = (str(error).splitlines() or ["broken"])[0]
        raise InputError(f"cannot be read: {reason}", "offsets", folder) from error
    if not sum(map(len, parts)):
        raise InputError(f"has no parquet rows of the group {group!r}", "offsets", folder)
    at, start, end, committed = (
        pyarrow.concat_tables(parts)[name].fill_null(-1).to_numpy() for name in _COLUMNS
    )
    known = (committed >= 0) & (end >= 0)
    lag = np.where(known, np.maximum(end - np.maximum(committed, start), 0), 0)
    times, place = np.unique(at, return_inverse=True)
    total = np.bincount(place, lag).astype(np.int64)
    return [*zip(((times - times[0]) / 1000).tolist(), total.tolist(), strict=True)]
