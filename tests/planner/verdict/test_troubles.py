"""Groups with one known trouble, made by a model of reading: the first cause, and what to do.

Members read what is produced at a steady rate and commit every 5 s. Then one of them reads slowly,
hangs, or stands still, one partition gets too much, or all fall behind.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import equilag
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.plan.verdict import VerdictFacts

COMMIT_S = 5.0


class Trouble(NamedTuple):
    """`samples` 1 or 2, and what the verdict on them has to be; None for no cause that asks."""

    name: str
    samples: int
    cause: str | None
    action: str


TROUBLES = (
    Trouble("slow", 1, "slow-member", "look"),
    Trouble("slow", 2, "slow-member", "look"),
    Trouble("hung", 1, "one-partition", "look"),
    Trouble("hung", 2, "stuck-partition", "look"),
    Trouble("stuck", 1, "slow-member", "look"),
    Trouble("stuck", 2, "stuck-member", "look"),
    Trouble("hot", 1, "one-partition", "look"),
    Trouble("behind", 1, "all-behind", "look"),
    Trouble("behind", 2, "all-behind", "add-members"),
    Trouble("draining", 2, None, "leave"),
    Trouble("uneven", 1, "uneven-assignment", "move"),
    Trouble("quiet", 1, None, "leave"),
    Trouble("quiet", 2, None, "leave"),
    Trouble("quiet-rates", 1, None, "leave"),
)


def snapshot_with(trouble: Trouble, rng: np.random.Generator) -> dict[str, Any]:
    """A group of 3 to 8 members with 3 to 6 partitions each."""
    members, each = int(rng.integers(3, 9)), int(rng.integers(3, 7))
    n = members * each
    owner = rng.permutation(np.repeat(np.arange(members), each))
    fast = trouble.name != "quiet"
    rate = rng.uniform(50, 150, n) if fast else 10.0 ** rng.uniform(-1, 0.3, n)
    since = rng.uniform(0, COMMIT_S, n)  # since the last commit, or less: it lags by that
    lag, seconds = since * rate, 60.0
    read = rate * seconds
    mine = owner == rng.integers(members)
    one = rng.choice(np.flatnonzero(mine))
    if trouble.name == "slow":
        lag[mine] += rng.uniform(20_000, 40_000, int(mine.sum()))
        read[mine] *= rng.uniform(0.1, 0.4)
    elif trouble.name in ("hung", "hot"):
        lag[one] = rng.uniform(50, 100) * 1_000 + 3 * lag.sum()
        read[one] *= trouble.name == "hot"
    elif trouble.name == "stuck":
        lag[mine] = rate[mine] * rng.uniform(600, 1_200)
        read[mine] = 0
    elif trouble.name in ("behind", "draining"):
        lag = rng.uniform(0.9, 1.1) * 1e5 + rng.uniform(-2e3, 2e3, n)
        read *= 0.8 if trouble.name == "behind" else 1.3
    elif trouble.name == "uneven":
        owner[rng.permutation(np.flatnonzero(~mine))[: 2 * each]] = owner[one]
        lag = rng.uniform(2_000, 3_000, n)
    lag = lag.astype(np.int64)
    end = rng.integers(10**6, 10**7, n) + lag
    snapshot: dict[str, Any] = {
        "format": "equilag/snapshot/1", "group": "g", "topics": {"t": n},
        "members": [
            {"id": f"m{m}", "subscription": ["t"], "owned": {"t": np.flatnonzero(own).tolist()}}
            for m in range(members) for own in [owner == m]
        ],
        "offsets": {"t": columns(end, end - lag)},
    }  # fmt: skip
    if trouble.name == "quiet-rates":
        snapshot["rates"] = {"t": rate.tolist()}
    if trouble.samples == 2:
        grown, moved = (rate * seconds).astype(np.int64), read.astype(np.int64)
        moved = np.minimum(moved, np.where(moved < grown, moved, lag + moved))
        earlier = columns(end - grown, np.minimum(end - lag - moved, end - grown))
        snapshot["previous"] = {"seconds_before": seconds, "offsets": {"t": earlier}}
    return snapshot


def columns(end: Any, committed: Any) -> dict[str, list[int]]:
    return {
        "log_start": [0] * len(end), "log_end": end.tolist(), "committed": committed.tolist(),
    }  # fmt: skip


def verdict_on(trouble: Trouble, rng: np.random.Generator, **run: float) -> VerdictFacts:
    plan = equilag.solve(load_snapshot(snapshot_with(trouble, rng)), **{"effort": 0.001, **run})
    assert plan.verdict is not None
    return plan.verdict


def asks(found: VerdictFacts) -> str | None:
    """The first cause that is not in order."""
    fine = ("caught-up", "idle-members", "hot-partition")
    return next((one.cause for one in found.causes if one.cause not in fine), None)


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda one: f"{one.name}-{one.samples}")
def test_the_trouble_is_found(trouble: Trouble) -> None:
    rng = np.random.default_rng(11)
    for _ in range(8):
        found = verdict_on(trouble, rng)
        assert (asks(found), found.action) == (trouble.cause, trouble.action), found.headline
        assert found.worth_it == (trouble.action != "leave")


@pytest.mark.long
def test_healthy_groups_are_left_alone() -> None:
    rng = np.random.default_rng(5)
    quiet = [one for one in TROUBLES if one.name.startswith("quiet")]
    left = [verdict_on(quiet[n % 3], rng, time_limit=0).action == "leave" for n in range(10_000)]
    assert sum(left) >= 9_900
