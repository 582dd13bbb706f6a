"""The figures of a group in a list of groups."""

from __future__ import annotations

from support.groups import group_of

from equilag.planner.facts.live_group import LiveGroupFacts, live_group_facts


def row(*args: object, **given: object) -> LiveGroupFacts:
    return live_group_facts(group_of(*args, **given), "Stable", "classic", 0, ())  # type: ignore[arg-type]


def test_the_heaviest_member_and_its_share() -> None:
    found = row([4], [[0]] * 2, owners=[0, 0, 0, 1], lags=[10, 20, 30, 20])
    assert (found.members, found.partitions, found.lag) == (2, 4, 80)
    assert (found.lag_spread, found.worst_member, found.worst_share_percent) == (40, "m00", 75.0)


def test_without_lag_nobody_is_the_heaviest() -> None:
    found = row([2], [[0]] * 2, owners=[0, 1], lags=[0, 0])
    assert (found.lag_spread, found.worst_member, found.worst_share_percent) == (0, None, None)


def test_where_nobody_reads_there_are_no_figures_of_members() -> None:
    found = row([2], [[]], lags=[5, 0])
    assert (found.lag, found.members) == (5, 1)
    assert (found.lag_spread, found.worst_member, found.worst_share_percent) == (None, None, None)
