"""What is declared of a setting of the policy: once, where `Policy` has its field.

Checks, JSON, schema, options with their help, names in errors, the reference, rules of fleets, the
command that repeats a plan, the words in reports and `Policy.without` are made from it.

A form says how a value is checked, written, and described in a schema. Each `check` returns the
value as the policy keeps it, or raises InputError at `place`. Forms are not compared and not
printed: every start of a command would pay for methods that nobody calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import Any, Final, Literal

from equilag.domain.errors import InputError
from equilag.domain.show import show


class Form:
    """What the values of a setting look like."""

    __slots__ = ()

    def check(self, value: Any, place: str) -> Any:
        """Return the value as the policy keeps it. Raises InputError."""
        raise NotImplementedError

    def json(self, value: Any) -> Any:
        """Return the value as JSON, which `check` takes again."""
        return value

    def words(self, value: Any) -> list[str]:
        """Return the values of the option on a command line; none for an option without any."""
        return [str(value)]

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a value that is in force."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OneOfNames(Form):
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
class Whole(Form):
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
class Percent(Form):
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
class Seconds(Form):
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
class Flag(Form):
    """True or false; the option stands for true."""

    def check(self, value: Any, place: str) -> bool:
        if type(value) is not bool:
            raise InputError(f"{show(value)} is not true or false", place)
        return value

    def words(self, value: Any) -> list[str]:
        return []

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Entries(Form):
    """A list of entries; the option is repeated for each."""

    parse: Callable[[object, str], tuple[Any, ...]]
    """Check the entries of a list, mapping or command line."""
    to_json: Callable[[tuple[Any, ...]], Any]
    json_schema: dict[str, Any]

    def check(self, value: Any, place: str) -> tuple[Any, ...]:
        return self.parse(value, place)

    def json(self, value: Any) -> Any:
        return self.to_json(value)

    def words(self, value: Any) -> list[str]:
        entries = self.to_json(value)
        if not isinstance(entries, list):
            return [str(entries)]
        return [one if isinstance(one, str) else ",".join(map(str, one)) for one in entries]

    def schema(self) -> dict[str, Any]:
        return deepcopy(self.json_schema)


Family = Literal[
    "goals", "moves", "weight", "capacities", "room", "instances", "racks", "co-partitioning",
    "pins", "members",
]  # fmt: skip
"""What a setting is about; `Policy.without` takes families away."""

OVERRIDES: Final[tuple[Family, ...]] = (
    "capacities", "room", "instances", "co-partitioning", "pins", "members",
)  # fmt: skip
"""Families whose settings stand in for what the group says of itself."""

Command = Literal["plan", "size", "fleet", "steward"]
"""A command, or several that take the same settings: `plan` stands for all that plan one group."""

COMMANDS: Final[tuple[Command, ...]] = ("plan", "size", "fleet", "steward")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Setting:
    """The declaration of one setting."""

    default: Any
    form: Form
    family: Family
    metavar: str = ""
    help: str = ""
    """What the option does, in one sentence without the default; also the row of the reference."""
    _: KW_ONLY
    default_words: str = ""
    """What the help says of the default, where that is not the value itself."""
    commands: tuple[Command, ...] = COMMANDS
    """Those that have the option."""
    refused: Mapping[Command, str] = field(default_factory=dict)
    """Command -> why it cannot take the setting."""
    excludes: str = ""
    """The name of a setting that leaves no room for it."""
    words: Callable[[Any], str] | None = None
    """A value in force -> what the line about the policy says of it."""
    always: bool = False
    """True if it stands in a plan's JSON at its default, too."""
    shown_with: tuple[str, str] | None = None
    """Another setting and its value: it stands in a plan's JSON just with that."""
    name: str = ""
    """Of the field of `Policy`, in JSON and in rules of fleets."""
    place: str = ""
    """Its name in errors and, with dashes, its option, where that is not the field's name."""

    def checked(self, value: Any, place: str = "") -> Any:
        """The value as the policy keeps it; None is the default. Raises InputError at `place`."""
        if value is None or value is self.default:
            return self.default
        return self.form.check(value, place or self.place)

    def json(self, value: Any) -> Any:
        return None if value is None else self.form.json(value)

    @property
    def option(self) -> str:
        return f"--{self.place.replace('_', '-')}"


def setting(
    default: Any, form: Form, family: Family, metavar: str, help_text: str, **more: Any
) -> Any:
    """Return the field of `Policy` that is declared so, with the fields of `Setting`."""
    declared = Setting(default, form, family, metavar, help_text, **more)
    return field(default=default, metadata={"setting": declared})


def settings_of(policy: type[Any]) -> dict[str, Setting]:
    """Return the settings that a class declares, by name."""
    found = {}
    for one in fields(policy):
        declared: Setting = one.metadata["setting"]
        place = declared.place or one.name
        found[one.name] = replace(declared, name=one.name, place=place)
    return found
