"""The output `text`: the page of each kind of report, for standard output."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from equilag.domain.plugins import load
from equilag.report.terminal import Screen
from equilag.report.text.tables.layout import page

if TYPE_CHECKING:
    from equilag.report.facts.facts_json import Facts

PAGES: Final = {
    "plan": "equilag.report.text.plan:plan_blocks",
    "verdict": "equilag.report.text.verdict:verdict_blocks",
    "comparison": "equilag.report.text.comparison:comparison_blocks",
    "frontier": "equilag.report.text.frontier:frontier_blocks",
    "verification": "equilag.report.text.verification:verification_blocks",
    "explanation": "equilag.report.text.explanation:explanation_blocks",
    "size": "equilag.report.text.size:size_blocks",
    "simulation": "equilag.report.text.simulation:simulation_blocks",
    "live-groups": "equilag.report.text.live_groups:live_groups_blocks",
    "steward": "equilag.report.text.steward:steward_blocks",
    "fleet": "equilag.report.text.fleets.fleet:fleet_blocks",
}
"""Kind of facts -> the function that words them, a sequence of blocks."""


def text_output(facts: Facts, screen: Screen | None = None) -> str:
    """The page for a screen; without one for standard output."""
    return text_for(facts, screen or Screen.of(sys.stdout))


def text_for(facts: Facts, screen: Screen) -> str:
    """The page for a screen."""
    blocks: Any = load("output", "text", PAGES[facts.kind])
    return page(blocks(facts, screen), screen)
