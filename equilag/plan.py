"""What comes out: an assignment with its figures, its phases and its certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, get_args

import numpy as np

from equilag.claim import Claim
from equilag.group import NOBODY, QUALITY, Group, Index, Ints, iter_names
from equilag.metrics import member_counts, member_loads, moved
from equilag.phases import first_phase, revocations
from equilag.policy import UNCONSTRAINED, Policy

Status = Literal["optimal", "feasible", "fallback"]
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
FORMAT: Final = "equilag/plan/1"
REPEATABLE: Final = "repeatable"
CUT: Final = "cut by the clock"
"""What a plan's JSON says of its run."""


@dataclass(frozen=True, slots=True)
class Move:
    """One partition that a live, still subscribed owner loses."""

    topic: str
    partition: int
    source: str
    target: str
    lag: int


@dataclass(frozen=True, slots=True)
class Counts:
    """Partitions per member; the extremes are over the members that are not idle."""

    max: int
    min: int
    by_member: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class LagFigures:
    """Lag in records; extremes and mean are over the members that are not idle."""

    total: int
    max: int
    min: int
    spread: int
    mean: float
    spread_lower_bound: int
    by_member: Mapping[str, int]

    @property
    def gap(self) -> int:
        return self.spread - self.spread_lower_bound

    @property
    def gap_percent_of_mean(self) -> float:
        return 100.0 * self.gap / self.mean if self.mean else 0.0


@dataclass(frozen=True, slots=True)
class Choice:
    """One point of the trade of moves against lag spread that a run came across."""

    label: str
    moves: int
    spread: int


