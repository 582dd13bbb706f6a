"""Junk anywhere in a valid snapshot: a group or an InputError, never anything else."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
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

BASE: Snapshot = json.loads(Path(__file__).with_name("every_field.json").read_text("utf-8"))

RAW = json.dumps(BASE).encode()
PACKED = {"gzip": gzip.compress(RAW, mtime=0), "zstd": zstandard.compress(RAW)}


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


@given(cut=st.integers(0, len(RAW)), junk=st.text(alphabet='{}[]",:0e-.\\untrN \ud800', max_size=3))
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
