"""Which member of a classic group leads next."""

from __future__ import annotations

import pytest

from equilag.live.steward.succession import leads_next

IN_ORDER = ["steward-𝄞", "x", "y", "consumer-4", "consumer-3", "rd-ä-1", "consumer-1"]
"""As a HashMap of Java 21 with these keys iterates over them, in buckets 5, 8 to 13 of 16."""


@pytest.mark.parametrize("leader", ["elsewhere", *IN_ORDER])
def test_the_first_in_the_order_of_a_hash_map_leads_next(leader: str) -> None:
    left = [one for one in IN_ORDER if one != leader]
    found = [leads_next(one, leader, IN_ORDER) for one in left]
    assert found == [True] + [False] * (len(left) - 1)


def test_the_table_grows_with_the_members() -> None:
    """In 32 buckets x is in the 24th."""
    assert leads_next("x", "l", ["x", "consumer-4", *["l"] * 10]) is True
    assert leads_next("x", "l", ["x", "consumer-4", *["l"] * 11]) is False


def test_nobody_is_before_a_member_in_the_first_bucket() -> None:
    empty = ""  # its hash is 0
    assert leads_next("x", "l", ["x", empty]) is None
    assert leads_next("x", empty, ["x", empty]) is True
