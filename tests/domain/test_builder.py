"""Groups made from Python values: the same as from a snapshot, and every check with its place."""

from __future__ import annotations

import inspect
import textwrap
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.groups import BIGGEST, columns, group_of

import equilag
from equilag import ClaimColumns, Group, InputError, Member, PartitionOffsets, load_snapshot
from equilag.adapters.snapshot.write import snapshot_document
from equilag.domain.building.group_input import GroupInput
from equilag.domain.group.group import NOBODY
from equilag.domain.group.lag import QUALITY

TOPICS = ("a", "b.c", "é e", "empty")


def base(**changes: Any) -> GroupInput:
    """A small group with everything in it; None takes a field away."""
    given: dict[str, Any] = {
        "name": "g",
        "topics": {"orders": 3, "we ird": 2},
        "members": [Member("b", rack="r1"), "a"],
        "subscriptions": {"b": ["orders", "we ird"], "a": ["orders"]},
        "owned": {"b": {"orders": [0, 1], "we ird": [1]}, "a": {"orders": [2]}},
        "lags": {"we ird": [1, None]},
        "offsets": PartitionOffsets({"orders": [0, 0, 5]}, {"orders": [9, 9, 9]},
                                    {"orders": [1, None, 9]}),
        "racks": {"orders": [["r1"], [], ("r1", "r2")]},
        **changes,
    }  # fmt: skip
    return {name: value for name, value in given.items() if value is not None}  # type: ignore[return-value]


def marks(group: Group) -> list[str]:
    return [QUALITY[mark] for mark in group.quality.tolist()]


def test_the_example_of_the_docstring() -> None:
    lines = (inspect.getdoc(Group.build) or "").splitlines()
    first = lines.index("    Group.build(")
    example = textwrap.dedent("\n".join(lines[first : lines.index("    )") + 1]))
    group = eval(example, {"Group": Group, "Member": equilag.Member})
    assert [member.id for member in group.members] == ["c-1", "c-2"]
    assert group.lag.tolist() == [70, 20, 0, 0, 5]
    assert marks(group) == ["given", "given", "unknown", "given", "given"]
    assert group.owner.tolist() == [0, 0, NOBODY, NOBODY, NOBODY]
    assert equilag.verify(group, equilag.solve(group, time_limit=0)) == []


@st.composite
def inputs(draw: st.DrawFn) -> GroupInput:
    """Any mixture of what a group can be described by, and that makes sense."""
    topics = draw(st.dictionaries(st.sampled_from(TOPICS[:3]), st.integers(0, 4)))
    topics["empty"] = 0
    known = st.sampled_from([*TOPICS, "gone"])
    text = st.none() | st.sampled_from(["r", "ö"])
    ids = draw(st.lists(st.sampled_from(["m1", "m0", "m10", "größe"]), unique=True))
    given: GroupInput = {
        "name": "g",
        "topics": topics,
        "members": [
            Member(name, draw(text), draw(text), draw(st.integers(-1, 2)), 1.0, draw(text))
            for name in ids
        ],
        "subscriptions": {name: draw(st.lists(known)) for name in ids},
        "owned": {name: draw(st.dictionaries(known, st.lists(st.integers(0, 5)))) for name in ids},
        "unknown_lags": {
            topic: draw(st.lists(st.integers(0, size - 1)))
            for topic, size in topics.items()
            if size
        },
        "generation": draw(st.none() | st.integers(-1, 2)),
        "taken_at": draw(st.none() | st.just("2026-11-21T09:00:00Z")),
        "auto_offset_reset": draw(st.sampled_from(["latest", "Earliest", "NONE"])),
    }
    some = [topic for topic in topics if draw(st.booleans())]
    given["lags"] = {
        topic: draw(st.lists(st.integers(0, BIGGEST), min_size=n, max_size=n))
        for topic, n in topics.items()
        if draw(st.booleans())
    }
    rows = {topic: [draw(st.integers(0, 2**50)) for _ in range(topics[topic])] for topic in some}
    more = {topic: [end + draw(st.integers(0, 9)) for end in row] for topic, row in rows.items()}
    commits = {
        topic: [draw(st.none() | st.integers(0, 2**51)) for _ in row] for topic, row in rows.items()
    }
    given["offsets"] = PartitionOffsets(rows, more, commits)
    given["racks"] = {
        topic: [draw(st.lists(st.sampled_from("xy"), max_size=2)) for _ in rows[topic]]
        for topic in some
    }
    return given


