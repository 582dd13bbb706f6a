"""Every stage of the planner says what it tries."""

from __future__ import annotations

from equilag.cli.progress_line import WORDS
from equilag.planner.solving.run import POINTS, PROVING, SEARCHING
from equilag.planner.stages.counting_stages import COUNTING

NAMES = {stage.name for stage in COUNTING} | {
    stage.name for phase in (*SEARCHING, *POINTS, *PROVING) for stage in phase.stages
}
MOST = 28
"""Characters that the figures leave of 80 columns."""


def test_every_stage_has_words_that_fit() -> None:
    assert WORDS.keys() >= NAMES
    assert max(map(len, WORDS.values())) <= MOST
