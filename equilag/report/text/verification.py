"""The page of `verify`: a line per finding, or a line per claim."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from equilag.report.facts.plans.verification import VerificationFacts
from equilag.report.terminal import Screen
from equilag.report.text.causes import breaks
from equilag.report.text.tables.layout import Block, verbatim
from equilag.report.wording.words import form, plural, printable

_NOT_CHECKED: Final = "(verdict and reasons are not checked)"
"""They explain a plan and prove nothing."""


def verification_blocks(facts: VerificationFacts, screen: Screen) -> Iterator[Block]:
    """Lines for programs as well as for people: none is broken."""
    if not facts.holds:
        lines = [f"does not hold: {finding}" for finding in facts.findings]
    else:
        sizes = f"{plural(facts.partitions, 'partition')} of group {facts.group}"
        lines = [
            f"holds: {facts.plan}: {sizes}; all checked figures agree {_NOT_CHECKED}",
            *(f"holds: proved again: {text}" for text in facts.proved),
            *(f"holds, but not proved again: {text}" for text in facts.unproved),
        ]
        ok = "OK: valid"
        if facts.broken is not None:
            lines.append(f"! {breaks(**facts.broken.to_dict())}")
            ok = "OK as a heuristic's plan, but it breaks rules of the group"
        lines.append(f"{ok}; {_evidence(len(facts.proved), len(facts.unproved))}")
    yield [verbatim(printable(line)) for line in lines]


def _evidence(proved: int, unproved: int) -> str:
    """How many claims hold without a solver's word."""
    if not proved and not unproved:
        return "the plan makes no claim about how good it is"
    text = f"{proved} of {plural(proved + unproved, 'claim')} re-proved"
    if unproved:
        text += f", {unproved} {form(unproved, 'rests', 'rest')} on the solver's word"
    return text
