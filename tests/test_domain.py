"""Columns, claims, figures, phases, deadlines and errors: the plain parts everything rests on."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.groups import BIGGEST, ODD, group_of, groups

import equilag
from equilag.adapters.snapshot.load import load_snapshot
from equilag.assignment import by_name, by_topic
from equilag.deadline import Deadline
from equilag.errors import InputError
from equilag.group import (
    MAX_PARTITIONS,
    MAX_TOTAL,
    NOBODY,
    Group,
    check_sizes,
    intern_subscriptions,
    iter_names,
    resolve_claims,
)
from equilag.metrics import count_moves, is_valid, member_counts, member_loads, spread
from equilag.phases import first_phase, revocations
from equilag.plan import Plan
from equilag.policy import BALANCES, POLICIES, Policy


def assigned(*members: int) -> np.ndarray:
    return np.array(members, dtype=np.int32)


# Group


def test_columns_of_a_group() -> None:
    group = group_of([2, 0, 3], [[0, 2], [2], [0, 2], [1]])
    assert group.n_partitions == 5
    assert group.topic_size.tolist() == [2, 0, 3]
    assert group.topic_of.tolist() == [0, 0, 2, 2, 2]
    assert group.class_of.tolist() == [0, 1, 0, 2]
    assert group.class_size.tolist() == [2, 1, 1]
    assert group.idle.tolist() == [False, False, False, True]
    assert group.subscribers(2).tolist() == [0, 1, 2]
    assert group.assignable.all()
    assert not group.one_subscription
    assert group.partition_name(3) == ("t02", 1)
    assert list(iter_names(group, np.array([4, 0]))) == [("t02", 2), ("t00", 0)]


def test_topics_with_the_same_readers_are_one_class() -> None:
    group = group_of([1, 1, 1, 1], [[0, 2, 3], [0, 1, 2]])
    assert group.topic_class.tolist() == [0, 1, 0, 2]
    assert group.partition_class.tolist() == [0, 1, 0, 2]
    assert group.eligible.tolist() == [[True, True], [False, True], [True, False]]


@given(groups())
def test_classes_say_the_same_as_subscriptions(group: Group) -> None:
    for partition in range(group.n_partitions):
        readers = group.subscribers(int(group.topic_of[partition])).tolist()
        row = group.eligible[group.partition_class[partition]]
        assert readers == np.flatnonzero(row[group.class_of]).tolist()
        assert group.assignable[partition] == bool(readers)


@pytest.mark.parametrize("name", ODD)
def test_columns_fit_each_other(name: str) -> None:
    group = ODD[name]()
    assert len(group.lag) == len(group.owner) == len(group.topic_of) == group.n_partitions
    assert len(group.idle) == len(group.class_of) == group.n_members
    assert group.eligible.shape[1] == len(group.class_topics)
    assert group.reads.shape == (len(group.topics), len(group.class_topics))


def test_without_owners() -> None:
    group = group_of([3], [[0], [0]], owners=[0, 0, 1], lags=[1, 2, 3])
    fresh = group.without_owners()
    assert (fresh.owner == NOBODY).all()
    assert fresh.lag.tolist() == [1, 2, 3]
    assert group.owner.tolist() == [0, 0, 1]


def test_subscriptions_are_numbered_as_they_appear() -> None:
    class_of, class_topics = intern_subscriptions([(1, 2), (), (1, 2), (0,)])
    assert class_of.tolist() == [0, 1, 0, 2]
    assert [topics.tolist() for topics in class_topics] == [[1, 2], [], [0]]


@pytest.mark.parametrize(
    ("claims", "owner"),
    [
        ([], NOBODY),
        ([(0, 5, True)], 0),
        ([(0, 5, False)], NOBODY),
        ([(0, 5, True), (1, 6, True)], 1),
        ([(0, 5, True), (1, 5, True)], NOBODY),
        ([(0, 5, True), (1, 5, True), (2, 6, True)], 2),
        ([(0, 6, True), (1, 6, True), (2, 5, True)], NOBODY),
        ([(0, 5, True), (1, 6, False)], NOBODY),
        ([(0, -1, True), (1, -1, True)], NOBODY),
        ([(0, -1, True), (1, 0, True)], 1),
    ],
)
def test_the_newest_claim_wins(claims: list[tuple[int, int, bool]], owner: int) -> None:
    for order in (claims, claims[::-1]):
        columns = list(zip(*order, strict=True)) or [(), (), ()]
        found = resolve_claims(
            np.array(columns[0], np.int32), np.zeros(len(order), np.int64),
            np.array(columns[1], np.int64), np.array(columns[2], np.bool_), 1,
        )  # fmt: skip
        assert found.tolist() == [owner]


def test_totals_are_checked_without_overflow() -> None:
    check_sizes(np.full(512, BIGGEST), 512)
    with pytest.raises(InputError, match=r"2\^62"):
        check_sizes(np.full(513, BIGGEST), 513)
    with pytest.raises(InputError, match=str(4096 * BIGGEST)):
        check_sizes(np.full(4096, BIGGEST), 4096)
    with pytest.raises(InputError, match="partitions"):
        check_sizes(np.zeros(1, np.int64), MAX_PARTITIONS + 1)
    assert 512 * BIGGEST < MAX_TOTAL < 513 * BIGGEST


# Figures


def test_counts_loads_spread_and_moves() -> None:
    group = group_of([3, 1], [[0, 1], [0], []], owners=[0, 0, 1, -1], lags=[5, 1, 2, BIGGEST])
    given_out = assigned(1, 0, 1, 0)
    assert member_counts(given_out, 3).tolist() == [2, 2, 0]
    loads = member_loads(given_out, group.lag, 3)
    assert loads.tolist() == [1 + BIGGEST, 7, 0]
    assert spread(loads, group.idle) == BIGGEST - 6
    assert count_moves(group.owner, given_out) == 1


def test_spread_without_anybody() -> None:
    assert spread(np.array([3, 4]), np.array([True, True])) == 0
    assert spread(np.zeros(0, np.int64), np.zeros(0, np.bool_)) == 0


@pytest.mark.parametrize(
    ("members", "valid"),
    [((0, 1, NOBODY), True), ((1, 1, NOBODY), True), ((0, NOBODY, NOBODY), False),
     ((0, 1, 0), False), ((0, 2, NOBODY), False), ((0, -2, NOBODY), False)],
)  # fmt: skip
def test_is_valid(members: tuple[int, ...], valid: bool) -> None:
    group = group_of([2, 1], [[0], [0]])
    assert is_valid(group, assigned(*members)) == valid


def test_a_partition_of_a_topic_that_its_member_does_not_read_is_not_valid() -> None:
    group = group_of([1, 1], [[0], [1]])
    assert is_valid(group, assigned(0, 1))
    assert not is_valid(group, assigned(1, 0))


# Plans


def test_by_name_and_by_topic() -> None:
    group = group_of([2, 2], [[0, 1], [0, 1], []])
    assert by_name(group, assigned(1, 0, 1, 1)) == {
        "m00": {"t00": [1]},
        "m01": {"t00": [0], "t01": [0, 1]},
        "m02": {},
    }
    assert by_topic(group, np.array([3, 0, 2])) == {"t00": [0], "t01": [0, 1]}
    assert by_topic(group, np.zeros(0, np.int64)) == {}


def plan_of(group: Group, *members: int) -> Plan:
    return Plan(group, None, "feasible", "by hand", assigned(*members))


def test_figures_of_a_plan() -> None:
    group = group_of([3, 1, 2], [[0, 1], [0], []], owners=[0, 0, 1, 0], lags=[5, 1, 2, 8, 3, 4])
    plan = plan_of(group, 1, 0, 1, 0, NOBODY, NOBODY)
    assert (plan.counts.max, plan.counts.min) == (2, 2)
    assert plan.counts.by_member == {"m00": 2, "m01": 2, "m02": 0}
    assert (plan.lag.total, plan.lag.max, plan.lag.min, plan.lag.spread) == (23, 9, 7, 2)
    assert plan.lag.mean == 8.0
    assert (plan.lag.gap, plan.lag.gap_percent_of_mean) == (2, 25.0)
    (move,) = plan.moves
    assert (move.topic, move.partition, move.source, move.target, move.lag) == (
        "t00", 0, "m00", "m01", 5,
    )  # fmt: skip
    assert plan.unassigned == {"t02": [0, 1]}
    assert plan.quality == {"given": 6}


def test_a_plan_as_json() -> None:
    group = group_of([2, 1], [[0], [0]], owners=[0, 0, NOBODY], lags=[5, 1, 2])
    document = json.loads(json.dumps(plan_of(group, 0, 1, NOBODY).to_dict()))
    assert document["format"] == "equilag/plan/1"
    assert document["assignment"] == {"m00": {"t00": [0]}, "m01": {"t00": [1]}}
    assert document["moves"] == {
        "count": 1, "lower_bound": 0,
        "partitions": [{"topic": "t00", "partition": 1, "from": "m00", "to": "m01"}],
    }  # fmt: skip
    assert document["phases"] == [
        {"revoke": {"m00": {"t00": [1]}}, "assignment": {"m00": {"t00": [0]}, "m01": {}}},
        {"assignment": document["assignment"]},
    ]
    assert document["unassigned"] == {"t01": [0]}
    assert document["dropped_claims"] == 0
    assert document["timing"] == {"time_limit_s": None, "wall_s": 0.0}
    assert "notes" not in document


# Phases


@given(groups(), st.sampled_from(POLICIES))
def test_phases(group: Group, policy: str) -> None:
    """Withheld is exactly what moves; then all is as planned."""
    plan = equilag.solve(group, policy, time_limit=0)
    first = first_phase(group, plan.assigned)
    withheld = first != plan.assigned
    assert (first[withheld] == NOBODY).all()
    assert withheld.tolist() == ((group.owner != NOBODY) & (group.owner != plan.assigned)).tolist()
    members, partitions = revocations(group, plan.assigned)
    assert sorted(partitions.tolist()) == np.flatnonzero(withheld).tolist()
    assert (group.owner[partitions] == members).all()
    assert len(plan.phases) == (2 if withheld.any() else 1)
    assert plan.phases[-1] == {"assignment": plan.assignment}


def test_a_voided_claim_withholds_too() -> None:
    """Both members claim t-0 at one generation: nobody owns it, and both must let go first."""
    group = load_snapshot(
        {
            "format": "equilag/snapshot/1",
            "group": "test",
            "topics": {"t": 1},
            "members": [
                {"id": name, "subscription": ["t"], "owned": {"t": [0]} if name != "c" else {}}
                for name in "abc"
            ],
        }
    )
    assert group.owner.tolist() == [NOBODY]
    assert first_phase(group, assigned(2)).tolist() == [NOBODY]
    assert first_phase(group, assigned(0)).tolist() == [0]
    members, partitions = revocations(group, assigned(0))
    assert (members.tolist(), partitions.tolist()) == ([1], [0])


# Policies, deadlines, errors


@pytest.mark.parametrize("name", POLICIES)
def test_a_policys_own_balance(name: str) -> None:
    assert Policy.of(name).balance == ("per-topic" if name == "kip-169" else "total")
    for balance in BALANCES:
        assert Policy.of(name, balance).balance == balance


def test_a_policy_there_and_back() -> None:
    policy = Policy.of("kip-169", "both", 7, 2, 9, False)
    assert Policy.of(**policy.to_dict()) == policy
    assert json.loads(json.dumps(policy.to_dict())) == policy.to_dict()


def test_which_policies_put_moves_first() -> None:
    first = {name for name in POLICIES if Policy.of(name).moves_first}
    assert first == {"fair-yet-sticky", "sticky-yet-fair"}


def test_a_deadline_runs_down_and_remembers_that_it_cut() -> None:
    now = Deadline(0.0)
    assert now.left == 0.0
    assert not now.cut
    assert now.expired()
    assert now.cut
    later = Deadline(1000.0)
    assert not later.expired()
    assert not later.cut
    assert 0.0 < later.left <= 1000.0
    assert later.elapsed >= 0.0
    assert Deadline(5.0, reserve=6.0).expired()


def test_a_share_of_a_deadline() -> None:
    whole = Deadline(1000.0)
    assert whole.share(3.0).limit == 3.0
    assert whole.share(5000.0).limit <= 1000.0
    part = whole.share(0.0)
    assert part.expired()
    assert whole.cut


def test_an_input_error_names_its_place_on_one_line() -> None:
    error = InputError("is\nodd\r", "members[3]", "a.json")
    assert str(error) == "a.json: members[3]: is odd "
    assert str(InputError("is odd")) == "is odd"
