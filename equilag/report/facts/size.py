"""A sizing: how many members a group needs, and the sizes that are worth a look."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from equilag.domain.group.group import Group
from equilag.planner.sizes.notable_sizes import notable_sizes
from equilag.report.facts.facts_json import NOT_IN_JSON
from equilag.report.facts.group import GroupFacts, group_facts
from equilag.report.wording.size_answer import headlines

if TYPE_CHECKING:
    from equilag.planner.sizes.sizing import SizeRow, Sizing

LOWER: Final = 0.98
"""Part of a load below which another one would be a help: a size whose bound is lower is open."""


@dataclass(frozen=True, slots=True)
class SizeFacts:
    kind: ClassVar[str] = "size"
    size: ClassVar[int] = 0

    sizing: Sizing = field(metadata=NOT_IN_JSON)
    group: GroupFacts
    shown: tuple[SizeRow, ...]
    """The present size, those around the least ones that keep up or catch up, and those that help;
    of many of these some."""

    @property
    def headlines(self) -> list[str]:
        """The answer, line by line."""
        return headlines(self)

    @property
    def now(self) -> SizeRow | None:
        """The row of the present size; None where it is outside of the range."""
        return self.sizing.row(self.sizing.basis.present)

    @property
    def helpful_end(self) -> SizeRow | None:
        """The last size that helps; None where the range is too small to tell, or ends with it."""
        sizing = self.sizing
        if sizing.last < sizing.most or len(sizing.rows) < 2 or sizing.heaviest is None:
            return None
        last = sizing.helping[-1]
        too_late = sizing.starts_late and last is sizing.rows[0]  # a smaller size may be as good
        open_after = any(
            row.load_at_least < last.load * LOWER for row in sizing.rows if row.size > last.size
        )
        return None if last is sizing.rows[-1] or too_late or open_after else last

    def document(self) -> dict[str, Any]:
        return {**self.sizing.to_dict(), "headlines": self.headlines}


def size_facts(group: Group, sizing: Sizing) -> SizeFacts:
    """The facts of a sizing of the group."""
    wanted = notable_sizes(
        [row.size for row in sizing.rows],
        [row.size for row in sizing.helping],
        sizing.basis.present,
        (sizing.least_keeping_up, sizing.least_catching_up),
    )
    shown = set(wanted)
    rows = tuple(row for row in sizing.rows if row.size in shown)
    return SizeFacts(sizing, group_facts(group), rows)
