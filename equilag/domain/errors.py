"""The errors that equilag raises deliberately; any other exception is a bug."""

from __future__ import annotations

from typing import Final

MAX_TEXT: Final = 500
"""Characters of an exception's text that are kept."""


class EquilagError(Exception):
    """Base of all errors raised by equilag."""


class InputError(EquilagError, ValueError):
    """Input that cannot be accepted.

    `source` names the file, None for data in memory. `place` is the position in it, in the form
    ``members[3].owned.orders[2]``, empty for the input as a whole.
    """

    def __init__(self, problem: str, place: str = "", source: str | None = None) -> None:
        self.problem = problem
        self.place = place
        self.source = source
        super().__init__(problem, place, source)

    def __str__(self) -> str:
        parts = [part for part in (self.source, self.place, self.problem) if part]
        return ": ".join(parts).replace("\n", " ").replace("\r", " ")


class MissingExtra(EquilagError):
    """A part of equilag needs a package that is not installed."""


NO_PROMETHEUS_CLIENT: Final = "metrics need prometheus_client: pip install 'equilag[steward]'"


class ContradictedBound(EquilagError):
    """A plan is better than a bound that was claimed to be proved: a bug in equilag."""


class SparkFailed(EquilagError):
    """A Spark job ended with an error raised by Spark itself."""


def describe_error(error: BaseException) -> str:
    """Return an exception's type and text in one line."""
    try:
        text = " ".join(str(error).split())[:MAX_TEXT]
    except Exception:  # noqa: BLE001  an exception's __str__ may raise as well
        text = "(its text cannot be shown)"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def whole_number(value: object, place: str, least: int = 0, most: int | None = None) -> int:
    """Return an argument of a call if it is a whole number within a range; raises InputError."""
    if type(value) is int and value >= least and (most is None or value <= most):
        return value
    within = f", {least} or more" if most is None else f" from {least} to {most:,}"
    raise InputError(f"{value!r} is not a whole number{within}", place)
