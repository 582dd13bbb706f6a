"""The form of plans: what Java reads is what Python writes, sizes, and what is no plan."""

from __future__ import annotations

import hashlib
import hmac
import zlib
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from random import Random
from typing import Any, Final
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plan_goldens import FILE, MADE_WITH, goldens

from equilag.adapters.kafka.described import CARRIER_RACK
from equilag.domain.errors import InputError
from equilag.live.carrier.plan_form import MAX_RACK, plan_pieces

ONE, OTHER = UUID(int=1), UUID(int=2)
TWO_TOPICS: Final = {ONE: 2, OTHER: 1}


def read(pieces: list[str], key: bytes = b"") -> tuple[int, bytes]:
    """The plan's number, and the plan; checks everything in between."""
    data = [urlsafe_b64decode(one.removeprefix(CARRIER_RACK) + "==") for one in pieces]
    assert {one[:42] for one in data} == {data[0][:42]}
    assert [one[42] for one in data] == list(range(len(data)))
    deflated = b"".join(one[43:] for one in data)
    assert (data[0][0], data[0][9]) == (1, len(data))
    signed = data[0][:10] + deflated
    tag = hmac.digest(key, signed, "sha256") if key else hashlib.sha256(signed).digest()
    assert data[0][10:42] == tag
    return int.from_bytes(data[0][1:9]), zlib.decompress(deflated)


def meaning(text: str) -> list[object]:
    """A file of plans with each plan read: another release of zlib deflates to other bytes."""
    found: list[object] = []
    for case in text.split("case ")[1:]:
        lines = case.splitlines()
        key = MADE_WITH.get(lines[0].split()[0], "").encode()
        pieces = [line.split()[1] for line in lines if line.startswith("piece ")]
        found.append(([line for line in lines if line[:6] != "piece "], read(pieces, key)))
    return found


def test_the_plans_that_java_reads_are_those_of_now() -> None:
    file = meaning(FILE.read_text("utf-8"))
    assert file == meaning(goldens()), "python -m tests.support.plan_goldens renews them"
    assert len(file) == 3


@given(st.integers(0, 2**64 - 1), st.integers(1, 255))
def test_a_plan_in_any_number_of_pieces(number: int, least: int) -> None:
    assigned = {"b": {ONE: [1]}, "a": {OTHER: [0], ONE: [0]}, "c": {}}
    pieces = plan_pieces(assigned, TWO_TOPICS, number, least=least)
    assert len(pieces) == least
    found, plan = read(pieces)
    members = b"".join(b"\0\0\0\1" + name for name in (b"a", b"b", b"c"))
    topics = ONE.bytes + b"\0\0\0\2" + OTHER.bytes + b"\0\0\0\1"
    digests = b"".join(hashlib.sha256(data).digest()[:16] for data in (members, topics))
    assert (found, plan) == (number, digests + b"\0\1\0" + b"\0\0\0")


def test_a_key_changes_the_tag_alone() -> None:
    plans = [plan_pieces({"a": {ONE: [0]}}, {ONE: 1}, 1, key) for key in (b"", b"x", b"y")]
    tags = {urlsafe_b64decode(one.removeprefix(CARRIER_RACK) + "==")[10:42] for (one,) in plans}
    assert len(tags) == 3


def test_thousand_members_with_fifty_thousand_partitions_need_four_carriers_at_most() -> None:
    random = Random(1)
    topics = {UUID(int=random.getrandbits(128)): 500 for _ in range(100)}
    names = [f"{random.getrandbits(128):x}" for _ in range(1000)]
    assigned: dict[str, dict[UUID, list[int]]] = {name: {} for name in names}
    for topic, size in topics.items():
        for partition in range(size):
            assigned[random.choice(names)].setdefault(topic, []).append(partition)
    pieces = plan_pieces(assigned, topics, 1)
    assert len(pieces) <= 4
    assert max(map(len, pieces)) <= MAX_RACK
    assert len(read(pieces)[1]) == 32 + 2 * 50_000


@pytest.mark.parametrize(
    ("assigned", "topics", "problem"),
    [
        ({"a": {ONE: [0]}}, TWO_TOPICS, "2 partitions have no member"),
        ({"a": {ONE: [0, 1, 1], OTHER: [0]}}, TWO_TOPICS, "two members have partition 1 of topic"),
        ({"a": {ONE: [2]}}, TWO_TOPICS, "there is no partition 2 of topic"),
        ({"a": {OTHER: [0]}}, {ONE: 1}, "there is no partition 0 of topic"),
        ({str(n): {} for n in range(1 << 17)}, {}, "members are more than a plan can have"),
    ],
)
def test_what_is_no_plan(assigned: Mapping[str, Any], topics: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        plan_pieces(assigned, topics, 1)


def test_too_many_carriers() -> None:
    with pytest.raises(InputError, match="256 carriers are more than"):
        plan_pieces({"a": {}}, {}, 1, least=256)
