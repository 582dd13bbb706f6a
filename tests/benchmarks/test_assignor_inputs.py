"""The groups on which assignors are compared."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.assignors import shapes
from benchmarks.assignors.inputs import SHORT, catalogue, named
from benchmarks.assignors.lags import KINDS, LARGEST_LAG, lags
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.errors import InputError

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


def test_a_group_without_partitions_in_a_topic_has_no_such_topic_in_its_classes() -> None:
    case = shapes.one("a/b", "a", members=2, sizes=(0, 3), owners="none")
    built, loaded = case.group(), load_snapshot(case.snapshot())
    np.testing.assert_array_equal(built.class_topics[0], loaded.class_topics[0])


def test_names_of_cases_are_unique_and_tell_their_families() -> None:
    names = [found.name for found in catalogue()]
    assert len(set(names)) == len(names)
    assert set(names) >= SHORT
    assert {found.family for found in catalogue()} == {
        "grid", "scale", "kip-615", "ramp", "mixed", "levels", "lag", "lag-small", "lag-mixed",
        "lag-peers", "lag-few", "lag-20-topics",
    }  # fmt: skip


def test_one_member_joins_a_group_in_which_all_own_as_much() -> None:
    case = named("grid/100x5/10 topics/one/incremental")
    held = np.bincount(case.owner, minlength=100)
    assert held[:99].max() - held[:99].min() == 1
    assert held[99] == 0


def test_groups_at_different_levels_share_nothing() -> None:
    case = named("levels/200 members in 10")
    group = case.group()
    assert group.reads.sum(axis=1).max() == 1
    loads = np.bincount(group.class_of[case.owner])
    assert (np.diff(loads) > 0).all()
    held = np.bincount(case.owner)[:20]
    assert held[-1] > 1.8 * held[0]


@pytest.mark.parametrize("kind", KINDS)
def test_lags_are_repeatable_whole_and_not_negative(kind: str) -> None:
    drawn = lags(kind, 500, 3)
    np.testing.assert_array_equal(drawn, lags(kind, 500, 3))
    assert drawn.dtype == np.int64
    assert drawn.min() >= 0
    assert len(lags(kind, 0, 3)) == 0


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
