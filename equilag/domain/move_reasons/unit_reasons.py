"""The reason of a move, as data, and what each unit that changes hands serves, as columns."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from equilag.domain.columns import Flags, Floats, Index, Ints
from equilag.domain.group.group import Group
from equilag.domain.move_reasons.unit_moves import Chains, Loads, UnitMoves, chains_of
from equilag.domain.plan.metrics import topic_counts
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import Reduction

MoveReasonKind = Literal[
    "restriction", "join", "unit", "racks", "room", "counts", "relief", "makes-room", "exchange",
    "other", "fresh", "assignor",
]  # fmt: skip
"""What a move serves. The first that applies:

- ``fresh``: the plan was made as if nobody owned anything, so that no move has a reason.
- ``assignor``: the assignor's own choice; it weighs no moves.
- ``restriction``: its owner may not keep it (a pin, `allowed`, topics that belong together).
- ``join``: partitions of its co-partitioned unit were with several members.
- ``unit``: it moves along with a heavier partition of its co-partitioned unit.
- ``racks``: its owner reads it across racks, its new member does not.
- ``room``: the first member of its chain has more partitions than it has room for.
- ``counts``: its chain makes counts more even, and lowers the load of its first member by less than
  a hundredth.
- ``relief``: its owner, whose load falls, gives more than it gets back in its chain.
- ``makes-room``: the same of an owner whose load rises: it takes something heavier elsewhere.
- ``exchange``: what its owner gets back in its chain weighs as much or more.
- ``other``: none of these by itself.
"""
MOVE_REASON_KINDS: Final[tuple[MoveReasonKind, ...]] = get_args(MoveReasonKind)

Partner: TypeAlias = tuple[str, int]
"""Topic and number of a partition that moves as well."""


@dataclass(frozen=True, slots=True)
class MoveReason:
    """What one move serves. Loads are in the plan's unit: lag, or weight per unit of capacity."""

    kind: MoveReasonKind
    member: str
    """Whom it serves: the member that the chain relieves, whose counts or room it is about, or
    whose restriction; of ``join``, ``unit`` and ``racks`` the new member."""
    before: float
    """Load of `member` under the current assignment."""
    after: float
    """Load of `member` under the plan."""
    amount: float
    """By how much the chain lowers the load of `member`; negative if it rises. 0 for the kinds
    that have no chain."""
    partitions_before: int
    """Partitions of `member`, or units; those that nobody owned are counted as placed already."""
    partitions_after: int
    partners: tuple[Partner, ...] = ()
    """Other moves of the chain. The first is what the owner gets back; of ``exchange`` what it is
    for, of ``makes-room`` the heaviest partition that `member` gets, of ``unit`` and ``join`` one
    that it goes with."""
    more_partners: int = 0
    """Moves of the chain beyond `partners`."""

    def to_dict(self) -> dict[str, Any]:
        """The reason in a plan's JSON; without what there is none of."""
        known = {one.name: getattr(self, one.name) for one in fields(self)}
        known["partners"] = [list(partner) for partner in self.partners]
        optional = "partners", "more_partners"
        return {name: it for name, it in known.items() if it or name not in optional}


PathNeed: TypeAlias = Literal["room", "counts"]


class CountOrder:
    """The counts of members while paths are carried out one after the other.

    A path makes counts more even if it lowers the sum of squared counts per capacity, that of
    instances first (`constraint/marginal_costs`); where topics count one by one, of its topic.
    """

    def __init__(self, reduction: Reduction, policy: Policy, rows: UnitMoves) -> None:
        group, extended = reduction.group, reduction.group.extended
        n_members = group.n_members
        self._counts: list[int] = rows.counts.tolist()
        self._capacity, self._room = extended.capacity.tolist(), extended.room.tolist()
        instance = extended.instance_of
        self._instance = [*range(n_members)] if instance is None else instance.tolist()
        n_instances = 1 + max(self._instance, default=-1)
        self._sums, self._sizes = [0] * n_instances, [0] * n_instances
        for member, place in enumerate(self._instance):
            self._sums[place] += self._counts[member]
            self._sizes[place] += self._capacity[member]
        self._totals = policy.balance != "per-topic" and policy.balance != "none"
        self._in_topic = _topic_counts(group, rows) if policy.minds_topics else None

    def need(self, source: int, target: int, topic: int) -> PathNeed | None:
        """What a path from one member to another is needed for; None if neither room nor counts
        need it."""
        if self._counts[source] > self._room[source]:
            return "room"
        if self._in_topic is not None:
            here = self._in_topic
            if here[topic, source] - here[topic, target] > 1:
                return "counts"
        return "counts" if self._totals and self._evens_totals(source, target) else None

    def _evens_totals(self, source: int, target: int) -> bool:
        a, b = self._instance[source], self._instance[target]
        if a != b:
            gain = _gain(self._sums[a], self._sizes[a], self._sums[b], self._sizes[b])
            if gain:
                return gain > 0
        counts, capacity = self._counts, self._capacity
        return _gain(counts[source], capacity[source], counts[target], capacity[target]) > 0

    def carry_out(self, source: int, target: int, topic: int) -> None:
        """Take a partition from one member, and give it to another."""
        for member, step in ((source, -1), (target, 1)):
            self._counts[member] += step
            self._sums[self._instance[member]] += step
            if self._in_topic is not None:
                self._in_topic[topic, member] += step


def _topic_counts(group: Group, rows: UnitMoves) -> Index:
    """[T, M] partitions before the moves."""
    found, topic = topic_counts(group, rows.assigned), group.topic_of[rows.unit]
    np.add.at(found, (topic, rows.source), 1)
    np.subtract.at(found, (topic, rows.target), 1)
    return found


