"""Small cases and results for the tests of the assignors' benchmark."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.assignors.case import Case
from benchmarks.assignors.exchange import PeerAnswer, PeerFailure, read_answer, write_case
from benchmarks.assignors.peers import CallBudget, Peer
from equilag.domain.group.group import NOBODY


def case_of(
    sizes: Sequence[int],
    subscriptions: Sequence[tuple[int, ...]],
    subscription_of: Sequence[int],
    owner: Sequence[int] | None = None,
    lag: Sequence[int] | None = None,
) -> Case:
    """Members m0, m1, …, topics t0, t1, …; nobody owns anything where no `owner` is given."""
    nobody = [NOBODY] * sum(sizes)
    return Case(
        name="test/one",
        family="test",
        members=tuple(f"m{m}" for m in range(len(subscription_of))),
        topics=tuple(f"t{t}" for t in range(len(sizes))),
        sizes=tuple(sizes),
        subscriptions=tuple(subscriptions),
        subscription_of=np.array(subscription_of, dtype=np.int32),
        owner=np.array(nobody if owner is None else owner, dtype=np.int32),
        lag=None if lag is None else np.array(lag, dtype=np.int64),
        lags="none" if lag is None else "uniform",
    )


def answering(assign: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[Any], str]:
    """What a runner writes of a case that it assigns like this."""

    def write(case: dict[str, Any]) -> str:
        times = {"assign_ms": [3.0, 1.0, 2.0], "names_ms": [5.0, 5.0, 5.0], "peak_mib": 9.5}
        return json.dumps(
            {**times, "warm_up": 1, "version": "fake 1.0", "assignment": assign(case)}
        )

    return write


STAYS = answering(lambda case: {member["id"]: member["owned"] for member in case["members"]})
"""Nothing moves."""


def ran(peer: Peer, case: Case, folder: Path, budget: CallBudget) -> PeerAnswer | PeerFailure:
    """What a peer's runner answers, where there is one."""
    if problem := peer.missing():
        pytest.skip(problem)
    write_case(case, folder / "case.json")
    peer.run(folder / "case.json", folder / "out.json", budget)
    return read_answer(folder / "out.json")


@dataclass
class FakePeer:
    """A peer that writes something of a case, or nothing, or that is not there."""

    name: str = "fake"
    why: str | None = None
    writes: Callable[[dict[str, Any]], str | None] = STAYS
    asked: list[Path] = field(default_factory=list)

    def missing(self) -> str | None:
        return self.why

    def run(self, case_file: Path, out: Path, budget: CallBudget) -> None:
        self.asked.append(case_file)
        text = self.writes(json.loads(case_file.read_text("utf-8")))
        if text is not None:
            out.write_text(text, "utf-8")
