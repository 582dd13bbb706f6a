"""Client ids and hosts of the members in a rebalance, for policies that need them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from equilag.adapters.kafka.described import ClientPlace
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.joined_members import JoinedMember, client_id_in


def needs_places(policy: Policy, members: Sequence[JoinedMember]) -> bool:
    """True if the policy makes instances of client ids or hosts, or if a pin names none that join
    requests tell: it may be a static member's client id."""
    given = policy.overrides
    if given.instances not in (None, "none"):
        return True
    known = {member.id for member in members}
    known |= {member.instance_id or client_id_in(member.id) or "" for member in members}
    return any(name not in known for _, _, name in given.pin)


def with_places(
    members: Sequence[JoinedMember], places: Mapping[str, ClientPlace]
) -> list[JoinedMember]:
    """Return the members with client id and host, where those are known."""
    unknown = ClientPlace(None, None)
    return [
        replace(member, client_id=place.client_id, host=place.host)
        for member in members
        for place in (places.get(member.id, unknown),)
    ]
