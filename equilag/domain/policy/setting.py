"""What is declared of a setting of the policy: once, where `Policy` has its field.

Checks, JSON, schema, options with their help, names in errors, the reference, rules of fleets, the
command that repeats a plan, the words in reports and `Policy.without` are made from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import Any, Final, Literal

from equilag.domain.policy.forms import Form

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

    @property
    def option(self) -> str:
        return f"--{self.place.replace('_', '-')}"


def setting(declared: Setting) -> Any:
    """Return the field of `Policy` that is declared so."""
    return field(default=declared.default, metadata={"setting": declared})


def settings_of(policy: type[Any]) -> dict[str, Setting]:
    """Return the settings that a class declares, by name."""
    found = {}
    for one in fields(policy):
        declared: Setting = one.metadata["setting"]
        place = declared.place or one.name
        found[one.name] = replace(declared, name=one.name, place=place)
    return found
