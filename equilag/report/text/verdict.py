"""The first lines of a page: what to do, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import RenderableType

from equilag.report.facts.plans.verdict import VerdictFacts
from equilag.report.terminal import Screen
from equilag.report.text.tables.layout import Block, indented, title
from equilag.report.text.tables.short_names import with_short_names
from equilag.report.wording.verdict_words import cost_words


def verdict_blocks(verdict: VerdictFacts, screen: Screen) -> Iterator[Block]:
    """The page of ``equilag plan --check``."""
    yield verdict_block(verdict, screen)


def verdict_block(
    verdict: VerdictFacts, screen: Screen, names: Mapping[str, str] | None = None
) -> Block:
    """The headline, the cost of the plan, and what adds to the headline; with the short `names` of
    members that the page has."""
    headline = with_short_names(verdict.headline, names or {})
    details = [with_short_names(line, names or {}) for line in verdict.details]
    if verdict.plan_helps:
        # Beside the moves that it is about, which come last where the plan is not all it takes.
        place = 0 if verdict.action in ("move", "assign") else len(details)
        details.insert(place, f"cost: {cost_words(verdict.cost)}")
    lines: list[RenderableType] = [indented(screen.signs(line)) for line in details]
    return [*verdict_line(headline, screen), *lines]


def verdict_line(headline: str, screen: Screen) -> Block:
    """A headline, its first words in bold."""
    what, colon, rest = screen.signs(headline).partition(":")
    return [title(what + colon, rest)]
