"""The directory of one run: all of it or none, `_SUCCESS` last."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from equilag.errors import InputError

FORMAT: Final = "equilag/fleet/1"
SUCCESS: Final = "_SUCCESS"
SUMMARY: Final = "summary.json"
WORK: Final = "_work"
"""What only the run itself needs; gone when it is done."""


def check_target(path: str) -> Path:
    """Where a new run may go: a directory that is not there yet, or empty. Raises InputError."""
    target = Path(path).absolute()
    try:
        if target.exists() and not target.is_dir():
            raise InputError("cannot be written: it is no directory", source=path)
        if target.is_dir() and any(target.iterdir()):
            ours = (target / SUMMARY).exists() or (target / WORK).exists()
            problem = "holds a run already" if ours else "is not empty"
            raise InputError(f"{problem}; each run needs a directory of its own", source=path)
        above = next(p for p in target.parents if p.exists())
        if not above.is_dir():
            raise InputError(f"cannot be written: {str(above)!r} is no directory", source=path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", source=path) from error
    return target


@contextmanager
def new_run(path: str) -> Iterator[Path]:
    """The directory of a run while it is made; what is in it goes again if the run fails.

    Raises InputError where it cannot be made.
    """
    target = check_target(path)
    made = [p for p in (target, *target.parents) if not p.exists()]
    try:
        (target / WORK).mkdir(parents=True)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", source=path) from error
    try:
        yield target
    except BaseException:
        for entry in target.iterdir():
            with suppress(OSError):
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        raise


def finish_run(target: Path, summary: dict[str, Any]) -> None:
    """Write the summary, drop what nobody needs any more, and say that the run is complete."""
    text = json.dumps({"format": FORMAT, **summary}, indent=1) + "\n"
    (target / SUMMARY).write_text(text, "utf-8")
    shutil.rmtree(target / WORK)
    (target / SUCCESS).touch()


def read_summary(path: str) -> dict[str, Any]:
    """The summary of a finished run. Raises InputError."""
    target = Path(path)
    if not target.is_dir():
        raise InputError("cannot be read: no such directory", source=path)
    if not (target / SUCCESS).exists():
        raise InputError("no finished run: there is no _SUCCESS in it", source=path)
    try:
        summary = json.loads((target / SUMMARY).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"no run of equilag fleet: {error}", SUMMARY, path) from error
    if not isinstance(summary, dict) or summary.get("format") != FORMAT:
        raise InputError(f"not {FORMAT}", f"{SUMMARY}: format", path)
    return summary
