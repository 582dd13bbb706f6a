"""The report on what brokers and groups are ready for: what would be lost, what next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, TypeVar

from equilag.domain.document import to_document
from equilag.domain.figures import listed, plural
from equilag.report import report_blocks as b
from equilag.report.words.group import group_name

FORMAT: Final = "equilag/readiness/1"

T = TypeVar("T")
_PLUG_IN: Final[Mapping[int | None, str]] = {None: "missing", 0: "there, but first"}
Leads: TypeAlias = Literal["now", "possible", "not yet", "never"]
"""``not yet``: something has to be done first."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do, and the command or the setting that does it."""

    words: str
    command: str


@dataclass(frozen=True, slots=True)
class BrokerReadiness:
    """What a broker is ready for."""

    broker: int
    """Id of the broker."""
    assignors: str | None
    """Its group.consumer.assignors; null before Kafka 3.7."""
    heartbeat_ms: int | None
    """Its group.consumer.min.heartbeat.interval.ms; null if unknown."""
    plug_in: int | None
    """Place of the plug-in in that list, from 0; null where it is missing. At 0 it assigns groups
    that no steward leads."""
    plan_key: bool
    """True if it has a key for plans (equilag.plan.key), which it does not tell."""
    next: NextStep | None
    """Null if nothing has to be done."""


@dataclass(frozen=True, slots=True)
class GroupReadiness:
    """How a group can be led."""

    group: str
    """Name of the group."""
    kind: str
    """Such as classic or consumer (KIP-848)."""
    assignor: str | None
    """In use; null for none."""
    members: int | None
    """Carriers are left out; null for kinds that are not read."""
    leads: Leads
    """Whether a steward leads it: as a member a classic group, by carriers one of KIP-848."""
    what: str
    """What it is ready for."""
    loss: str | None = None
    """What would be lost, and when."""
    next: NextStep | None = None
    """Null if there is nothing to do."""


@dataclass(frozen=True)
class ReadinessReport(b.Report):
    kind = "readiness"

    brokers: Sequence[BrokerReadiness]
    groups: Sequence[GroupReadiness]
    left_out: Mapping[str, str]
    """Group -> why it could not be read."""
    set_up: Mapping[str, str]
    """What of equilag itself -> how it is set up on this machine."""

    def asks(self) -> bool:
        return bool(self._steps("not yet"))

    def document(self) -> dict[str, Any]:
        return {"format": FORMAT, "ready": not self.asks(), **to_document(self)}

    def parts(self) -> Iterator[b.Block]:
        steps = self._steps("not yet")
        needing = listed([*dict.fromkeys(who for _, who in steps)])
        words = f"Not ready: see the next steps of {needing}" if steps else "Ready: nothing to do"
        yield b.Headline(words, "act" if steps else "good")
        brokers = (
            b.Column("broker", "name"), b.Column("plug-in", "text"), b.Column("assignors", "text"),
            b.Column("heartbeat", "ms", optional=True), b.Column("plan key", "text", optional=True),
        )  # fmt: skip
        rows = tuple(
            (
                str(one.broker),
                _PLUG_IN.get(one.plug_in, "there"),
                one.assignors,
                one.heartbeat_ms,
                "set" if one.plan_key else None,
            )
            for one in self.brokers
        )
        yield b.section(plural(len(rows), "broker"), b.Table(brokers, rows, "Brokers"))
        groups = (
            b.Column("group", "name"), b.Column("led", "text"),
            b.Column("kind", "text"), b.Column("assignor", "text", optional=True),
            b.Column("members", optional=True),
        )  # fmt: skip
        cells = tuple(
            (group_name(one.group), one.leads, one.kind, one.assignor, one.members)
            for one in self.groups
        )
        said = _together(
            (" ".join(f"{text}." for text in (one.what, one.loss) if text), one.group)
            for one in self.groups
        )
        notes = tuple(f"{names}: {text}" for text, names in said.items())
        table = b.Table(groups, cells, "Groups", few=len(cells))
        yield b.section(plural(len(cells), "group"), table, b.Notes(notes, "list"))
        told = _together([*steps, *self._steps("possible")[:1]]).items()
        yield b.Commands(tuple((f"{one.words} ({who}):", one.command) for one, who in told))
        here = tuple(b.Fact(what, how) for what, how in self.set_up.items())
        yield b.section("equilag on this machine", b.Facts(here))

    def _steps(self, leads: Leads) -> list[tuple[NextStep, str]]:
        """The next steps of groups of which this is so, and of brokers if it is ``not yet``."""
        rows = [(one.next, one.group) for one in self.groups if one.leads == leads]
        if leads == "not yet":
            rows += [(one.next, f"broker {one.broker}") for one in self.brokers]
        return [(step, who) for step, who in rows if step]


def _together(rows: Iterable[tuple[T, str]]) -> dict[T, str]:
    """What several rows have in common -> their names."""
    found: dict[T, list[str]] = {}
    for common, name in rows:
        found.setdefault(common, []).append(name)
    return {common: listed(names) for common, names in found.items()}
