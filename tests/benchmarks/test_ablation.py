"""The ablation: what is left out does not run, and the table shows what is beyond the seeds."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.ablation.kinds import KINDS, Kind, unequal
from benchmarks.ablation.run import ALL, above_mean, outcomes
from benchmarks.ablation.switches import STAGES, heaviest_gives, without
from benchmarks.ablation.table import page
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


def test_the_table_has_what_is_beyond_the_seeds() -> None:
    def one(seed: int, left_out: str, spread: float, proved: bool = True) -> dict[str, Any]:
        return {
            "kind": "k", "seed": seed, "left_out": left_out, "spread": spread, "heaviest": spread,
            "moves": 0, "proved": proved, "bound": 0.5,
        }  # fmt: skip

    rows = [
        made
        for seed in range(4)
        for made in (
            one(seed, ALL, 1.0 + seed),
            one(seed, "Helps", 3.0 + seed + seed % 2, proved=seed > 0),
            one(seed, "Noise", 1.0 + seed + (-1) ** seed),
        )
    ]
    text = page({"outcomes": rows, "seeds": 4, "effort": 0.1, "machine": {"cpu": "c", "cores": 2}})
    assert "| Helps | k | +2.5 ± 0.29, -1 proofs |" in text
    assert "| k | all | 2 ± 1.3 | 3.5 | 2.5 ± 1.3 | 4 of 4 |" in text
    assert "No change anywhere: Noise." in text


@pytest.mark.parametrize("seed", range(6))
def test_a_limit_on_moves_never_leaves_the_plan_worse_than_the_simplest_rule(seed: int) -> None:
    group, settings = unequal(12, 100, 0.08, seed)
    plan = solve(group, effort=0.1, seed=1, tolerance=0, **settings)
    given, limit = plan.planned.given, settings["max_moves"]
    simple = heaviest_gives(given, limit)
    assert len(plan.moves) <= limit
    assert above_mean(given, plan.assigned)[0] <= above_mean(given, simple)[0] * (1 + 1e-9)
