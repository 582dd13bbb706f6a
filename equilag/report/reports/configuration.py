"""The report on values of options that nobody types: which are in force, and from where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from equilag.domain.document import to_document
from equilag.domain.figures import listed, plural
from equilag.report import report_blocks as b

FORMAT: Final = "equilag/config/1"


@dataclass(frozen=True, slots=True)
class SettingInForce:
    """The value of an option, without secrets."""

    option: str
    """Such as --max-moves."""
    value: str | None
    """As it stands there, a value in each line, a default as the help words it; null for none."""
    layer: Literal["option", "environment", "profile", "default"]
    """What sets it; one that is typed comes before all others."""
    place: str | None
    """The variable, or profile and key; null for a default."""


@dataclass(frozen=True)
class ConfigReport(b.Report):
    kind = "configuration"

    file: str
    """Of profiles; it may not be there."""
    profile: str | None
    """The one in force."""
    profiles: Sequence[str]
    """All of the file."""
    command: str | None
    settings: Sequence[SettingInForce]

    def document(self) -> dict[str, Any]:
        return {"format": FORMAT, **to_document(self)}

    def parts(self) -> Iterator[b.Block]:
        typed = "of the environment"
        by_variable = sum(one.layer == "environment" for one in self.settings)
        profile = f"profile {self.profile}" if self.profile else "no profile"
        names = listed([*self.profiles], len(self.profiles)) or "none"
        yield b.Headline(f"In force: {profile}, {plural(by_variable, 'variable')} {typed}")
        yield b.Facts((b.Fact("profiles", names), b.Fact("file", self.file)))
        columns = b.Column("option", "name"), b.Column("value", "text"), b.Column("from", "text")
        rows = tuple(
            (one.option, one.value and one.value.replace("\n", ", "), one.place or one.layer)
            for one in self.settings
        )
        if rows:
            yield b.Table(columns, rows, "Values of options", few=len(rows))
