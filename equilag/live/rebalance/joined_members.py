"""The members of a rebalancing group as they joined, and the group that the planner takes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from equilag.domain.building.group_input import GroupInput
from equilag.domain.group.group import UNKNOWN_GENERATION, Group, Index, Member
from equilag.domain.plan.assignment import by_name, first_phase
from equilag.domain.plan.metrics import is_valid
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.measured import NOTHING_MEASURED, Measured, with_size

Partitions = Mapping[str, Sequence[int]]
"""Topic -> partition numbers."""

_OF_BROKER: Final = re.compile(r"(.+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)


@dataclass(frozen=True, slots=True)
class JoinedMember:
    """One member of a rebalancing group, from its join request."""

    id: str
    topics: tuple[str, ...]
    claims: Partitions = field(default_factory=dict)
    """What it holds now: nobody else may get a partition before its holder has released it."""
    generation: int = -1
    """The generation of its claims; -1 if it did not report one."""
    instance_id: str | None = None
    rack: str | None = None
    hints: Partitions = field(default_factory=dict)
    """What it held before it released everything for an eager rebalance, or before it restarted.
    Used only for stickiness."""
    client_id: str | None = None
    host: str | None = None
    """Join requests have neither: both come from a description of the group. Without a client id,
    that in the member's id counts."""


def member_key(member: JoinedMember) -> str:
    """Return the name that a member keeps when it returns: instance id, else member id."""
    return member.instance_id or member.id


def client_id_in(member_id: str) -> str | None:
    """The client id in a dynamic member's id, which a broker makes as ``CLIENT-ID-UUID``."""
    found = _OF_BROKER.fullmatch(member_id)
    return found[1] if found else None


def needs_places(policy: Policy, members: Sequence[JoinedMember]) -> bool:
    """True if the policy makes instances of client ids or hosts, or if a pin names none that join
    requests tell: it may be a static member's client id."""
    if policy.instances not in (None, "none"):
        return True
    known = {member.id for member in members}
    known |= {member.instance_id or client_id_in(member.id) or "" for member in members}
    return any(name not in known for _, _, name in policy.pin)


def group_of(
    name: str,
    members: Sequence[JoinedMember],
    sizes: Mapping[str, int],
    measured: Measured = NOTHING_MEASURED,
) -> Group:
    """Return the group as the planner takes it.

    `sizes` has the number of partitions of each topic that exists. What was measured of a topic
    when it had another size counts as unknown. Raises InputError.
    """
    given: GroupInput = {
        "name": name,
        "topics": sizes,
        "members": [
            Member(
                member.id,
                instance_id=member.instance_id or None,
                rack=member.rack or None,
                generation=max(member.generation, UNKNOWN_GENERATION),
                client_id=member.client_id
                or (None if member.instance_id else client_id_in(member.id)),
                host=member.host or None,
                capacity=measured.capacities.get(member_key(member)),
            )
            for member in members
        ],
        "subscriptions": {member.id: member.topics for member in members},
        "owned": {member.id: member.claims or member.hints for member in members},
        "lags": with_size(measured.lags, sizes),
    }
    if measured.racks and (racks := with_size(measured.racks, sizes)):
        given["racks"] = racks
    if rates := with_size(measured.rates, sizes):
        given["rates"] = rates
    return Group.build(**given)


MemberAssignments = dict[str, dict[str, list[int]]]
"""Member id -> topic -> partition numbers; every member has an entry."""


def assignments_now(group: Group, assigned: Index, cooperative: bool) -> MemberAssignments:
    """Return what each member gets in this rebalance, on the way to `assigned` [P].

    In a cooperative group a partition that another member still claims is withheld; in an eager
    one all members have released everything. Raises ValueError if `assigned` is not a valid
    assignment of the group.
    """
    if not is_valid(group, assigned):
        raise ValueError("not every partition is assigned to exactly one of its subscribers")
    return by_name(group, first_phase(group, assigned) if cooperative else assigned)


def count_withheld(group: Group, assignments: MemberAssignments) -> int:
    """Return the number of partitions that wait for their old member to release them."""
    given = sum(len(numbers) for topics in assignments.values() for numbers in topics.values())
    return int(np.count_nonzero(group.assignable)) - given


_Named = tuple[str, int]


def with_prior_owners(
    members: Sequence[JoinedMember], going_on: Mapping[str, Partitions] | None = None
) -> list[JoinedMember]:
    """Return the members with what counts as theirs in place of claims and hints.

    That is what a member claims; of what nobody claims, what is its own in `going_on`, which maps
    member keys to partitions of a change that is under way; and then its hints. A change goes no
    further than its partitions are released already: to leave the others where they are costs
    nothing.
    """
    given = going_on or {}
    taken: set[_Named] = set()
    mine: list[list[_Named]] = [[] for _ in members]
    for of in (
        lambda one: one.claims,
        lambda one: {t: n for t, n in given.get(member_key(one), {}).items() if t in one.topics},
        lambda one: one.hints,
    ):
        found = [[one for one in _named(of(member)) if one not in taken] for member in members]
        for own, more in zip(mine, found, strict=True):
            own.extend(more)
            taken.update(more)
    return [
        replace(member, claims=_by_topic(own), hints={})
        for member, own in zip(members, mine, strict=True)
    ]


def _named(partitions: Partitions) -> Iterable[_Named]:
    return ((topic, number) for topic, numbers in partitions.items() for number in numbers)


def _by_topic(partitions: Iterable[_Named]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for topic, number in partitions:
        found.setdefault(topic, []).append(number)
    return found


def speed_names(members: Sequence[JoinedMember]) -> dict[str, str]:
    """Return a name for each member key: a member that restarts has another id, and its speed.

    The instance id, or else the client id where no other member has it, or client id and host where
    no other member has both. The member id where nothing else tells members apart.
    """
    clients = {
        member_key(one): one.client_id or client_id_in(one.id)
        for one in members
        if one.instance_id is None
    }
    places = {
        member_key(one): f"{client}@{one.host}"
        for one in members
        if one.host and (client := clients.get(member_key(one)))
    }
    numbers = Counter([*clients.values(), *places.values()])
    return {
        key: next(
            (name for name in (clients.get(key), places.get(key)) if name and numbers[name] == 1),
            key,
        )
        for key in map(member_key, members)
    }


def speeds_of(members: Sequence[JoinedMember], by_name: Mapping[str, float]) -> dict[str, float]:
    """Return the speeds of those members whose names have one, by member key."""
    names = speed_names(members)
    return {key: by_name[name] for key, name in names.items() if name in by_name}
