"""The verdict on a plan: what to do, what it brings, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from equilag.report.facts.facts_json import facts_json
from equilag.report.facts.plans.judged_plan import (
    CostFacts,
    HeaviestFacts,
    HotPartitionFacts,
    JudgedPlan,
)
from equilag.report.facts.plans.suspects import SuspectFacts
from equilag.report.wording.suspect_words import suspect_words
from equilag.report.wording.verdict_words import Action, verdict_words


@dataclass(frozen=True, slots=True)
class VerdictFacts:
    """What to do with a group, as far as its assignment decides it."""

    kind: ClassVar[str] = "verdict"
    size: ClassVar[int] = 0

    action: Action
    worth_it: bool
    """True if there is something to do: then ``equilag plan --check`` exits with 10."""
    plan_helps: bool
    """True if this plan is worth it; where it does not keep up, until there are more members."""
    headline: str
    """One line of words."""
    details: tuple[str, ...]
    """What adds to it."""
    unit: str
    """Of the loads: ``records``, ``seconds of work``, ``partitions``, …"""
    heaviest: HeaviestFacts | None
    """None where no member reads anything, and where nobody owns anything."""
    relief_percent: float
    """By how much the plan relieves the most relieved member, in percent of a fair share."""
    hot: tuple[HotPartitionFacts, ...]
    """The heaviest first."""
    cost: CostFacts
    suspects: tuple[SuspectFacts, ...]
    """Members that may be slow or stuck, which moves do not mend."""

    def document(self) -> dict[str, Any]:
        """The field ``verdict`` of a plan's JSON."""
        found: dict[str, Any] = facts_json(self)
        return found


def verdict_of(found: JudgedPlan) -> VerdictFacts:
    """The verdict on a plan that has been judged."""
    words = verdict_words(found)
    details = (*words.details, *suspect_words(found.suspects))
    return VerdictFacts(
        words.action,
        words.worth_it,
        words.plan_helps,
        words.headline,
        details,
        found.unit,
        found.heaviest,
        found.gain.relief_percent,
        found.hot,
        found.cost,
        found.suspects,
    )
