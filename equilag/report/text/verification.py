"""The page of `verify`: a line per finding, or a line per claim."""

from __future__ import annotations

from collections.abc import Iterator

from equilag.report.facts.verification import VerificationFacts
from equilag.report.terminal import Screen
from equilag.report.text.layout import Block, verbatim
from equilag.report.words import plural, printable


def verification_blocks(facts: VerificationFacts, screen: Screen) -> Iterator[Block]:
    """Lines for programs as well as for people: none is broken."""
    if not facts.holds:
        lines = [f"does not hold: {finding}" for finding in facts.findings]
    else:
        sizes = f"{plural(facts.partitions, 'partition')} of group {facts.group}"
        lines = [
            f"holds: {facts.plan}: {sizes}; all figures agree",
            *(f"holds: proved again: {text}" for text in facts.proved),
            *(f"holds, but not proved again: {text}" for text in facts.unproved),
        ]
        if not facts.proved and not facts.unproved:
            lines.append("holds: the plan makes no claim about how good it is")
    yield [verbatim(printable(line)) for line in lines]
