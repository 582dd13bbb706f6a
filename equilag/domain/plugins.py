"""Things that users add from outside: by entry point, or as ``module:attribute``.

A user's code may fail in any way. Whatever it raises becomes an InputError here, `SystemExit` and
the errors of compiled extensions that are no `Exception` included; only an interruption passes.
What it prints goes to standard error: standard output is for reports.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from equilag.domain.errors import InputError, describe_error
from equilag.domain.show import guess

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


@dataclass(frozen=True, slots=True)
class Extensions:
    """Things of one kind by name: built-in ones, installed ones, and those at
    ``module:attribute``. Nothing is imported before it is asked for."""

    what: str
    """One of them, as errors call it; also the place of these errors."""
    entry_points: str
    """The group of entry points by which packages offer them."""
    attribute: str
    """What an error calls the attribute of a module."""
    built_in: Mapping[str, str]
    """Name -> ``module:attribute``."""

    def names(self) -> tuple[str, ...]:
        """The built-in ones in their fixed order, then installed ones by name."""
        others = installed(self.entry_points).keys() - self.built_in.keys()
        return (*self.built_in, *sorted(others))

    def installed_as(self, name: str) -> EntryPoint | None:
        """The entry point of a name; None where no package has it, or a built-in one."""
        return None if name in self.built_in else installed(self.entry_points).get(name)

    def get(self, name: str) -> Any:
        """The one called `name`, or at ``module:attribute``. Raises InputError.

        A built-in name cannot be taken over by an installed package.
        """
        point = self.installed_as(name)
        reference = self.built_in.get(name, name) if point is None else point.value
        if point is None and ":" not in reference:
            known = self.names()
            problem = f"unknown {self.what} {name!r}; one of {', '.join(known)}"
            raise InputError(
                f"{problem}, or MODULE:{self.attribute}{guess(name, known)}", self.what
            )
        return load(self.what, name, reference)


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
