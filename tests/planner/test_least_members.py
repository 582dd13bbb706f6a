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


@pytest.mark.parametrize(
    ("group", "present", "more", "least"),
    [
        (overloaded([10.0] * 12, [30.0, 30.0]), 2, 2, (4, 4)),
        (overloaded([10.0] * 12, [5.0, 30.0, 30.0], unread=1), 2, 2, (4, 4)),
        (overloaded([10.0] * 4, [30.0, 30.0, 30.0]), 3, 0, (3, 3)),
        # No number of members reads the hot partition.
        (overloaded([10.0, 50.0, 10.0], [30.0]), 1, None, (4, None)),
    ],
    ids=["two more", "one reads nothing", "enough", "a hot partition"],
)
def test_how_many_more_keep_up(
    group: Group, present: int, more: int | None, least: tuple[int, int | None]
) -> None:
    found = least_members(group, Policy(), Budget())
    assert found is not None
    assert (found.present, found.more, found.least) == (present, more, least)
    hot = [(unit.partition, unit.pieces) for unit in found.hot]
    assert (hot, found.last) == (([(1, 2)], 3) if more is None else ([], group.n_partitions))


@pytest.mark.parametrize(("rates", "capacity"), [(None, 5.0), ([1.0, 2.0], None)])
def test_without_rates_or_capacities_there_is_no_answer(
    rates: list[float] | None, capacity: float | None
) -> None:
    assert least_members(overloaded(rates, [capacity]), Policy(), Budget()) is None