@dataclass(frozen=True, eq=False)
class Plan:
    """An assignment of one group, and how good it is proved to be."""

    group: Group
    policy: Policy | None
    """None for the plan of a single heuristic, which follows no policy."""
    status: Status
    algorithm: str
    assigned: Index
    """[P] member number per partition, NOBODY where the topic has no subscriber."""
    claims: tuple[Claim, ...] = ()
    spread_lower_bound: int = 0
    moves_lower_bound: int = 0
    time_limit: float | None = None
    wall_s: float = 0.0
    notes: tuple[str, ...] = ()
    """What went wrong or was cut short on the way, for people."""
    choices: tuple[Choice, ...] = ()
    """Fewest moves, the knee, most even: what else there was to choose from."""
    seed: int = 0
    effort: float | None = None
    """Seconds' worth of counted work that the run was limited to; None for no such limit."""
    repeatable: bool = True
    """False if the clock cut the run short, so that another run may find another plan."""

    @property
    def settings(self) -> dict[str, Any]:
        """The policy and every setting in force, as in the plan's JSON."""
        if self.policy is None:
            return {"name": self.algorithm, "balance": UNCONSTRAINED}
        effort = {} if self.effort is None else {"effort": self.effort}
        run = REPEATABLE if self.repeatable else CUT
        return {**self.policy.to_dict(), "seed": self.seed, **effort, "run": run}

    @cached_property
    def assignment(self) -> dict[str, dict[str, list[int]]]:
        """Member to topic to partition numbers; every member is there."""
        return by_name(self.group, self.assigned)

    @cached_property
    def counts(self) -> Counts:
        counts = member_counts(self.assigned, self.group.n_members)
        active = counts[~self.group.idle]
        return Counts(
            int(active.max(initial=0)), int(active.min()) if len(active) else 0,
            self._per_member(counts),
        )  # fmt: skip

    @cached_property
    def lag(self) -> LagFigures:
        loads = member_loads(self.assigned, self.group.lag, self.group.n_members)
        active = loads[~self.group.idle]
        high, low = (int(active.max()), int(active.min())) if len(active) else (0, 0)
        mean = int(active.sum()) / len(active) if len(active) else 0.0
        total = int(self.group.lag.sum())
        bound = self.spread_lower_bound
        return LagFigures(total, high, low, high - low, mean, bound, self._per_member(loads))

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """By topic and partition."""
        group = self.group
        gone = np.flatnonzero(moved(group.owner, self.assigned))
        ids = [member.id for member in group.members]
        sources, targets = group.owner[gone].tolist(), self.assigned[gone].tolist()
        columns = zip(
            iter_names(group, gone), sources, targets, group.lag[gone].tolist(), strict=True
        )
        return tuple(
            Move(topic, number, ids[source], ids[target], lag)
            for (topic, number), source, target, lag in columns
        )

    @cached_property
    def unassigned(self) -> dict[str, list[int]]:
        """Partitions whose topic no member subscribes to."""
        return by_topic(self.group, np.flatnonzero(self.assigned == NOBODY))

    @property
    def phases(self) -> list[dict[str, Any]]:
        """What a cooperative group goes through: one phase, or two where something is withheld."""
        group, final = self.group, {"assignment": self.assignment}
        first = first_phase(group, self.assigned)
        if np.array_equal(first, self.assigned):
            return [final]
        members, partitions = revocations(group, self.assigned)
        starts = np.flatnonzero(np.append(True, members[1:] != members[:-1])).tolist()
        revoke = {
            group.members[members[a]].id: by_topic(group, partitions[a:b])
            for a, b in zip(starts, [*starts[1:], len(members)], strict=True)
        }
        return [{"revoke": revoke, "assignment": by_name(group, first)}, final]

    @property
    def quality(self) -> dict[str, int]:
        """How many partitions' lags carry each quality mark."""
        numbers = np.bincount(self.group.quality, minlength=len(QUALITY)).tolist()
        return {mark: n for mark, n in zip(QUALITY, numbers, strict=True) if n}

    def _per_member(self, values: Ints) -> dict[str, int]:
        return dict(zip((m.id for m in self.group.members), values.tolist(), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """The plan's JSON, format ``equilag/plan/1``."""
        lag, moves = self.lag, self.moves
        document: dict[str, Any] = {
            "format": FORMAT,
            "group": self.group.name,
            "policy": self.settings,
            "status": self.status,
            "algorithm": self.algorithm,
            "assignment": self.assignment,
            "counts": {
                "max": self.counts.max,
                "min": self.counts.min,
                "by_member": dict(self.counts.by_member),
            },
            "lag": {
                "total": lag.total,
                "max": lag.max,
                "min": lag.min,
                "spread": lag.spread,
                "mean": lag.mean,
                "spread_lower_bound": lag.spread_lower_bound,
                "gap": lag.gap,
                "gap_percent_of_mean": lag.gap_percent_of_mean,
                "by_member": dict(lag.by_member),
                "quality": self.quality,
            },
            "moves": {
                "count": len(moves),
                "lower_bound": self.moves_lower_bound,
                "partitions": [
                    {"topic": m.topic, "partition": m.partition, "from": m.source, "to": m.target}
                    for m in moves
                ],
            },
            "phases": self.phases,
            "unassigned": self.unassigned,
            "dropped_claims": self.group.dropped_claims,
            "certificate": {"claims": [claim.to_dict() for claim in self.claims]},
            "timing": {"time_limit_s": self.time_limit, "wall_s": self.wall_s},
        }
        if self.notes:
            document["notes"] = list(self.notes)
        return document


def by_topic(group: Group, partitions: Ints) -> dict[str, list[int]]:
    """Partition numbers [n] as topic name to numbers within the topic, both ascending."""
    partitions = np.sort(partitions)
    topic = group.topic_of[partitions]
    number = partitions - group.topic_start[topic]
    new = np.append(True, topic[1:] != topic[:-1])
    starts = np.flatnonzero(new).tolist() if len(topic) else []
    ends = [*starts[1:], len(topic)] if starts else []
    names, numbers = topic.tolist(), number.tolist()
    return {group.topics[names[a]]: numbers[a:b] for a, b in zip(starts, ends, strict=True)}


def by_name(group: Group, assigned: Index) -> dict[str, dict[str, list[int]]]:
    """An assignment [P] with names: member to topic to partition numbers, every member there."""
    held = np.flatnonzero(assigned != NOBODY)
    order = held[np.argsort(assigned[held], kind="stable")]
    member, topic = assigned[order], group.topic_of[order]
    numbers = (order - group.topic_start[topic]).tolist()
    result: dict[str, dict[str, list[int]]] = {m.id: {} for m in group.members}
    new = np.append(True, (member[1:] != member[:-1]) | (topic[1:] != topic[:-1]))
    starts = np.flatnonzero(new).tolist() if len(order) else []
    ends = [*starts[1:], len(order)] if starts else []
    members, topics = member.tolist(), topic.tolist()
    for a, b in zip(starts, ends, strict=True):
        result[group.members[members[a]].id][group.topics[topics[a]]] = numbers[a:b]
    return result
