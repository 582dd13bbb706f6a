"""The groups on which assignors are compared, their judge, and the proved optimum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.assignor_cases import case_of

from benchmarks.assignors.case import Racks
from benchmarks.assignors.evaluate import Proved, evaluate
from benchmarks.assignors.inputs import SHORT, catalogue, named
from benchmarks.assignors.lags import LARGEST_LAG, lags
from benchmarks.assignors.prove import proved, proved_by
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.errors import InputError
from equilag.domain.policy.policy_settings import POLICIES
from equilag.planner.solve import solve

SMALL = (
    "grid/100x5/10 topics/one/incremental",
    "grid/100x5/10 topics/mixed/incremental",
    "grid/100x5/1000 topics/mixed/full",
    "ramp/9 members of 40",
    "mixed/40x20/drifted",
    "mixed/100x200/full",
    "levels/200 members in 10",
    "lag/10x60/zipf/1",
    "lag-small/5x30 mixed/lognormal/2",
    "lag-few/50x200/zipf/2",
    "lag-20-topics/20x40/lognormal/1",
    "lag-mixed/40x20/lognormal/1",
    "lag-peers/100x1000/lognormal",
)
COLUMNS = (
    "topic_start", "class_of", "lag", "quality", "claim_member", "claim_partition", "owner",
)  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_the_group_of_a_case_is_the_one_of_its_snapshot(name: str) -> None:
    case = named(name)
    built, loaded = case.group(), load_snapshot(case.snapshot())
    assert built.members == loaded.members
    assert built.topics == loaded.topics
    for column in COLUMNS:
        np.testing.assert_array_equal(getattr(built, column), getattr(loaded, column))
    for mine, theirs in zip(built.class_topics, loaded.class_topics, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert loaded.dropped_claims == 0


def test_names_of_cases_are_unique_and_tell_their_families() -> None:
    names = [found.name for found in catalogue()]
    assert len(set(names)) == len(names)
    assert set(names) >= SHORT
    assert {found.family for found in catalogue()} == {
        "grid", "scale", "kip-615", "ramp", "mixed", "levels", "lag", "lag-small", "lag-mixed",
        "lag-peers", "lag-few", "lag-20-topics",
    }  # fmt: skip


def test_lags_are_of_their_kind() -> None:
    assert not lags("zero", 9, 1).any()
    assert (lags("hot", 9, 1) == LARGEST_LAG).sum() == 1
    ranked = np.sort(lags("zipf", 100, 1))[::-1]
    assert ranked[0] == LARGEST_LAG
    assert ranked[9] == int(LARGEST_LAG / 10**1.1)
    heavy = lags("lognormal", 10_000, 1)
    assert np.sort(heavy)[-100:].sum() > 0.2 * heavy.sum()
    with pytest.raises(InputError):
        lags("other", 1, 1)


def test_figures_by_hand() -> None:
    case = case_of((3, 2), ((0, 1), (1,)), (0, 0, 1), [0, 0, 0, 2, -1], [5, 1, 2, 8, 4])
    figures = evaluate(case, {"m0": {"t0": [0]}, "m1": {"t0": [2, 1]}, "m2": {"t1": [1, 0]}})
    assert figures.valid
    assert figures.counts.tolist() == [1, 2, 2]
    assert figures.moves == 2
    assert (figures.highest, figures.lowest, figures.spread) == (12, 3, 9)
    assert figures.mean == pytest.approx(20 / 3)
    assert figures.max_over_mean == pytest.approx(1.8)


def test_reads_across_racks_are_those_of_known_racks() -> None:
    racks = Racks(("r", "s", ""), (("r",), ("s", "r"), ("s",), (), ("r",)))
    case = replace(case_of((5,), ((0,),), (0, 0, 0)), racks=racks)
    assert evaluate(case, {"m0": {"t0": [0, 1, 3]}, "m1": {"t0": [2, 4]}}).cross_rack == 1
    assert evaluate(case, {"m0": {"t0": [2]}, "m1": {"t0": [0, 3, 4]}}).cross_rack == 3
    assert evaluate(case, {"m2": {"t0": [0, 1, 2, 3, 4]}}).cross_rack == 0
    assert evaluate(case_of((5,), ((0,),), (0, 0)), {"m0": {"t0": [0, 1]}}).cross_rack == 0


def test_beside_what_is_proved() -> None:
    case = case_of((4,), ((0,),), (0, 0), [0, 0, 0, 1], [1, 2, 3, 4])
    figures = evaluate(case, {"m0": {"t0": [0, 3]}, "m1": {"t0": [1, 2]}})
    beside = figures.beside(Proved(np.array([2, 2]), 1, 0))
    assert beside["counts_optimal"]
    assert beside["moves"] == 3
    assert beside["excess_moves"] == 2
    assert beside["gap_percent"] == 0.0
    uneven = evaluate(case, {"m0": {"t0": [0, 1, 2]}, "m1": {"t0": [3]}})
    beside = uneven.beside(Proved(np.array([2, 2]), 1, 0))
    assert not beside["counts_optimal"]
    assert beside["excess_moves"] == -1
    assert beside["gap_percent"] == pytest.approx(40.0)


@pytest.mark.parametrize(
    ("assignment", "problem"),
    [
        ({"m0": {"t0": [0]}}, "left out"),
        ({"m0": {"t0": [0, 1]}, "m1": {"t0": [1]}}, "more than once"),
        ({"m0": {"t0": [0, 1, 1]}}, "more than once"),
        ({"m0": {"t0": [0, 1, 2]}}, "no partition 2"),
        ({"m0": {"t0": [0, 1, -1]}}, "no partition -1"),
        ({"m0": {"t0": [0, 1]}, "m9": {}}, "no member 'm9'"),
        ({"m0": {"t0": [0, 1], "t9": [0]}}, "no topic 't9'"),
        ({"m0": {"t0": [0, 1], "t1": [0]}}, "does not subscribe"),
    ],
)
def test_what_is_wrong_is_found(assignment: dict[str, dict[str, list[int]]], problem: str) -> None:
    case = case_of((2, 1), ((0,),), (0, 0))
    figures = evaluate(case, assignment)
    assert not figures.valid
    assert problem in "; ".join(figures.problems)
    assert not figures.beside(Proved(figures.counts, 0, 0))["counts_optimal"]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", ["lag/10x60/lognormal/1", "lag-small/5x30 mixed/zipf/1"])
def test_the_judge_agrees_with_the_plan_about_itself(policy: str, name: str) -> None:
    case = named(name)
    plan = solve(case.group(), policy, time_limit=0.2)
    figures = evaluate(case, plan.assignment)
    assert figures.valid
    assert figures.counts.tolist() == sorted(plan.counts.by_member.values())
    assert figures.moves == len(plan.moves)
    assert (figures.highest, figures.lowest) == (plan.lag.max, plan.lag.min)
    assert figures.mean == pytest.approx(plan.lag.mean)


@pytest.mark.parametrize(
    "name",
    [
        "ramp/9 members of 40",
        "mixed/40x20/drifted",
        "mixed/40x20/full",
        "grid/100x5/10 topics/one/incremental",
    ],
)
def test_a_plan_proves_what_is_reached_by_itself(name: str) -> None:
    case = named(name)
    proof, figures = proved(case)
    assert proof.findings == ()
    assert figures.beside(proof)["counts_optimal"]
    assert figures.beside(proof)["excess_moves"] == 0


def test_a_fallback_proves_nothing() -> None:
    case = named("lag/10x60/lognormal/1")
    proof, figures = proved_by(case, solve(case.group(), time_limit=0.0))
    assert any("about counts" in finding for finding in proof.findings)
    assert not figures.beside(proof)["counts_optimal"]
