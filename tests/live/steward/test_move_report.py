"""Moves in the steward's log."""

from __future__ import annotations

from support.live_loads import loads_of

from equilag.live.status.status_figures import shown_moves
from equilag.planner.solve import solve


def test_moves_are_named_up_to_a_number() -> None:
    two = solve(loads_of([900, 500, 400, 0], ["a", "b"], [0, 0, 1, 1]).group)
    assert shown_moves(two) == "t-0 a to b, t-2 b to a"
    many = solve(loads_of([10] * 30, ["a", "b"], [0] * 30).group)
    assert shown_moves(many).endswith(" a to b and 3 more")
    assert shown_moves(solve(loads_of([1, 1], ["a", "b"], [0, 1]).group)) == ""
