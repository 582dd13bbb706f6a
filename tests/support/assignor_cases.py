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


def answer_of(ms: float, **other: Any) -> dict[str, Any]:
    """A valid answer with the most even counts and the fewest moves."""
    return {
        "assign_ms": ms,
        "names_ms": ms,
        "calls": 3,
        "peak_mib": 50.0,
        "valid": True,
        "counts_optimal": True,
        "moves": 4,
        "excess_moves": 0,
        "max_over_mean": 1.0,
        "spread": 0,
        "gap_percent": 0.0,
        **other,
    }


def cell_of(name: str, answers: dict[str, dict[str, Any]], **other: Any) -> dict[str, Any]:
    """A cell of one subscription, without lags."""
    return {
        "case": name,
        "family": name.partition("/")[0],
        "kind": "one",
        "members": 100,
        "partitions": 1_000,
        "topics": 10,
        "subscriptions": 1,
        "owned": True,
        "lags": "none",
        "proved": {"fewest_moves": 4, "findings": []},
        "answers": answers,
        **other,
    }


def results_of(cells: Sequence[dict[str, Any]], **other: Any) -> dict[str, Any]:
    return {
        "when": "2026-11-21T09:00:00+00:00",
        "machine": {"cpu": "one", "cores": 2, "memory_gib": 24},
        "versions": {"python": "3.11"},
        "mode": "short",
        "cells": list(cells),
        "limits": {},
        "frontier": {},
        **other,
    }


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