@given(inputs())
def test_a_group_and_its_snapshot_agree(given: GroupInput) -> None:
    assert columns(load_snapshot(snapshot_document(given))) == columns(Group.build(**given))


@given(inputs())
def test_a_group_comes_back_from_its_snapshot(given: GroupInput) -> None:
    """All but what a group does not keep: claims on what does not exist, doubts of its input, and
    that there were racks of topics without partitions."""
    built = Group.build(**given)
    group = replace(built, doubts=(), racks=built.racks or None)
    again = replace(load_snapshot(snapshot_document(group)), doubts=())
    assert again.dropped_claims <= group.dropped_claims
    assert columns(replace(again, dropped_claims=group.dropped_claims)) == columns(group)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint8, np.int64, np.uint64])
def test_arrays_of_any_integers(dtype: Any) -> None:
    lists = Group.build(**base(lags={"we ird": [1, 2], "orders": [0, 5, 6]}))
    rows = {"we ird": np.array([1, 2], dtype), "orders": (0, 5, 6)}
    assert columns(Group.build(**base(lags=rows))) == columns(lists)
    column = np.array([0, 5, 6, 1, 2], dtype)
    assert columns(Group.build(**base(lags=column))) == columns(lists)


def test_what_stands_for_none_in_an_array() -> None:
    group = Group.build(**base(lags=np.array([3, -1, 0, -1, 7]), offsets=None))
    assert group.lag.tolist() == [3, 0, 0, 0, 7]
    assert marks(group) == ["given", "unknown", "given", "unknown", "given"]
    offsets = PartitionOffsets(np.zeros(5, int), np.full(5, 9), np.array([-1, 3, 12, 9, 0]))
    group = Group.build(**base(lags=None, offsets=offsets, auto_offset_reset="earliest"))
    assert group.lag.tolist() == [9, 6, 0, 0, 9]
    assert marks(group) == ["no_commit", "ok", "ahead_of_end", "ok", "ok"]
    mixed = {"orders": np.array([1, 2, 3], np.uint64), "we ird": np.array([-1, 4])}
    assert Group.build(**base(lags=mixed)).lag.tolist() == [1, 2, 3, 0, 4]


def test_claims_as_columns_count_positions_as_given() -> None:
    owned = ClaimColumns(np.array([1, 0, 0, 1], np.int32), np.array([2, 4, 0, 2]))
    group = Group.build(**base(owned=owned))
    assert group.claim_member.tolist() == [0, 1, 1]  # a stands behind b, and before it by id
    assert group.claim_partition.tolist() == [2, 4, 0]
    assert group.owner.tolist() == [1, NOBODY, 0, NOBODY, 1]


def test_totals_are_checked_without_overflow() -> None:
    def total_of(n: int) -> int:
        return sum(group_of([n], [], lags=[BIGGEST] * n).lag.tolist())

    assert total_of(512) == 512 * BIGGEST
    with pytest.raises(InputError, match=r"lags: the lags add up to \d+, which is 2\^62 or more"):
        total_of(513)
    with pytest.raises(InputError, match=str(4096 * BIGGEST)):
        total_of(4096)


def at_the_end(start: int, end: int) -> dict[str, Any]:
    """Offsets in columns, of which the last log has this start and end."""
    columns_ = (np.array([0, 0, 0, 0, one]) for one in (start, end, 0))
    return {"lags": None, "offsets": PartitionOffsets(*columns_)}


