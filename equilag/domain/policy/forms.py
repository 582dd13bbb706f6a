"""Forms of values of settings: how one is checked, written, and described in a schema.

Each `check` returns the value as the policy keeps it, or raises InputError at `place`. Forms are
not compared and not printed: every start of a command would pay for methods that nobody calls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from equilag.domain.errors import InputError
from equilag.domain.show import show


class Form(Protocol):
    """What the values of a setting look like."""

    def check(self, value: Any, place: str) -> Any:
        """Return the value as the policy keeps it. Raises InputError."""

    def json(self, value: Any) -> Any:
        """Return the value as JSON, which `check` takes again."""

    def words(self, value: Any) -> list[str]:
        """Return the values of the option on a command line; none for an option without any."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a value that is in force."""


class _OneValue:
    """A value that JSON and command line write as it is."""

    __slots__ = ()

    def json(self, value: Any) -> Any:
        return value

    def words(self, value: Any) -> list[str]:
        return [str(value)]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OneOfNames(_OneValue):
    """One of some names of something."""

    names: tuple[str, ...]
    what: str

    def check(self, value: Any, place: str) -> str:
        for name in self.names:
            if value == name:
                return name
        raise InputError(f"unknown {self.what} {value!r}; one of {', '.join(self.names)}", place)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.names)}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Whole(_OneValue):
    """A whole number, 0 or more and less than `below`."""

    below: int | None = None
    below_words: str = ""
    """How messages write the largest value."""

    def check(self, value: Any, place: str) -> int:
        if type(value) is int and value >= 0 and (self.below is None or value < self.below):
            return value
        required = f"from 0 to {self.below_words}" if self.below else "0 or more"
        spaced = " " if self.below else ", "
        raise InputError(f"{show(value)} is not a whole number{spaced}{required}", place)

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": 0}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Percent(_OneValue):
    """A percentage from 0 to `most`."""

    most: int

    def check(self, value: Any, place: str) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InputError(f"{show(value)} is not a number", place)
        if not 0 <= value <= self.most:
            raise InputError(f"{show(value)} is not between 0 and {self.most} percent", place)
        return float(value)

    def words(self, value: Any) -> list[str]:
        return [repr(value).removesuffix(".0")]

    def schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": 0, "maximum": self.most}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Seconds(_OneValue):
    """A number of seconds, more than 0 and at most 10^9, which is more than 30 years."""

    def check(self, value: Any, place: str) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InputError(f"{show(value)} is not a number of seconds", place)
        if not 0 < value <= 1e9:
            raise InputError(f"{show(value)} is not more than 0 and at most 10^9 seconds", place)
        return float(value)

    def words(self, value: Any) -> list[str]:
        """``300s``; without an exponent, which durations do not have."""
        return [f"{value:.6f}".rstrip("0").rstrip(".") + "s"]

    def schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": 0}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Flag:
    """True or false; the option stands for true."""

    def check(self, value: Any, place: str) -> bool:
        if type(value) is not bool:
            raise InputError(f"{show(value)} is not true or false", place)
        return value

    def json(self, value: Any) -> Any:
        return value

    def words(self, value: Any) -> list[str]:
        return []

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Entries:
    """A list of entries; the option is repeated for each."""

    parse: Callable[[object, str], tuple[Any, ...]]
    """Check the entries of a list, mapping or command line."""
    to_json: Callable[[tuple[Any, ...]], Any]
    json_schema: Callable[[], dict[str, Any]]

    def check(self, value: Any, place: str) -> tuple[Any, ...]:
        return self.parse(value, place)

    def json(self, value: Any) -> Any:
        return self.to_json(value)

    def words(self, value: Any) -> list[str]:
        entries = self.to_json(value)
        if isinstance(entries, str):
            return [entries]
        return [one if isinstance(one, str) else ",".join(map(str, one)) for one in entries]

    def schema(self) -> dict[str, Any]:
        return self.json_schema()
