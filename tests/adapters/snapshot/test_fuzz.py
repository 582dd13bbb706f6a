"""Junk anywhere in a valid snapshot: a group or an InputError, never anything else."""

from __future__ import annotations

import copy
import gzip
import io
import json
from typing import IO, Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.group.lag import MAX_LAG

Snapshot = dict[str, Any]
Path = tuple[str | int, ...]

BASE: Snapshot = {
    "format": "equilag/snapshot/1",
    "group": "g",
    "taken_at": "2026-11-21T09:00:00.5+01:00",
    "topics": {"a": 3, "b.c": 2, "empty": 0, "é e": 1},
    "subscriptions": {"all": ["a", "b.c", "é e", "later"]},
    "members": [
        {"id": "m1", "subscription": "all", "owned": {"a": [0, 1, 7], "gone": [0]}},
        {"id": "m2", "subscription": ["b.c"], "owned": {"a": [1], "b.c": [0]}, "generation": 3},
        {"id": "m0", "subscription": [], "instance_id": "i", "rack": "r", "capacity": 1.5},
        {"id": "m3", "subscription": "all", "instance": "p", "max_partitions": 2},
    ],
    "generation": 4,
    "offsets": {
        "a": {"log_start": [0, 3, 0], "log_end": [9, 9, 9], "committed": [1, None, 12]},
        "é e": {"log_start": [0], "log_end": [1], "committed": [0]},
    },
    "lags": {"b.c": [5, 6]},
    "auto_offset_reset": "earliest",
    "rates": {"a": [1, 0.5, None]},
    "weights": {"b.c": [3, 4]},
    "racks": {"a": [["r"], [], ["r", "s"]]},
    "allowed": {"a": {"1": ["m1", "m3"]}, "b.c": {"0": ["m2"]}},
    "co_partitioned": [["empty"], ["é e"]],
}

INTEGERS = (0, 1, -1, 2, 2**31, 2**53 - 1, 2**53, 2**62, 2**63 - 1, 2**63, -(2**63), 10**30)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(INTEGERS),
    st.integers(),
    st.floats(),
    st.sampled_from(["", "a", "all", "m1", "b.c", "latest", "\ud800", "\0", "é", "9"]),
    st.text(max_size=5),
)
JUNK = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


def spots(value: object, path: Path = ()) -> list[Path]:
    found = [path]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += spots(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += spots(inner, (*path, index))
    return found


RAW = json.dumps(BASE).encode()
PACKED = {"gzip": gzip.compress(RAW, mtime=0), "zstd": zstandard.compress(RAW)}
SPOTS = [path for path in spots(BASE) if path]


def changed(path: Path, how: str, junk: object) -> Snapshot:
    snapshot = copy.deepcopy(BASE)
    spot: Any = snapshot
    for key in path[:-1]:
        spot = spot[key]
    last = path[-1]
    if how == "set":
        spot[last] = junk
    elif how == "remove":
        del spot[last]
    elif isinstance(spot, dict):
        spot[junk if isinstance(junk, str) else "new"] = spot[last] if how == "copy" else junk
    else:
        spot.insert(int(last), spot[last] if how == "copy" else junk)
    return snapshot


def check(group: Group) -> None:
    """What every part of equilag relies on."""
    parts, members = group.n_partitions, group.n_members
    assert len(group.lag) == len(group.quality) == len(group.owner) == parts
    assert len(group.class_of) == members
    assert ((group.lag >= 0) & (group.lag < MAX_LAG)).all()
    assert ((group.owner >= NOBODY) & (group.owner < members)).all()
    assert len(group.claim_member) == len(group.claim_partition)
    claims = list(zip(group.claim_member.tolist(), group.claim_partition.tolist(), strict=True))
    assert len(set(claims)) == len(claims)
    owned = [(m, p) for p, m in enumerate(group.owner.tolist()) if m != NOBODY]
    assert set(owned) <= set(claims)
    for member, partition in owned:
        assert group.reads[group.topic_of[partition], group.class_of[member]]
    ids = [member.id for member in group.members]
    assert ids == sorted(set(ids))
    assert all(ids)
    for text in (group.name, *ids, *group.topics):
        text.encode()


def outcome(source: Snapshot | IO[str] | IO[bytes]) -> Group | InputError:
    """What comes of a snapshot; any other exception fails the test that asks."""
    try:
        group = load_snapshot(source)
    except InputError as refusal:
        error = refusal
    else:
        check(group)
        return group
    assert error.problem
    assert "\n" not in str(error)
    return error


@given(
    path=st.sampled_from(SPOTS),
    how=st.sampled_from(["set", "set", "remove", "insert", "copy"]),
    junk=JUNK,
)
def test_junk_in_one_spot(path: Path, how: str, junk: object) -> None:
    snapshot = changed(path, how, junk)
    text = json.dumps(snapshot)  # writes NaN, Infinity and lone surrogates as Python reads them
    direct, parsed = outcome(snapshot), outcome(io.StringIO(text))
    if isinstance(direct, InputError):
        assert isinstance(parsed, InputError)
        assert (parsed.place, parsed.problem) == (direct.place, direct.problem)
    else:
        assert isinstance(parsed, Group)
        assert parsed.owner.tolist() == direct.owner.tolist()
        assert parsed.lag.tolist() == direct.lag.tolist()


@given(cut=st.integers(0, 1500), junk=st.text(alphabet='{}[]",:0e-.\\untrN \ud800', max_size=3))
def test_junk_in_the_text(cut: int, junk: str) -> None:
    text = json.dumps(BASE)
    outcome(io.StringIO(text[:cut] + junk + text[cut:]))
    outcome(io.StringIO(text[:cut] + junk + text[cut + 1 :]))


@given(position=st.integers(0, 400), byte=st.integers(0, 255), keep=st.booleans())
@pytest.mark.parametrize("packing", ["gzip", "zstd"])
def test_junk_in_compressed_data(packing: str, position: int, byte: int, keep: bool) -> None:
    data = bytearray(PACKED[packing])
    position %= len(data)
    data[position] = byte
    outcome(io.BytesIO(bytes(data if keep else data[: position + 1])))
