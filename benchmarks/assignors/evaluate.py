"""One evaluator for all assignors including equilag, in plain arithmetic without planner code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from benchmarks.assignors.case import Case

Ints = npt.NDArray[np.int64]

FREE: Final = -1
MAX_PROBLEMS: Final = 5
"""Problems of an assignment that are reported; one is enough to make it invalid."""


@dataclass(frozen=True, eq=False)
class Proved:
    """The proved optimum of a case, from a plan of equilag that `equilag.verify` accepts.

    All assignments with the most even counts have the same sorted counts.
    """

    counts: Ints
    """[M] sorted."""
    fewest_moves: int
    """With these counts."""
    lag_bound: int
    """A lower bound on the lag spread with these counts; 0 without lags."""
    findings: tuple[str, ...] = ()
    """The findings of `verify`; nothing is proved if there are any."""

    def to_dict(self, mean_load: float) -> dict[str, Any]:
        return {
            "fewest_moves": self.fewest_moves,
            "largest_count": int(self.counts.max(initial=0)),
            "smallest": int(self.counts.min()) if len(self.counts) else 0,
            "lag_bound": self.lag_bound,
            "mean_load": mean_load,
            "findings": list(self.findings),
        }


@dataclass(frozen=True, eq=False)
class Figures:
    """Figures of an assignment. Loads are in records, over the members that are not idle."""

    problems: tuple[str, ...]
    """Why the assignment is invalid; empty if it is valid."""
    counts: Ints = field(repr=False)
    """[M] sorted."""
    moves: int
    """Partitions that a live owner lost."""
    highest: int
    lowest: int
    mean: float
    cross_rack: int = 0
    """Partitions with known racks whose member has another one; 0 without racks."""

    @property
    def valid(self) -> bool:
        return not self.problems

    @property
    def spread(self) -> int:
        return self.highest - self.lowest

    @property
    def max_over_mean(self) -> float:
        return self.highest / self.mean if self.mean else 1.0

    def beside(self, proved: Proved) -> dict[str, Any]:
        """Compare the figures with the proved optimum.

        `excess_moves` is negative if an assignment saves moves by less even counts. `gap_percent`
        is relative to the mean load.
        """
        gap = self.spread - proved.lag_bound
        return {
            "valid": self.valid,
            "problems": list(self.problems),
            "counts_optimal": self.valid and np.array_equal(self.counts, proved.counts),
            "largest_count": int(self.counts.max(initial=0)),
            "smallest_count": int(self.counts.min()) if len(self.counts) else 0,
            "cross_rack": self.cross_rack,
            "moves": self.moves,
            "excess_moves": self.moves - proved.fewest_moves,
            "max_over_mean": self.max_over_mean,
            "spread": self.spread,
            "gap_percent": 100.0 * gap / self.mean if self.mean else 0.0,
        }


def evaluate(case: Case, assignment: Mapping[str, Mapping[str, list[int]]]) -> Figures:
    """Compute the figures of an assignment, member -> topic -> partition numbers.

    Faults of the assignment raise nothing; they are listed in `problems`.
    """
    partition, member, problems = _columns(case, assignment)
    times = np.bincount(partition, minlength=case.n_partitions)
    reading = _reading(case)
    wanted = np.repeat(reading.any(axis=0), case.sizes)
    _tell(problems, case, np.flatnonzero(times > 1), "assigned more than once")
    _tell(problems, case, np.flatnonzero(wanted & (times == 0)), "left out")
    subscribed: npt.NDArray[np.bool_] = reading[
        case.subscription_of[member], case.topic_of[partition]
    ]
    _tell(problems, case, partition[~subscribed], "given to a member that does not subscribe")
    assigned = np.full(case.n_partitions, FREE, dtype=np.int64)
    assigned[partition] = member
    counts = np.bincount(member, minlength=case.n_members)
    loads = np.zeros(case.n_members, dtype=np.int64)
    if case.lag is not None:
        np.add.at(loads, member, case.lag[partition])
    topics = np.flatnonzero(case.sizes)
    can_hold = np.any(reading[:, topics], axis=1)
    active = loads[np.flatnonzero(np.asarray(can_hold)[case.subscription_of])]
    return Figures(
        problems=tuple(problems[:MAX_PROBLEMS]),
        counts=np.sort(counts),
        moves=int(np.count_nonzero((case.owner != FREE) & (case.owner != assigned))),
        highest=int(active.max(initial=0)),
        lowest=int(active.min()) if len(active) else 0,
        mean=float(active.sum()) / len(active) if len(active) else 0.0,
        cross_rack=_cross_rack(case, partition, member),
    )


def _cross_rack(case: Case, partition: Ints, member: Ints) -> int:
    if case.racks is None:
        return 0
    pairs = zip(member.tolist(), partition.tolist(), strict=True)
    read = ((case.racks.of_member[m], case.racks.of_partition[p]) for m, p in pairs)
    return sum(rack != "" and len(holding) > 0 and rack not in holding for rack, holding in read)


def _columns(
    case: Case, assignment: Mapping[str, Mapping[str, list[int]]]
) -> tuple[Ints, Ints, list[str]]:
    """Return partitions and members [Q] of all valid entries, and the problems of the others."""
    member_number = {name: number for number, name in enumerate(case.members)}
    topic_number = {name: number for number, name in enumerate(case.topics)}
    problems: list[str] = []
    partitions, members = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for name, topics in assignment.items():
        if name not in member_number:
            problems.append(f"no member {name!r}")
            continue
        for topic, listed in topics.items():
            if topic not in topic_number:
                problems.append(f"no topic {topic!r}")
                continue
            number = topic_number[topic]
            numbers = np.array(listed, dtype=np.int64)
            exists = (numbers >= 0) & (numbers < case.sizes[number])
            if not exists.all():
                problems.append(f"{topic!r} has no partition {int(numbers[~exists][0])}")
            partitions.append(case.start[number] + numbers[exists])
            members.append(np.full(int(exists.sum()), member_number[name], dtype=np.int64))
    return np.concatenate(partitions), np.concatenate(members), problems


def _reading(case: Case) -> npt.NDArray[np.bool_]:
    """Return [S, T] True where the subscription contains the topic."""
    table = np.zeros((len(case.subscriptions), len(case.topics)), dtype=np.bool_)
    for number, topics in enumerate(case.subscriptions):
        table[number, list(topics)] = True
    return table


def _tell(problems: list[str], case: Case, partitions: Ints, what: str) -> None:
    if len(partitions):
        first = int(partitions[0])
        topic = int(case.topic_of[first])
        name = f"{case.topics[topic]}-{first - int(case.start[topic])}"
        problems.append(f"{len(partitions)} partitions {what}, the first {name}")
