"""Which members of a classic group lead before another one."""

from __future__ import annotations

import pytest

from equilag.live.steward.succession import ahead_of

IN_ORDER = ["steward-𝄞", "x", "y", "consumer-4", "consumer-3", "rd-ä-1", "consumer-1"]
"""As a HashMap of Java 21 with these keys iterates over them, in buckets 5, 8 to 13 of 16."""


@pytest.mark.parametrize("leader", ["elsewhere", *IN_ORDER])
def test_members_are_in_the_order_of_a_hash_map(leader: str) -> None:
    left = [one for one in IN_ORDER if one != leader]
    found = [ahead_of(one, leader, IN_ORDER) for one in left]
    assert found == [([leader, *left[:n]], n > 0) for n in range(len(left))]


def test_the_table_grows_with_the_members() -> None:
    """In 32 buckets x is in the 24th."""
    assert ahead_of("x", "l", ["x", "consumer-4", *["l"] * 10]) == (["l"], False)
    assert ahead_of("x", "l", ["x", "consumer-4", *["l"] * 11]) == (["l", "consumer-4"], True)


def test_nobody_is_before_a_member_in_the_first_bucket() -> None:
    empty = ""  # its hash is 0
    assert ahead_of("x", "l", ["x", empty]) == (["l", empty], False)
    assert ahead_of("consumer-4", "l", ["x", empty]) == (["l", "x", empty], True)
    assert ahead_of("x", empty, ["x", empty]) == ([empty], False)
