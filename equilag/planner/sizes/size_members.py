"""Which members a group of another size has.

Sizes count processes: members, or as many members as a process has threads. A group of size k has
the first k processes of one order. With one subscription these are the present ones, the slowest
first, and then new ones: nobody knows which would leave, and faster ones would hardly do worse. Of
several subscriptions, each keeps its share of the processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import NamedTuple

import numpy as np

from equilag.domain.columns import Floats
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group, Ints
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.shape import in_shares, shape_group, usual_threads, with_new_members


class Process(NamedTuple):
    """Some members of a group that come and go together."""

    threads: tuple[int, ...]
    """Their numbers in the group."""
    member_class: int


@dataclass(frozen=True, eq=False)
class MemberPool:
    """The present members and enough new ones, in the order in which they make up a group."""

    group: Group
    """All of them, without owners, racks and restrictions."""
    processes: tuple[Process, ...]
    present: int
    """Processes of the group as it is."""
    threads: int
    """Members of a new process."""
    capacity: Floats | None
    """[M] what each member can process; None where nothing is known of any."""
    idle: int
    """Present members that read nothing; they are left out."""

    def first(self, size: int) -> Ints:
        """The members of the first `size` processes."""
        return np.sort(self._members[: self.members_of(size)])

    def group_of(self, size: int) -> Group:
        """The group of the first `size` processes."""
        chosen = self.first(size)
        members = tuple(self.group.members[m] for m in chosen.tolist())
        return replace(self.group, members=members, class_of=self.group.class_of[chosen])

    def members_of(self, size: int) -> int:
        """Members of the first `size` processes."""
        return int(self._ends[size])

    def capacities_of(self, size: int) -> tuple[float, ...]:
        """What each member of the first `size` processes can process, the largest first; 1 where
        nothing is known."""
        if self.capacity is None:
            return (1.0,) * self.members_of(size)
        return tuple(np.sort(self.capacity[self._members[: self._ends[size]]])[::-1].tolist())

    @cached_property
    def _members(self) -> Ints:
        return np.array([m for p in self.processes for m in p.threads], dtype=np.int64)

    @cached_property
    def _ends(self) -> Ints:
        """[processes + 1] members of the first 0, 1, … processes."""
        ends = np.cumsum([0, *(len(process.threads) for process in self.processes)])
        return ends.astype(np.int64)

    @property
    def new_capacity(self) -> float | None:
        """What each thread of a new process can process: of the last process where there is no new
        one."""
        if self.capacity is None:
            return None
        return float(self.capacity[list(self.processes[-1].threads)].min())

    @property
    def equal_capacities(self) -> bool:
        """True if no member is faster than another."""
        return self.capacity is None or bool((self.capacity == self.capacity[0]).all())

    @cached_property
    def alike(self) -> bool:
        """True if all processes are the same: in capacity, threads, subscription and room."""
        return (
            self.equal_capacities
            and len(self.group.class_topics) == 1
            and len({len(process.threads) for process in self.processes}) <= 1
            and all(member.max_partitions is None for member in self.group.members)
        )


def member_pool(group: Group, policy: Policy, size: int, threads: int | None = None) -> MemberPool:
    """The pool of groups of up to `size` processes, or as many as the group has.

    `threads` None: as many as most instances of the group have. Raises InputError where no member
    reads a partition, and for settings that name what is not there.
    """
    present, idle = _present(group)
    present = shape_group(present, policy.only("instances"))
    counted = _processes(present, range(present.n_members), None, threads)
    width = threads or usual_threads([len(process.threads) for process in counted])
    here_of = np.bincount([process.member_class for process in counted])
    # One of each class first, so that any first k have the shares of the present ones.
    order: list[int] = np.argsort(-here_of, kind="stable").tolist()
    more = max(size, len(counted)) - len(order)
    order += in_shares(here_of, np.ones(len(here_of)), more)
    left, new = here_of.copy(), list[int]()
    for k in order:
        left[k] -= 1
        new += [k] if left[k] < 0 else []
    pool = with_new_members(present, np.repeat(new, width).tolist())
    pool = shape_group(pool, policy.without("instances", "pins", "members"))
    ids = {member.id for member in present.members}
    is_here = [member.id in ids for member in pool.members]
    here, added = np.flatnonzero(is_here).tolist(), np.flatnonzero(~np.array(is_here)).tolist()
    capacity = _capacities(pool, here)
    known = _processes(pool, here, capacity, threads)
    waiting: dict[int, list[Process]] = {k: [] for k in order}
    for process in reversed([*known, *_processes(pool, added, None, width)]):
        waiting[process.member_class].append(process)
    processes = tuple(waiting[k].pop() for k in order)
    made = MemberPool(pool, processes, len(known), width, capacity, idle)
    return replace(made, group=_marked(made))


def _present(group: Group) -> tuple[Group, int]:
    """The members that read anything, as a group without owners; and how many others there are."""
    busy = np.flatnonzero(~group.idle)
    if not len(busy):
        raise InputError("no member reads a partition, so there is nothing to size")
    numbers, class_of = np.unique(group.class_of[busy], return_inverse=True)
    nothing = np.zeros(0, dtype=np.int64)
    kept = replace(
        group,
        members=tuple(group.members[m] for m in busy.tolist()),
        class_of=class_of.ravel().astype(np.int32),
        class_topics=tuple(group.class_topics[k] for k in numbers.tolist()),
        claim_member=nothing.astype(np.int32),
        claim_partition=nothing,
        owner=np.full(group.n_partitions, NOBODY, dtype=np.int32),
        dropped_claims=0,
        racks=None,
        allowed=None,
    )
    return kept, group.n_members - len(busy)


def _processes(
    group: Group, members: Sequence[int], capacity: Floats | None, threads: int | None
) -> list[Process]:
    """The processes of some members, those that can process least first.

    Members of one instance are a process. Where no instances are known, so many members of one
    class as a process has threads are taken for one, the slowest together.
    """
    known = any(group.members[m].instance is not None for m in members)
    width = 1 if known or threads is None else threads
    for n in np.bincount(group.class_of[list(members)]).tolist():
        if n % width:
            problem = f"{n} members do not make processes of {width} threads"
            raise InputError(f"{problem}; --instances says which are threads of one", "threads")
    found: dict[tuple[int, str], list[int]] = {}
    single = [0] * len(group.class_topics)
    for m in sorted(members, key=lambda m: 0.0 if capacity is None else capacity[m]):
        name, k = group.members[m].instance, int(group.class_of[m])
        if name is None:
            name = f"\0{single[k] // width}"  # no instance is called that
            single[k] += 1
        found.setdefault((k, name), []).append(m)
    made = [Process(tuple(threads_of), k) for (k, _), threads_of in found.items()]
    return sorted(made, key=lambda p: 0.0 if capacity is None else capacity[list(p.threads)].sum())


def _capacities(pool: Group, here: Sequence[int]) -> Floats | None:
    """[M] capacities; the unknown ones are the median of the known ones of the present members."""
    given = [member.capacity for member in pool.members]
    known = [capacity for capacity in given if capacity is not None]
    if not known:
        return None
    usual = median([c for m in here if (c := given[m]) is not None] or known)
    return np.array([usual if capacity is None else capacity for capacity in given], np.float64)


def _marked(pool: MemberPool) -> Group:
    """The group with all capacities and processes in the fields of its members, where they matter
    to a plan."""
    group, capacity, instance = pool.group, pool.capacity, dict[int, str]()
    if pool.equal_capacities:
        capacity = None
    if not pool.alike and any(len(process.threads) > 1 for process in pool.processes):
        for number, process in enumerate(pool.processes):
            instance |= dict.fromkeys(process.threads, f"process-{number}")
    members = tuple(
        replace(
            member,
            capacity=None if capacity is None else float(capacity[m]),
            instance=instance.get(m),
        )
        for m, member in enumerate(group.members)
    )
    return replace(group, members=members)
