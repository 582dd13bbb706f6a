"""The report on the groups of a cluster or a text: a row per group, the worst first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from equilag.domain.document import to_document
from equilag.domain.figures import form, number, plural, shorten, time_span
from equilag.domain.group.group import Group
from equilag.domain.group.lag import UNKNOWN
from equilag.domain.plan.metrics import member_loads, spread
from equilag.domain.plan.verdict import VerdictFacts
from equilag.planner.verdict.quick_verdict import quick_verdict
from equilag.planner.worth.thresholds import VerdictLimits
from equilag.report import report_blocks as b
from equilag.report.words.group import DOCS, group_name, sign_of

FORMAT: Final = "equilag/groups/1"
GUESS: Final = "? if all members subscribe to all topics, which the text does not say"
MAX_STATE: Final = 13
"""Characters of a group's state; Kafka's names of states differ within fewer."""


@dataclass(frozen=True, slots=True)
class LiveGroupFacts:
    """A group; figures of members are None where no member reads anything, and all of them for a
    group of a kind that is not read."""

    group: str
    state: str
    kind: str
    """The kind, as `equilag.adapters.kafka.group_kinds` has it, such as ``classic``."""
    members: int | None = None
    partitions: int | None = None
    lag: int | None = None
    lag_spread: int | None = None
    worst_member: str | None = None
    worst_share_percent: float | None = None
    unknown_lags: int = 0
    """Partitions whose lag could not be read."""
    remarks: Sequence[str] = ()
    cause: str | None = None
    """The cause that its action is about; None for none."""
    action: str | None = None
    """What to do."""
    seconds_behind: float | None = None
    """Its lag in seconds of production; None where rates are unknown."""
    verdict: VerdictFacts | None = None

    @property
    def asks(self) -> bool:
        """True if something is to be done."""
        return self.verdict is not None and self.verdict.worth_it


def live_group_facts(
    group: Group,
    limits: VerdictLimits | None = None,
    *,
    state: str = "",
    kind: str = "",
    remarks: Sequence[str] = (),
) -> LiveGroupFacts:
    """The figures of a group that was read, and the verdict on it."""
    loads = member_loads(group.owner, group.lag, group.n_members)
    total, active, worst = int(group.lag.sum()), not group.idle.all(), int(loads.max(initial=0))
    rate = 0.0 if group.rates is None else float(np.nansum(group.rates))
    verdict = quick_verdict(group, limits)
    return LiveGroupFacts(
        group=group.name,
        state=state,
        kind=kind,
        members=group.n_members,
        partitions=group.n_partitions,
        lag=total,
        lag_spread=spread(loads, group.idle) if active else None,
        worst_member=group.members[int(loads.argmax())].id if worst else None,
        worst_share_percent=100 * worst / total if active and total else None,
        unknown_lags=int(np.count_nonzero(group.quality == UNKNOWN)),
        remarks=remarks,
        cause=verdict.cause,
        action=verdict.action,
        seconds_behind=total / rate if rate else None,
        verdict=verdict,
    )


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

    def asks(self) -> bool:
        return any(row.asks for row in self.groups)

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
                one.action and sign_of(one.action).short + (" ?" if _is_guess(one) else ""),
                one.cause, one.lag,
                None if one.seconds_behind is None else time_span(one.seconds_behind),
                one.members, one.partitions, shorten(one.state, MAX_STATE) or None,
                one.kind or None, one.lag_spread, one.worst_share_percent,
            )
            for one in self.groups
        )  # fmt: skip
        yield b.Table(columns, rows, "Groups", few=len(rows)).known()
        if any(one.cause for one in self.groups):
            yield b.Notes((f"causes: {DOCS}",))
        if unknown := sum(row.unknown_lags for row in self.groups):
            yield b.Notes((f"* without {plural(unknown, 'partition')} whose lag is unknown",))
        if any(_is_guess(one) for one in self.groups):
            yield b.Notes((GUESS,))
        if self.next_command is not None:
            yield b.Commands((("More on the worst group:", self.next_command),))


def _is_guess(row: LiveGroupFacts) -> bool:
    """True if it is not known whether members may read what the plan of a group gives them."""
    causes = row.verdict.causes if row.verdict and row.action == "move" else ()
    return any(one.cause == "uneven-assignment" and not one.sure for one in causes)
