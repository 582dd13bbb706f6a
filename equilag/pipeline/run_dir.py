"""The directory of one run: all of it or none, `_SUCCESS` last."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from equilag.errors import EquilagError, InputError

FORMAT: Final = "equilag/fleet/1"
SUCCESS: Final = "_SUCCESS"
PAUSES: Final = (0.0, 0.2, 0.5, 1.0, 2.0)
"""Seconds to wait for a directory to stay empty."""
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
            problem = "is not empty"
            if (target / SUCCESS).exists():
                problem = "holds a run already"
            elif (target / WORK).exists():
                problem = "holds an unfinished run, which can be removed"
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
    """Remove what is in it, until it stays away: tasks that were cancelled may still be writing."""
    for pause in PAUSES:
        with suppress(OSError):
            for entry in target.iterdir():
                with suppress(OSError):
                    shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        time.sleep(pause)
        with suppress(OSError):
            if not any(target.iterdir()):
                return


def finish_run(target: Path, summary: dict[str, Any]) -> None:
    """Write the summary, drop what nobody needs any more, and say that the run is complete."""
    text = json.dumps({"format": FORMAT, **summary}, indent=1) + "\n"
    (target / SUMMARY).write_text(text, "utf-8")
    shutil.rmtree(target / WORK)
    (target / SUCCESS).touch()


@contextmanager
def reading_run(path: str) -> Iterator[None]:
    """What a damaged or edited run makes the readers inside stumble over, as InputError."""
    try:
        yield
    except EquilagError:
        raise
    except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        text = " ".join(str(error).split())[:200]
        problem = f"this run is damaged: {type(error).__name__}: {text}"
        raise InputError(problem, source=path) from error


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
