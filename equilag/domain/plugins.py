"""Things that users add from outside: by entry point, or as ``module:attribute``.

A user's code may fail in any way. Whatever it raises becomes an InputError here, `SystemExit` and
the errors of compiled extensions that are no `Exception` included; only an interruption passes.
What it prints goes to standard error: standard output is for reports.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from equilag.domain.errors import InputError, describe_error

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Result = TypeVar("Result")


def installed(entry_point_group: str) -> dict[str, EntryPoint]:
    """What installed packages offer, by name; nothing is imported."""
    from importlib.metadata import distributions  # slow to import, and rarely needed

    found: dict[str, EntryPoint] = {}
    for distribution in distributions():
        try:
            points = distribution.entry_points.select(group=entry_point_group)
        except Exception:  # noqa: BLE001  a package with broken metadata must not hide the others
            continue
        for point in points:
            found.setdefault(point.name, point)  # of two releases Python imports the first
    return found


def package_of(point: EntryPoint) -> str | None:
    """The name and version of the package that offers an entry point; None if it is unknown."""
    try:
        return None if point.dist is None else f"{point.dist.name} {point.dist.version}"
    except Exception:  # noqa: BLE001  broken metadata
        return None


def load(what: str, name: str, reference: str) -> Any:
    """The object at ``module:attribute``; a class is called without arguments.

    Raises InputError at the place `what`.
    """

    def found() -> Any:
        module, _, attribute = reference.partition(":")
        it = attrgetter(attribute)(import_module(module))
        return it() if isinstance(it, type) else it

    return guarded(what, f"{what} {name!r} cannot be loaded", found)


def guarded(what: str, problem: str, call: Callable[[], Result]) -> Result:
    """What a user's code returns. Raises InputError at the place `what`, with `problem`."""
    try:
        with redirect_stdout(sys.stderr):
            return call()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise InputError(f"{problem} ({describe_error(error)})", what) from error