ERRORS: list[tuple[dict[str, Any], str, str]] = [
    (at_the_end(5, 4), "offsets.log_end[4]", "4 is below log_start, 5"),
    (at_the_end(0, 2**53), "offsets.log_end[4]", "the lag 9007199254740992 is 2^53 or more"),
    ({"topics": {5: 1}}, "topics", "an integer as a key"),
    ({"subscriptions": {"b": ["orders"]}}, "members[1].subscription", "missing, but required"),
    ({"subscriptions": {"b": [], "a": "orders"}}, "members[1].subscription", "not a list"),
    ({"subscriptions": {"b": [], "a": ["t", 1]}}, "members[1].subscription[1]", "1 is an integer"),
    ({"subscriptions": {"b": [], "a": [], "aa": []}}, "subscriptions.aa", 'did you mean "a"?'),
    ({"owned": {"c": {}}}, "owned.c", 'no member has the id "c"'),
    ({"owned": {"b": [0]}}, "members[0].owned", "a list, not an object"),
    ({"owned": ClaimColumns(np.array([2]), np.array([0]))}, "owned.member[0]", "2 is not below 2"),
    ({"owned": ClaimColumns(np.array([0]), np.array([5]))}, "owned.partition[0]", "5 is not below"),
    ({"owned": ClaimColumns(np.array([0]), np.array([]))}, "owned.partition", "0 entries for 1"),
    ({"owned": ClaimColumns(np.array([0]), np.array([0.0]))}, "owned.partition[0]", "a float"),
    ({"lags": {0: [1]}}, "lags", "an integer as a key"),
    ({"lags": {"orders": {1, 2, 3}}}, "lags.orders", "a Python set, not a list"),
    ({"lags": {"orders": np.array([1.5, 2, 3])}}, "lags.orders[0]", "1.5 is a float"),
    ({"lags": {"orders": np.array([1, -2, 3])}}, "lags.orders[1]", "-2 is below 0"),
    ({"lags": np.array([1, 2])}, "lags", "2 entries for 5 partitions"),
    ({"lags": np.array([1, 2, 3, 4, 2**53])}, "lags[4]", "is 2^53 or more"),
    ({"lags": np.array([2**63] * 5, np.uint64)}, "lags[0]", "is 2^53 or more"),
    ({"lags": np.zeros((5, 1), int)}, "lags[0]", "a list, not an integer"),
    ({"unknown_lags": {"orders": 3}}, "unknown_lags.orders", "3 is an integer, not a list"),
    ({"members": "c-1"}, "members", "not a list of members"),
    ({"members": {"c-1"}}, "members", "not a list of members"),
    ({"subscriptions": ["a"]}, "subscriptions", "not a mapping of member ids to lists of topics"),
    ({"owned": [1]}, "owned", "not a mapping of member ids, or ClaimColumns"),
    ({"owned": np.array([1, 2])}, "owned", "not a mapping of member ids, or ClaimColumns"),
    ({"offsets": {"orders": {}}}, "offsets", "not PartitionOffsets"),
    ({"lags": {"orders": np.ma.array([5, 2, 1], mask=[1, 0, 0])}}, "lags.orders", "not a list"),
    ({"lags": {"orders": np.array(5)}}, "lags.orders", "not a list"),
    ({"lags": {"orders": np.ones((3, 1), np.int64)}}, "lags.orders[0]", "not an integer"),
    ({"owned": ClaimColumns(None, None)}, "owned.member", "not a list"),  # type: ignore[arg-type]
    ({"owned": {None: {}}}, "owned[null]", "no member has the id null"),
    ({"subscriptions": {"a": [], "b": [], 7: []}}, "subscriptions[7]", "no member has the id 7"),
]  # fmt: skip
"""What a snapshot cannot have; `tests/adapters/snapshot/test_errors.py` has the others."""


@pytest.mark.parametrize(("changes", "place", "problem"), ERRORS)
def test_refused(changes: dict[str, Any], place: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        Group.build(**base(**changes))
    assert caught.value.place == place
    assert problem in caught.value.problem


def test_offsets_of_different_topics() -> None:
    rows = {"orders": [0, 0, 0]}
    for other in ({}, {"we ird": [0, 0]}, np.zeros(5, int)):
        with pytest.raises(InputError, match=r"offsets\.committed: other topics than in log_start"):
            Group.build(**base(offsets=PartitionOffsets(rows, rows, other)))


def test_arguments_that_do_not_exist_or_are_missing() -> None:
    with pytest.raises(TypeError, match="no argument 'lag'"):
        Group.build(**base(), lag={})  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="needs 'members', 'topics'"):
        Group.build(name="g", subscriptions={})  # type: ignore[call-arg]


def test_none_counts_as_not_given() -> None:
    given: dict[str, Any] = {
        "name": "g", "topics": {"orders": 2}, "members": ["c-1"],
        "subscriptions": {"c-1": ["orders"]},
    }  # fmt: skip
    for argument in GroupInput.__optional_keys__ - {"auto_offset_reset"}:
        assert Group.build(**given, **{argument: None}).lag.tolist() == [0, 0]
    with pytest.raises(InputError, match="subscriptions: null, not a mapping of member ids"):
        Group.build(**{**given, "subscriptions": None})
