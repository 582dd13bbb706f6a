"""What lines around tables say: the group that they are about, its state, errors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from equilag.adapters.describe.printed_text import TextLine, places_with
from equilag.domain.errors import InputError
from equilag.domain.show import shorten

_STATE: Final = re.compile(
    r"Consumer group '(?P<group>[^']*)' (?P<state>is rebalancing|has no active members)"
)
_SUMMARY: Final = re.compile(
    r"\s*(?:GROUP(?:[ -]ID)?\s{2,}|(?:[Cc]onsumer )?[Gg]roup(?:[ -]?(?:ID|id))?\s*:\s*)(\S+)\s*"
)
"""The line that some tools print above a group's table."""
_NAMED: Final = re.compile(
    r"--group(?:=|\s+)(['\"]?)([^\s'\"]+)\1"
    r"|\b(?:rpk\s+group\s+describe|kafkactl\s+describe\s+(?:consumer-group|cg)"
    r"|confluent\s+kafka\s+consumer\s+group\s+lag\s+list)\s+([\w.][^\s'\"]*)"
)
"""Commands."""
_PLACEHOLDER: Final = re.compile(r"[<$\[{(%].*|.*[>\]})]")
"""What documentation writes in place of a group's name."""
_FAILURE: Final = re.compile(
    r"\s*(?:Error\b(?::| while| executing).*"
    r"|(?:The c|C)onsumer group '.*' does not exist\.?"
    r"|(?:Exception in thread |Caused by: ).*|(?:[\w$]+\.){2,}\w*(?:Exception|Error)\b.*"
    r"|\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S*\s+(?:ERROR|FATAL)\b.*)"
)
_MOVING: Final = re.compile(r"\b(?:Preparing|Completing)Rebalance\b|\b(?:Assigning|Reconciling)\b")
_COMMANDS: Final = "onsumer group '", "--group", "rpk", "kafkactl", "confluent"
_FAILURES: Final = "rror", "xception", "ERROR", "FATAL", "not exist", "Caused by"


def telling(lines: Sequence[str]) -> set[int]:
    """The places of the lines that say something of groups, and few others."""
    named = (at for at in places_with(("roup", "GROUP"), lines) if _SUMMARY.match(lines[at]))
    return {*named, *places_with((*_COMMANDS, *_FAILURES), lines)}


@dataclass(slots=True)
class Messages:
    """What is known from lines that are no rows of tables."""

    named: list[str] = field(default_factory=list)
    """Groups that commands and messages name, in order; each once."""
    current: str | None = None
    """The group that the tables below are about, where they do not say it."""
    rebalancing: set[str] = field(default_factory=set)
    inactive: set[str] = field(default_factory=set)
    """Groups without active members."""
    failure: TextLine | None = None
    """The first line that reports an error."""

    def read(self, line: TextLine) -> None:
        """Take what the line says of groups. Most lines say nothing."""
        text = line.text
        if state := _STATE.search(text):
            self._name(state["group"])
            moving = state["state"] == "is rebalancing"
            (self.rebalancing if moving else self.inactive).add(state["group"])
        elif _FAILURE.fullmatch(text):
            self.failure = self.failure or line
        elif named := _NAMED.search(text):
            self._name((named[2] or named[3]).rstrip(".,;:)`\\"))
        elif summary := _SUMMARY.fullmatch(text):
            self._name(summary[1])

    def read_state(self, line: TextLine, group: str | None) -> None:
        """Take the row of a table of --state."""
        name = group or self.current
        if name is not None and _MOVING.search(line.text):
            self.rebalancing.add(name)

    def error(self) -> InputError | None:
        """Return the error that the text reports, if it does."""
        if self.failure is None:
            return None
        problem = f"an error reported by Kafka: {shorten(self.failure.text.strip())}"
        return InputError(problem, f"line {self.failure.number}")

    def _name(self, group: str) -> None:
        if not group or _PLACEHOLDER.fullmatch(group):
            return
        self.current = group
        if group not in self.named:
            self.named.append(group)
