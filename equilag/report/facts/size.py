"""A sizing: how many members a group needs, and the sizes that are worth a look."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from equilag.domain.group.group import Group
from equilag.planner.sizes.sizing import notable_sizes
from equilag.report.facts.facts_json import NOT_IN_JSON
from equilag.report.facts.group import GroupFacts, group_facts
from equilag.report.wording.size_answer import headlines

if TYPE_CHECKING:
    from equilag.planner.sizes.sizing import SizeRow, Sizing


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
        return headlines(self.sizing)

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