def _gain(giving: int, its_size: int, getting: int, other_size: int) -> int:
    """Above 0 if one less and one more lower the sum of squares per size, 0 if they keep it."""
    return (2 * giving - 1) * other_size - (2 * getting + 1) * its_size


CODE: Final = {kind: code for code, kind in enumerate(MOVE_REASON_KINDS)}
"""Kind -> its number in a column."""
NOTED: Final = 0.01
"""Part of a member's load from which on a move relieves it, whatever it does to counts: as much as
the default tolerance lets plans differ."""


class UnitReasons(NamedTuple):
    """Of each unit that changes hands [U]."""

    kind: Ints
    """[U] index into MOVE_REASON_KINDS"""
    member: Ints
    """[U] whom the move serves"""
    amount: Floats | Ints
    """[U] by how much the chain lowers that member's load"""
    lead: Ints
    """[U] row of the move that matters most in the chain; the row itself if it does"""
    chains: Chains


def unit_reasons(
    reduction: Reduction, policy: Policy, rows: UnitMoves, loads: Loads
) -> UnitReasons:
    """Classify the moves of units. O(U log U)."""
    chains = chains_of(*_nodes(reduction, policy, rows), rows.lost)
    before = chains.before
    back = np.where(before >= 0, rows.gained[before], 0)
    drop = (rows.lost - back) * loads.per_weight[rows.source]
    lead = _leads(chains, drop)
    falls = (loads.after < loads.before)[rows.source]
    alone = (np.diff(chains.begin) == 1)[chains.chain_of]
    kind = np.full(len(rows.unit), CODE["exchange"])
    kind[alone] = CODE["other"]
    gives = drop > 0
    kind[gives & ~falls] = CODE["makes-room"]
    kind[gives & falls] = CODE["relief"]
    member, amount = rows.source.astype(np.int64), drop.copy()
    takes = kind == CODE["exchange"]
    member[takes], amount[takes] = member[lead[takes]], drop[lead[takes]]
    found = UnitReasons(kind, member, amount, lead, chains)
    _mark_paths(reduction, policy, rows, loads, found)
    crossing = _leaves_other_rack(reduction, policy, rows)
    unkept = ~reduction.group.may_hold(rows.unit, rows.source)
    for flags, code in ((crossing, CODE["racks"]), (unkept, CODE["restriction"])):
        kind[flags], member[flags] = code, rows.source[flags]
        amount[flags] = drop[flags]
    return found


def _nodes(reduction: Reduction, policy: Policy, rows: UnitMoves) -> tuple[Ints, Ints]:
    """[U] where moves begin and end: members, or members within a topic that counts by itself."""
    source, target = rows.source.astype(np.int64), rows.target.astype(np.int64)
    if not policy.counts_topics:
        return source, target
    topic = reduction.group.topic_of[rows.unit] * np.int64(reduction.group.n_members)
    numbers = np.unique(np.concatenate((source + topic, target + topic)), return_inverse=True)[1]
    return numbers[: len(source)], numbers[len(source) :]


def _leads(chains: Chains, drop: Floats | Ints) -> Ints:
    """[U] the move of each chain after which a member's load falls most."""
    chain = chains.chain_of
    ascending = np.lexsort((drop, chain))
    last = ascending[chains.begin[1:] - 1]
    return last[chain]


def _mark_paths(
    reduction: Reduction,
    policy: Policy,
    rows: UnitMoves,
    loads: Loads,
    found_so_far: UnitReasons,
) -> None:
    """Mark the moves of paths that counts or room need; light ones first."""
    kind, member, amount, _, chains = found_so_far
    paths = np.flatnonzero(~chains.closed)
    first = chains.order[chains.begin[paths]]
    last = chains.order[chains.begin[paths + 1] - 1]
    order = CountOrder(reduction, policy, rows)
    light_first = np.argsort(rows.lost[first], kind="stable")
    first, last = first[light_first], last[light_first]
    topics = reduction.group.topic_of[rows.unit[first]]
    steps = zip(
        paths[light_first].tolist(),
        rows.source[first].tolist(),
        rows.target[last].tolist(),
        topics.tolist(),
        strict=True,
    )
    found: dict[int, int] = {}
    small = (amount[first] <= NOTED * loads.before[rows.source[first]]).tolist()
    for (path, *step), is_small in zip(steps, small, strict=True):
        name = order.need(*step)
        if name == "room" or (name == "counts" and is_small):
            found[path] = CODE[name]
        order.carry_out(*step)
    if not found:
        return
    marks = np.full(len(chains.closed), -1)
    marks[list(found)] = list(found.values())
    mark = marks[chains.chain_of]
    marked = np.flatnonzero(mark >= 0)
    start = chains.order[chains.begin[chains.chain_of[marked]]]
    kind[marked], member[marked] = mark[marked], rows.source[start]
    amount[marked] = amount[start]


def _leaves_other_rack(reduction: Reduction, policy: Policy, rows: UnitMoves) -> Flags:
    """[U] True if the source reads more of the unit across racks than the target."""
    group = reduction.group
    if not policy.minds_racks or not group.extended.has_racks:
        return np.zeros(len(rows.unit), dtype=np.bool_)
    cost, of_unit = group.extended.cross_costs, group.partition_class[rows.unit]
    before = cost[of_unit, group.class_of[rows.source]]
    found: Flags = before > cost[of_unit, group.class_of[rows.target]]
    return found
