"""What brokers have to have before a plan is brought. No broker."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from support.plain_fakes import FakeClient

from equilag.live.carrier.plug_in import ASSIGNORS, PLAN_KEY, PLUG_IN, NoPlugIn, check_plug_in

WITHOUT = {ASSIGNORS: "uniform,range"}
READY = {ASSIGNORS: f"uniform, {PLUG_IN}"}
KEYED = {**READY, PLAN_KEY: ""}


@pytest.mark.parametrize(
    ("first", "second", "key", "problem"),
    [
        (READY, READY, b"", ""),
        (KEYED, KEYED, b"k", ""),
        (READY, WITHOUT, b"", f"{ASSIGNORS} has no {PLUG_IN} at: broker 2"),
        (KEYED, KEYED, b"", "at: broker 1, 2; needs --plan-key"),
        (READY, KEYED, b"k", "at: broker 2; all brokers need it"),
        (READY, READY, b"k", f"{PLAN_KEY} is set at no broker, but the steward has a --plan-key"),
    ],
)
def test_what_brokers_lack_is_named(
    first: dict[str, str], second: dict[str, str], key: bytes, problem: str
) -> None:
    client = FakeClient({})
    client.settings = {1: first, 2: second}
    with pytest.raises(NoPlugIn, match=problem) if problem else nullcontext():
        check_plug_in(client, key)
