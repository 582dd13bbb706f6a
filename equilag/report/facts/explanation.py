"""An explanation: why a group is uneven, what bounds its plan, what looser settings would buy, and
what the moves are for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from equilag.domain.plan.plan import Plan
from equilag.planner.explain import Explanation, LooserEvidence
from equilag.planner.explaining.bound_causes import BoundCause
from equilag.planner.explaining.loosened import LooserName
from equilag.report.facts.facts_json import NOT_IN_JSON, facts_json
from equilag.report.facts.group import GroupFacts
from equilag.report.facts.plans.move_chains import ServedFacts, served_facts
from equilag.report.facts.plans.plan import PlanFacts, plan_facts
from equilag.report.facts.plans.unevenness import UnevennessFacts, unevenness_facts
from equilag.report.facts.plans.verdict import VerdictFacts
from equilag.report.facts.work import unit_words, weight_words
from equilag.report.wording.explanation_words import (
    LoadWords,
    cause_words,
    looser_words,
    state_words,
)
from equilag.report.wording.reason_words import Namer
from equilag.report.wording.unevenness_words import unevenness_words
from equilag.report.wording.words import printable

FORMAT: Final = "equilag/explanation/1"


@dataclass(frozen=True, slots=True)
class EvennessFacts:
    """How even a plan is, and how much it moves; loads in the unit of the explanation."""

    heaviest: float
    spread: float
    excess: float
    """What lies above a fair share, summed over the members."""
    moves: int

    @staticmethod
    def of(plan: Plan) -> EvennessFacts:
        loads = plan.loads
        return EvennessFacts(loads.max, loads.spread, loads.excess, len(plan.moves))


@dataclass(frozen=True, slots=True)
class LooserFacts:
    """What one looser setting would buy."""

    name: LooserName
    words: str
    """What it is called; an option as it is typed."""
    settings: Mapping[str, Any]
    """The settings that ask for it; empty where the group itself would be another one."""
    helps: bool
    evidence: LooserEvidence
    reached: EvennessFacts | None
    """By the plan that was found; None where none was needed, or tried."""
    refused: str
    """Why there is no plan with it; empty if there is one."""


@dataclass(frozen=True, slots=True)
class ExplanationFacts:
    kind: ClassVar[str] = "explanation"

    explanation: Explanation = field(metadata=NOT_IN_JSON)
    group: GroupFacts
    verdict: VerdictFacts
    now: UnevennessFacts
    """The current assignment."""
    unit: str
    """Of the loads: ``records``, ``seconds of work``, …"""
    weight_unit: str
    """Of what partitions weigh, which is not per unit of capacity."""
    fair: float
    """A fair share: the load of every member if all were equally loaded."""
    reached: EvennessFacts
    """By the plan."""
    looser: tuple[LooserFacts, ...]
    served: tuple[ServedFacts, ...]
    """The moves by what they serve."""

    @property
    def size(self) -> int:
        return self.group.partitions

    @property
    def plan(self) -> Plan:
        return self.explanation.plan

    @property
    def words(self) -> LoadWords:
        return LoadWords(self.unit, self.fair, self.weight_unit)

    @property
    def causes(self) -> tuple[BoundCause, ...]:
        """What bounds the plan, the heaviest member first."""
        return self.explanation.causes

    @property
    def why_now(self) -> tuple[str, ...]:
        """Why the group is uneven now, in words."""
        return self.why_now_with(printable)

    @property
    def why(self) -> tuple[str, ...]:
        """What bounds the plan, in words: a sentence for each cause, and one or two on how far the
        plan is from what is proved."""
        return self.why_with(printable)

    def why_now_with(self, name: Namer) -> tuple[str, ...]:
        """The same as `why_now`, with other names of members."""
        return unevenness_words(self.now, name)

    def why_with(self, name: Namer) -> tuple[str, ...]:
        """The same as `why`, with other names of members."""
        causes = (cause_words(cause, self.words, name) for cause in self.causes)
        return (*causes, *state_words(self.plan, bool(self.causes), self.words))

    def document(self) -> dict[str, Any]:
        """The explanation's JSON, format ``equilag/explanation/1``."""
        plan = self.plan
        return {
            "format": FORMAT,
            "group": plan.group.name,
            "policy": plan.settings,
            "evidence": self.explanation.evidence,
            "status": plan.status,
            "verdict": self.verdict.document(),
            "now": facts_json(self.now),
            "why_now": list(self.why_now),
            "unit": self.unit,
            "fair": self.fair,
            "reached": facts_json(self.reached),
            "spread_lower_bound": plan.loads.spread_lower_bound,
            "why": list(self.why),
            "causes": facts_json(self.causes),
            "looser": facts_json(self.looser),
            "moves": [move.to_dict() for move in plan.moves],
            **({"interrupted": True} if self.explanation.interrupted else {}),
        }


def explanation_facts(
    explanation: Explanation, of_plan: PlanFacts | None = None
) -> ExplanationFacts:
    """The facts of an explanation; `of_plan` are those of its plan, made here unless given."""
    plan = explanation.plan
    facts = of_plan or plan_facts(plan)
    measured = facts.group.load_unit
    return ExplanationFacts(
        explanation,
        facts.group,
        facts.verdict,
        unevenness_facts(facts.judged),
        unit_words(measured, facts.proof.per_capacity),
        weight_words(measured),
        plan.loads.mean,
        EvennessFacts.of(plan),
        tuple(
            LooserFacts(
                one.name,
                looser_words(one.name, one.settings),
                one.settings,
                one.helps,
                one.evidence,
                None if one.plan is None else EvennessFacts.of(one.plan),
                one.refused,
            )
            for one in explanation.looser
        ),
        served_facts(plan),
    )


def explanation_document(explanation: Explanation) -> dict[str, Any]:
    """Return the JSON of an explanation, format ``equilag/explanation/1``.

    It is what ``equilag explain --json`` prints, as a dict of JSON values.
    """
    return explanation_facts(explanation).document()
