"""How many members keep up, as a plan's warning tells it."""

from __future__ import annotations

import pytest

from equilag import Group, Member, Policy
from equilag.domain.budget import Budget
from equilag.planner.sizes.size_run import least_members


def overloaded(rates: list[float] | None, capacities: list[float | None], unread: int = 0) -> Group:
    members = [Member(f"m{n}", capacity=capacity) for n, capacity in enumerate(capacities)]
    reads = {m.id: ["orders"] if n >= unread else [] for n, m in enumerate(members)}
    return Group.build(
        name="g", topics={"orders": len(rates or "12")}, members=members, subscriptions=reads,
        **({} if rates is None else {"rates": {"orders": rates}}),
    )  # fmt: skip


def test_two_more_members() -> None:
    found = least_members(overloaded([10.0] * 12, [30.0, 30.0]), Policy(), Budget())
    assert found is not None
    assert (found.present, found.more, found.hot) == (2, 2, ())
    assert found.least == (4, 4)
    assert found.least.proved


def test_members_that_read_nothing_do_not_count() -> None:
    found = least_members(overloaded([10.0] * 12, [5.0, 30.0, 30.0], unread=1), Policy(), Budget())
    assert found is not None
    assert (found.present, found.more) == (2, 2)


def test_no_number_of_members_reads_a_hot_partition() -> None:
    found = least_members(overloaded([10.0, 50.0, 10.0], [30.0]), Policy(), Budget())
    assert found is not None
    assert found.more is None
    assert (found.least.at_least, found.last) == (4, 3)
    assert [(unit.partition, unit.pieces) for unit in found.hot] == [(1, 2)]


def test_present_members_are_enough() -> None:
    found = least_members(overloaded([10.0] * 4, [30.0, 30.0, 30.0]), Policy(), Budget())
    assert found is not None
    assert found.more == 0


@pytest.mark.parametrize(("rates", "capacity"), [(None, 5.0), ([1.0, 2.0], None)])
def test_without_rates_or_capacities_there_is_no_answer(
    rates: list[float] | None, capacity: float | None
) -> None:
    assert least_members(overloaded(rates, [capacity]), Policy(), Budget()) is None
