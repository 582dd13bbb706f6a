"""The report on the groups of a cluster or a text: a row per group, the worst first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from equilag.domain.document import to_document
from equilag.domain.figures import form, number, plural, shorten, time_span
from equilag.report import report_blocks as b
from equilag.report.words.group import group_name
from equilag.report.words.signs import sign_of

if TYPE_CHECKING:
    from equilag.planner.facts.live_group import LiveGroupFacts

FORMAT: Final = "equilag/groups/1"
MAX_STATE: Final = 13
"""Characters of a group's state; Kafka's names of states differ within fewer."""


@dataclass(frozen=True)
class GroupsReport(b.Report):
    kind = "live-groups"

    groups: tuple[LiveGroupFacts, ...]
    left_out: Mapping[str, str]
    """Group -> why it could not be read."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What was asked for: the cluster, which groups, and how commits become lag."""
    next_command: str | None = None
    """The command that says more of the worst group; None if none needs something."""
    taken_at: str | None = None
    """When the groups were read: RFC 3339 in UTC."""

    def document(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "taken_at": self.taken_at,
            "settings": dict(self.settings),
            "groups": [to_document(row) for row in self.groups],
            "left_out": dict(self.left_out),
        }

    def parts(self) -> Iterator[b.Block]:
        if not self.groups:
            none = "no groups: the cluster has none, none matches, or DESCRIBE is missing"
            yield b.Notes((none,), "text")
            return
        lag = sum(row.lag or 0 for row in self.groups)
        asking = sum(row.asks for row in self.groups)
        need = f", {number(asking)} {form(asking, 'needs', 'need')} something" if asking else ""
        title = plural(len(self.groups), "group")
        yield b.Section(title, (), f", total lag {number(lag)}{need}")
        columns = (
            b.Column("group", "name"), b.Column("to do", "text"),
            b.Column("cause", "text", optional=True), b.Column("lag"),
            b.Column("behind", "text", optional=True), b.Column("members", optional=True),
            b.Column("partitions", optional=True), b.Column("state", "text", optional=True),
            b.Column("kind", "text", optional=True), b.Column("spread", optional=True),
            b.Column("worst", "percent", optional=True),
        )  # fmt: skip
        rows = tuple(
            (
                group_name(one.group) + (" *" if one.unknown_lags else ""),
                one.action and sign_of(one.action).short, one.cause, one.lag,
                None if one.seconds_behind is None else time_span(one.seconds_behind),
                one.members, one.partitions, shorten(one.state, MAX_STATE) or None,
                one.kind or None, one.lag_spread, one.worst_share_percent,
            )
            for one in self.groups
        )  # fmt: skip
        yield b.Table(columns, rows, "Groups", few=len(rows)).known()
        if unknown := sum(row.unknown_lags for row in self.groups):
            yield b.Notes((f"* without {plural(unknown, 'partition')} whose lag is unknown",))
        if self.next_command is not None:
            yield b.Commands((("More on the worst group:", self.next_command),))
