"""The ablation: what is left out does not run."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.ablation.kinds import KINDS, Kind, unequal
from benchmarks.ablation.run import ALL, above_mean, outcomes
from benchmarks.ablation.switches import STAGES, heaviest_gives, without
from equilag.planner.solve import solve

PAIRED = "paired exchange"


def kind(word: str) -> Kind:
    return next(kind for kind in KINDS if word in kind.name)


def test_a_stage_that_is_left_out_does_not_run() -> None:
    group, settings = kind("10 x 60").draw(1)
    seen: list[str] = []

    def watch(progress: Any) -> None:
        seen.append(progress.stage)

    for stage in (None, PAIRED):
        seen.clear()
        with without(stage):
            solve(group, effort=0.02, time_limit=60.0, progress=watch, **settings)
        assert (PAIRED in seen) == (stage is None)
    assert PAIRED in STAGES


def test_every_run_of_a_group_has_an_outcome() -> None:
    found = outcomes(kind("10 x 40"), 3, (PAIRED,), 0.02)
    assert [one.left_out for one in found] == [ALL, PAIRED, "longest_first", "size"]
    whole, _, rule, sized = found
    assert whole.heaviest <= rule.heaviest
    assert sized.heaviest >= 0
    assert whole.spread is not None


@pytest.mark.parametrize("moved", [0, 5, 60])
def test_moves_from_the_heaviest_even_out_within_their_limit(moved: int) -> None:
    group, _ = kind("2 % moved").draw(1)
    assigned = heaviest_gives(group, moved)
    assert (assigned != group.owner).sum() <= moved
    before, after = above_mean(group, group.owner)[1], above_mean(group, assigned)[1]
    assert after < before if moved else after == before


@pytest.mark.parametrize("seed", range(6))
def test_a_limit_on_moves_never_leaves_the_plan_worse_than_the_simplest_rule(seed: int) -> None:
    group, settings = unequal(12, 100, 0.08, seed)
    plan = solve(group, effort=0.1, time_limit=60.0, seed=1, tolerance=0, **settings)
    given, limit = plan.planned.given, settings["max_moves"]
    simple = heaviest_gives(given, limit)
    assert len(plan.moves) <= limit
    assert above_mean(given, plan.assigned)[0] <= above_mean(given, simple)[0] * (1 + 1e-9)
