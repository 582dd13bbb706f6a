"""A group written to a file as a snapshot."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

from equilag.adapters.snapshot.write import snapshot_document
from equilag.adapters.whole_file import replace_file
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group


def save_snapshot(group: Group, path: str | os.PathLike[str]) -> None:
    """Write the snapshot of a group, `equilag/snapshot/1`, whole or not at all.

    `load_snapshot(path)` then gives the same group. A name that ends in ``.gz`` gets gzip data.
    What `snapshot_document` says of offsets and of claims applies here too. Raises InputError
    where the file cannot be written, for a name that ends in ``.zst``, which cannot, and for a
    group that was made for planning.
    """
    name = os.fspath(path)
    if name.endswith(".zst"):
        raise InputError("cannot be written as zstd; a name that ends in .gz can", source=name)
    data = (json.dumps(snapshot_document(group), allow_nan=False) + "\n").encode("ascii")
    if name.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    try:
        replace_file(Path(name).resolve(), data)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise InputError(f"cannot be written: {reason or error}", source=name) from error
