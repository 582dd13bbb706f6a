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
from equilag.domain.policy.shape import shape_group, with_new_members


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
    capacity: tuple[float, ...] | None
    """[M] what each member can process; None where nothing is known of any."""
    idle: int
    """Present members that read nothing; they are left out."""

    def group_of(self, size: int) -> Group:
        """The group of the first `size` processes."""
        chosen = np.sort(self._members[: self._ends[size]])
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
        chosen = self._capacity[: self._ends[size]]
        return tuple(np.sort(chosen)[::-1].tolist())

    @cached_property
    def _capacity(self) -> Floats:
        """[M] capacities, in the order of the processes."""
        assert self.capacity is not None
        return np.array(self.capacity)[self._members]

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
        return min(self.capacity[m] for m in self.processes[-1].threads)

    @property
    def equal_capacities(self) -> bool:
        """True if no member is faster than another."""
        return self.capacity is None or len(set(self.capacity)) <= 1

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
    width = threads or _usual_width(counted)
    order = _class_order(counted, max(size, len(counted)))
    new = np.array(order)
    for process in counted:
        new = np.delete(new, np.argmax(new == process.member_class))
    pool = with_new_members(present, np.repeat(new, width).tolist())
    pool = shape_group(pool, policy.without("instances", "pins", "members"))
    ids = {member.id for member in present.members}
    here = [m for m, member in enumerate(pool.members) if member.id in ids]
    capacity = _capacities(pool, here)
    known = _processes(pool, here, capacity, threads)
    added = _new_processes(pool, set(here), width)
    processes = _in_order(order, known, added)
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
    group: Group, members: Sequence[int], capacity: Sequence[float] | None, threads: int | None
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
    for m in sorted(members, key=lambda m: capacity[m] if capacity else 0.0):
        name, k = group.members[m].instance, int(group.class_of[m])
        if name is None:
            name = f"\0{single[k] // width}"  # no instance is called that
            single[k] += 1
        found.setdefault((k, name), []).append(m)
    made = [Process(tuple(threads_of), k) for (k, _), threads_of in found.items()]
    return sorted(made, key=lambda p: sum(capacity[m] for m in p.threads) if capacity else 0.0)


def _new_processes(pool: Group, here: set[int], width: int) -> list[Process]:
    """The new members, so many of one class as a process has threads."""
    new = [m for m in range(pool.n_members) if m not in here]
    new.sort(key=lambda m: int(pool.class_of[m]))
    chunks = (tuple(new[at : at + width]) for at in range(0, len(new), width))
    return [Process(chunk, int(pool.class_of[chunk[0]])) for chunk in chunks]


def _usual_width(processes: Sequence[Process]) -> int:
    """The number of threads that most processes have, the largest of several."""
    widths = [len(process.threads) for process in processes]
    return max(set(widths), key=lambda width: (widths.count(width), width))


def _class_order(processes: Sequence[Process], size: int) -> list[int]:
    """[size] the class of each process, so that any first k have the shares of the present ones.

    One of each class first; then the divisor method of Webster: the class with the largest
    present / (2 × so far + 1) is next.
    """
    n_classes = 1 + max(process.member_class for process in processes)
    if n_classes == 1:
        return [0] * size
    wanted = np.bincount([p.member_class for p in processes], minlength=n_classes).astype(float)
    order: list[int] = np.argsort(-wanted, kind="stable").tolist()
    so_far = np.ones(n_classes)
    while len(order) < size:
        following = int(np.argmax(wanted / (2 * so_far + 1)))
        so_far[following] += 1
        order.append(following)
    return order


def _in_order(
    order: Sequence[int], known: Sequence[Process], added: Sequence[Process]
) -> tuple[Process, ...]:
    """The processes in the given order of classes, of each class the known ones first."""
    waiting: dict[int, list[Process]] = {k: [] for k in order}
    for process in (*reversed(added), *reversed(known)):
        waiting[process.member_class].append(process)
    return tuple(waiting[k].pop() for k in order)


def _capacities(pool: Group, here: Sequence[int]) -> tuple[float, ...] | None:
    """[M] capacities; the unknown ones are the median of the known ones of the present members."""
    given = [member.capacity for member in pool.members]
    known = [capacity for capacity in given if capacity is not None]
    if not known:
        return None
    now = [capacity for m in here if (capacity := given[m]) is not None]
    usual = median(now or known)
    return tuple(float(usual if capacity is None else capacity) for capacity in given)


def _marked(pool: MemberPool) -> Group:
    """The group with all capacities and processes in the fields of its members, where they matter
    to a plan."""
    if pool.alike:
        members = tuple(replace(m, capacity=None, instance=None) for m in pool.group.members)
        return replace(pool.group, members=members)
    capacity = None if pool.equal_capacities else pool.capacity
    threaded = any(len(process.threads) > 1 for process in pool.processes)
    instance = {
        m: f"process-{number}"
        for number, process in enumerate(pool.processes)
        for m in process.threads
        if threaded
    }
    marked = tuple(
        replace(member, capacity=capacity[m] if capacity else None, instance=instance.get(m))
        for m, member in enumerate(pool.group.members)
    )
    return replace(pool.group, members=marked)
