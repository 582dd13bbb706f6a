"""What a valid snapshot means: lags, quality marks, subscriptions, claims and owners."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.group.group import NOBODY, Group, Member
from equilag.domain.group.lag import QUALITY

Snapshot = dict[str, Any]


def snapshot(**fields: Any) -> Snapshot:
    return {
        "format": "equilag/snapshot/1",
        "group": "g",
        "topics": {"t": 3},
        "members": [],
    } | fields


def owners(group: Group) -> list[str | None]:
    return [None if m == NOBODY else group.members[m].id for m in group.owner.tolist()]


def marks(group: Group) -> list[str]:
    return [QUALITY[mark] for mark in group.quality.tolist()]


def claims(group: Group) -> list[tuple[str, str, int]]:
    return [
        (group.members[m].id, *group.partition_name(p))
        for m, p in zip(group.claim_member.tolist(), group.claim_partition.tolist(), strict=True)
    ]


FULL: Snapshot = json.loads(Path(__file__).with_name("every_field.json").read_text("utf-8"))


def test_every_field_at_once() -> None:
    group = load_snapshot(FULL)
    assert (group.name, group.generation) == ("g", 4)
    assert group.taken_at == "2026-11-21T09:00:00.5+01:00"
    assert group.topics == ("empty", "odd", "orders", "we ird", "é e")
    assert group.topic_start.tolist() == [0, 0, 3, 6, 8, 9]
    assert group.members == (
        Member("a", generation=3, capacity=1.0),
        Member("b", generation=4),
        Member("m0", "i", "r", 4, 1.5),
        Member("m3", generation=4, max_partitions=2, instance="p"),
    )
    assert group.class_of.tolist() == [0, 1, 2, 1]
    assert [topics.tolist() for topics in group.class_topics] == [[2], [1, 2, 3, 4], []]
    assert group.lag.tolist() == [0, 4, 0, 8, 9, 0, 1, 2, 1]
    odd = ["ahead_of_end", "below_log_start", "unknown"]
    assert marks(group) == [*odd, "ok", "no_commit", "ok", "given", "given", "ok"]
    assert owners(group) == [*[None] * 3, "b", "b", "a", None, "b", None]
    assert group.co_partitioned == ((2, 1),)
    assert group.dropped_claims == 2
    kinds = {"lag": np.int64, "quality": np.uint8, "owner": np.int32}
    kinds |= {"claim_member": np.int32, "claim_partition": np.int64}
    assert {name: getattr(group, name).dtype for name in kinds} == kinds


def test_the_data_given_is_left_alone() -> None:
    given = copy.deepcopy(FULL)
    load_snapshot(given)
    assert given == FULL


def test_the_least_a_snapshot_can_be() -> None:
    group = load_snapshot(snapshot(topics={}))
    assert group.n_members == group.n_partitions == 0
    assert group.taken_at is None
    assert group.generation is None


def test_the_largest_numbers_that_pass_and_lags_that_win_over_offsets() -> None:
    top = 2**63 - 1
    group = load_snapshot(
        snapshot(
            topics={"a": 2, "b": 1, "c": 1, "d": 0},
            offsets={
                "a": {"log_start": [0, 0], "log_end": [top, 0], "committed": [top - 5, top]},
                "b": {"log_start": [0], "log_end": [top], "committed": [0]},
            },
            lags={"b": [2**53 - 1], "d": []},  # so that nobody needs the lag of the offsets
            generation=top,
        )
    )
    assert group.lag.tolist() == [5, 0, 2**53 - 1, 0]
    assert marks(group) == ["ok", "ahead_of_end", "given", "unknown"]
    assert group.generation == top


def test_generation_is_the_members_then_the_groups_then_unknown() -> None:
    members: list[Snapshot] = [
        {"id": "1", "subscription": [], "generation": 3},
        {"id": "2", "subscription": []},
        {"id": "3", "subscription": [], "generation": -1},
    ]
    with_group = load_snapshot(snapshot(members=members, generation=7))
    assert [member.generation for member in with_group.members] == [3, 7, -1]
    without = load_snapshot(snapshot(members=members))
    assert [member.generation for member in without.members] == [3, -1, -1]


def test_claims_keep_their_order_and_count_once() -> None:
    """Those on what is gone, or without a subscription, own nothing and are counted."""
    owned = {"b": [3, 1, 3], "a": [2, 4, 4, 2**63 - 1], "gone": [0, 0, 1], "empty": [0], "c": [1]}
    group = load_snapshot(
        snapshot(
            topics={"a": 4, "b": 4, "c": 2, "empty": 0},
            members=[
                {"id": "1", "subscription": ["a", "b", "gone"], "owned": owned},
                {"id": "2", "subscription": ["a"], "owned": {"gone": [0], "a": [0]}},
            ],
        )
    )
    kept = [("1", "b", 3), ("1", "b", 1), ("1", "a", 2), ("1", "c", 1), ("2", "a", 0)]
    assert claims(group) == kept
    assert owners(group) == ["2", None, "1", None, None, "1", None, "1", None, None]
    assert group.dropped_claims == 7  # 1: a-4, a-huge, gone-0, gone-1, empty-0, c-1; 2: gone-0


@pytest.mark.parametrize(
    "time",
    [
        "2026-11-21T09:00:00Z",
        "2026-11-21t09:00:00.123456789z",
        "2026-11-21 09:00:00+05:30",
        "2016-12-31T23:59:60Z",
        "2024-02-29T00:00:00-00:00",
    ],
)
def test_times(time: str) -> None:
    assert load_snapshot(snapshot(taken_at=time)).taken_at == time


def test_lags_that_nobody_could_tell() -> None:
    snapshot = copy.deepcopy(FULL)
    snapshot["unknown_lags"] = {"we ird": [1, 1], "orders": [0]}
    group = load_snapshot(snapshot)
    assert group.lag.tolist() == [0, 4, 9, 0, 9, 0, 1, 0, 1]
    expected = ["ahead_of_end", "below_log_start", "ok"]
    expected += ["unknown", "no_commit", "ok", "given", "unknown", "ok"]
    assert marks(group) == expected
    # They stand before everything else, what nobody could plan with too.
    snapshot["offsets"]["orders"]["log_end"][0] = 2**60
    assert load_snapshot(snapshot).lag.tolist() == group.lag.tolist()
    assert load_snapshot({**FULL, "unknown_lags": {}}).lag.any()
