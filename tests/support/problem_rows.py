"""Rows of `problems/` as a task of the solve stage gets them: plain dicts, no Spark needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hypothesis import strategies as st

from equilag.domain.policy.policy import Policy
from equilag.pipeline.fleet_options import GroupSettings

Row = dict[str, Any]

LAST_MS: Final = 1_795_251_600_123
"""2026-11-21T09:00:00.123Z"""

QUICK: Final = GroupSettings(Policy(), effort=0.1, time_limit=20.0, seed=3)
"""Enough for the optimum of a few partitions; the clock never decides."""


def topic_row(
    name: str,
    partitions: Sequence[int],
    log_end: Sequence[int],
    committed: Sequence[int | None] | None = None,
    log_start: Sequence[int] | None = None,
    weights: Sequence[int] | None = None,
) -> Row:
    """A topic's sampled partitions, ascending; by default all is committed from 0 to 10 before."""
    many = len(partitions)
    return {
        "topic": name,
        "partitions": list(partitions),
        "log_start": list(log_start or [0] * many),
        "log_end": list(log_end),
        "committed": [max(0, end - 10) for end in log_end] if committed is None else [*committed],
        "weights": list(weights or [0] * many),
    }


def member_row(
    name: str,
    subscription: Sequence[str | None] | None,
    owned: Mapping[str, Sequence[int | None] | None] | None = None,
    **more: Any,
) -> Row:
    """A member; `owned` is None for a column without a value, else as Spark has a map's entries."""
    entries = None if owned is None else [{"key": t, "value": p} for t, p in owned.items()]
    none = {"rack": None, "capacity": None, "instance_id": None, "generation": None}
    return {"member": name, "subscription": subscription, "owned": entries, **none, **more}


def problem_row(topics: Sequence[Row], members: Sequence[Row], group: str = "g") -> Row:
    return {
        "group": group,
        "last_ms": LAST_MS,
        "topics": sorted(topics, key=lambda row: str(row["topic"])),
        "members": sorted(members, key=lambda row: str(row["member"])),
    }


def usual_problem() -> Row:
    """Two topics, three members, uneven lag, a hole and a partition without a commit."""
    return problem_row(
        [
            topic_row("a", [0, 1, 2], [100, 200, 900], [90, 100, 100], weights=[1, 2, 3]),
            topic_row("b", [0, 1, 3], [50, 60, 70], [50, None, 65], weights=[4, 5, 6]),
        ],
        [
            member_row("m0", ["a", "b"], {"a": [0, 1, 2]}),
            member_row("m1", ["a", "b"], {"b": [0, 1]}),
            member_row("m2", ["b"], {"b": [2, 3]}),
        ],
    )


@st.composite
def problems(draw: st.DrawFn) -> Row:
    """Whatever the stage before may leave: holes, nulls everywhere, claims on what is not there."""
    offset = st.integers(0, 10**9)
    names = draw(st.lists(st.sampled_from(["a", "b.c", "[x]", "ü"]), unique=True, min_size=1))
    topics = []
    for name in names:
        numbers = sorted(draw(st.sets(st.integers(0, 9), min_size=1, max_size=6)))
        start = [draw(offset) for _ in numbers]
        end = [low + draw(offset) for low in start]
        committed = [draw(st.none() | st.integers(0, 3 * 10**9)) for _ in numbers]
        weights = [draw(offset) for _ in numbers]
        topics.append(topic_row(name, numbers, end, committed, start, weights))
    known = st.sampled_from([*names, "gone"])
    number = st.none() | st.integers(-1, 12)
    ids = draw(st.lists(st.sampled_from(["m0", "m1", "m2", "größe"]), unique=True))
    members = [
        member_row(
            name,
            draw(st.none() | st.lists(st.none() | known)),
            draw(st.none() | st.dictionaries(known, st.none() | st.lists(number))),
            rack=draw(st.none() | st.just("r")),
            instance_id=draw(st.none() | st.just(f"i-{name}")),
            generation=draw(st.none() | st.integers(-1, 5)),
        )
        for name in ids
    ]
    capacity = draw(st.none() | st.just(2.0))
    for row in members:
        row["capacity"] = capacity
    return problem_row(topics, members)
