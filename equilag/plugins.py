"""Things that users add from outside: by entry point, or as ``module:attribute``."""

from __future__ import annotations

from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from equilag.errors import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def installed(entry_point_group: str) -> dict[str, EntryPoint]:
    """What installed packages offer, by name; nothing is imported."""
    from importlib.metadata import entry_points  # slow to import, and rarely needed

    return {point.name: point for point in entry_points(group=entry_point_group)}


def load(what: str, name: str, reference: str) -> Any:
    """The object at ``module:attribute``; a class is called without arguments.

    Raises InputError at the place `what`.
    """
    module, _, attribute = reference.partition(":")
    try:
        found = attrgetter(attribute)(import_module(module))
        return found() if isinstance(found, type) else found
    except Exception as error:  # a user's module may fail in any way while it is imported
        problem = f"{what} {name!r} cannot be loaded ({type(error).__name__}: {error})"
        raise InputError(problem, what) from error
