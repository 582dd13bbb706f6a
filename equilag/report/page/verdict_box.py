"""What the box of a verdict says beside the verdict's own words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from equilag.report.facts.plans.plan import PlanFacts
from equilag.report.facts.work import unit_words
from equilag.report.text.proof import load_word
from equilag.report.wording.words import number, printable

Tone = Literal["good", "act", "warn", "bad", "neutral"]


class Sign(NamedTuple):
    """What is seen of an action at once."""

    tone: Tone
    """A colour and a sign."""
    words: str


SIGNS: Final[Mapping[str, Sign]] = {
    "leave": Sign("good", "Leave the group as it is"),
    "move": Sign("act", "Worth a rebalance"),
    "assign": Sign("act", "Partitions without an owner"),
    "add-members": Sign("bad", "More is produced than the members read"),
    "repartition": Sign("bad", "No assignment helps: a partition is too large"),
    "loosen": Sign("bad", "A looser setting is needed to keep up"),
    "start-members": Sign("bad", "Nobody reads this group"),
    "undecided": Sign("warn", "Not decided: the time limit was too short"),
}
"""Of every `equilag.report.wording.verdict_words.Action`."""
OTHER: Final = Sign("neutral", "Read what it says")
"""Of an action that this version does not know."""


def sign_of(action: str, worth_it: bool) -> Sign:
    """The sign of an action; where there is nothing to do, none is an alarm."""
    sign = SIGNS.get(action, OTHER)
    return sign._replace(tone="warn") if sign.tone == "bad" and not worth_it else sign


def verdict_box(plan: PlanFacts) -> dict[str, Any]:
    """The words of the box."""
    sign = sign_of(plan.verdict.action, plan.verdict.worth_it)
    standing, note = standing_words(plan)
    return {"tone": sign.tone, "what": sign.words, "standing": standing, "note": note}


def standing_words(plan: PlanFacts) -> tuple[str, str]:
    """How good the plan is, and what that is about, as somebody says it who runs the group."""
    proof = plan.proof
    if proof.policy is None:
        return f"of {printable(plan.plan.algorithm)}", "this assignor's own result, not optimised"
    difference = f"difference in {load_word(proof)} between the heaviest and the lightest member"
    words = {
        "nobody": ("of nobody", "no member reads a partition"),
        "fallback": ("only a first try", "the time limit allowed no more than a heuristic's plan"),
        "unproved": ("valid", "how far it is from the best possible is not known"),
    }.get(proof.standing)
    if words is not None:
        return words
    if proof.standing in ("feasible", "tolerance") and proof.gap:
        allowed = "; the tolerance allows that" if proof.standing == "tolerance" else ""
        unit = unit_words(plan.group.load_unit, proof.per_capacity)
        return (
            f"at most {number(proof.gap)} {unit} from the best",
            f"in the {difference}{allowed}",
        )
    if proof.evidence == "solver":
        return "the best possible", "on the solver's word"
    return "proved to be the best", f"no plan under its settings has a smaller {difference}"
