"""Who the members of a group of another size are, and how many keep up."""

from __future__ import annotations

import pytest
from support.orders_service import rated_group

from equilag import Group, Member
from equilag.domain.budget import Budget
from equilag.domain.policy.policy import Policy
from equilag.planner.sizes.size_members import MemberPool, member_pool
from equilag.planner.sizes.size_run import least_members

PLAIN = Policy()


def pool(
    members: list[Member],
    size: int,
    threads: int | None = None,
    overrides: Policy = PLAIN,
    reads: dict[str, list[str]] | None = None,
) -> MemberPool:
    group = Group.build(
        name="g", topics={"a": 8, "b": 4}, members=members,
        subscriptions=reads or {m.id: ["a", "b"] for m in members},
    )  # fmt: skip
    return member_pool(group, overrides, size, threads)


def ids(found: MemberPool, size: int) -> list[str]:
    return [member.id for member in found.group_of(size).members]


def test_the_slowest_stay_and_new_ones_have_the_median() -> None:
    members = [Member("m1", capacity=30.0), Member("m2", capacity=10.0), Member("m3")]
    found = pool(members, 5)
    assert ids(found, 1) == ["m2"]
    assert ids(found, 3) == ["m1", "m2", "m3"]
    assert ids(found, 5) == ["m1", "m2", "m3", "new-1", "new-2"]
    assert found.capacities_of(5) == (30.0, 20.0, 20.0, 20.0, 10.0)
    assert (found.present, found.threads, found.new_capacity) == (3, 1, 20.0)
    assert not found.alike
    assert {m.capacity for m in found.group_of(5).members} == {30.0, 20.0, 10.0}


def test_alike_members_are_an_ordinary_group() -> None:
    found = pool([Member("new-1", capacity=5.0), Member("m2", capacity=5.0)], 4)
    assert found.alike
    assert ids(found, 4) == ["m2", "new-1", "new-2", "new-3"]  # new-1 is taken
    assert found.capacities_of(2) == (5.0, 5.0)


def test_capacities_are_those_of_the_overrides() -> None:
    members = [Member("m1", capacity=30.0), Member("m2", capacity=10.0)]
    overrides = Policy(capacity=["m1=5", "new-*=50"])
    found = pool(members, 3, overrides=overrides)
    assert ids(found, 1) == ["m1"]
    assert found.capacities_of(3) == (50.0, 10.0, 5.0)
    assert found.new_capacity == 50.0


def test_pins_and_added_members_are_left_out() -> None:
    overrides = Policy(pin=["a-0=m1"], keep=["b"], add_members=3)
    found = pool([Member("m1"), Member("m2")], 3, overrides=overrides)
    assert found.present == 2
    assert found.group.allowed is None


def test_instances_are_processes() -> None:
    members = [Member(f"m{n}", instance=f"pod-{n // 2}") for n in range(4)]
    found = pool(members, 3)
    assert (found.present, found.threads) == (2, 2)
    assert [found.members_of(k) for k in range(4)] == [0, 2, 4, 6]
    assert found.alike  # so instances make no difference to the heaviest load
    odd = pool([*members, Member("m9")], 4)
    assert (odd.present, odd.threads, odd.alike) == (3, 2, False)
    assert odd.group_of(4).members[-1].instance is not None


def test_threads_without_instances_go_together_by_capacity() -> None:
    members = [Member(f"m{n}", capacity=float(c)) for n, c in enumerate([30, 10, 10, 30])]
    found = pool(members, 3, threads=2)
    assert ids(found, 1) == ["m1", "m2"]
    assert ids(found, 2) == ["m0", "m1", "m2", "m3"]
    assert ids(found, 3)[-2:] == ["new-1", "new-2"]


@pytest.mark.parametrize(("size", "expected"), [(2, [1, 1]), (3, [2, 1]), (6, [4, 2]), (9, [6, 3])])
def test_subscriptions_keep_their_shares(size: int, expected: list[int]) -> None:
    members = [Member(f"m{n}") for n in range(7)]
    reads = {f"m{n}": ["a"] if n < 4 else ["b"] if n < 6 else [] for n in range(7)}
    found = pool(members, 9, reads=reads)
    assert found.idle == 1
    group = found.group_of(size)
    by_topic = [sum(group.class_of == k) for k in range(2)]
    assert by_topic == expected


READS = {"m0": [], "m1": ["orders"], "m2": ["orders"]}


@pytest.mark.parametrize(
    ("group", "present", "more", "least"),
    [
        (rated_group([10.0] * 12, [30.0, 30.0]), 2, 2, (4, 4)),
        (rated_group([10.0] * 12, [5.0, 30.0, 30.0], subscriptions=READS), 2, 2, (4, 4)),
        (rated_group([10.0] * 4, [30.0, 30.0, 30.0]), 3, 0, (3, 3)),
        # No number of members reads the hot partition.
        (rated_group([10.0, 50.0, 10.0], [30.0]), 1, None, (4, None)),
    ],
    ids=["two more", "one reads nothing", "enough", "a hot partition"],
)
def test_how_many_more_keep_up(
    group: Group, present: int, more: int | None, least: tuple[int, int | None]
) -> None:
    found = least_members(group, Policy(), Budget())
    assert (found.present, found.more, found.least) == (present, more, least)
    hot = [(unit.partition, unit.pieces) for unit in found.hot]
    assert (hot, found.last) == (([(1, 2)], 3) if more is None else ([], group.n_partitions))


@pytest.mark.parametrize(("rates", "capacity"), [(None, 5.0), ([1.0, 2.0], None)])
def test_without_rates_or_capacities_there_is_no_answer(
    rates: list[float] | None, capacity: float | None
) -> None:
    assert least_members(rated_group(rates, [capacity], [0, 0]), Policy(), Budget()) is None
