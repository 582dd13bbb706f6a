"""The names that members' speeds are remembered by, over restarts of the members."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from equilag.live.rebalance.joined_members import JoinedMember, client_id_in, member_key


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
        member_key(one): f"{clients[member_key(one)]}@{one.host}"
        for one in members
        if one.host and clients.get(member_key(one))
    }
    by_client, by_place = Counter(clients.values()), Counter(places.values())
    names = {}
    for key in map(member_key, members):
        client, place = clients.get(key), places.get(key)
        names[key] = key
        if client is not None and by_client[client] == 1:
            names[key] = client
        elif place is not None and by_place[place] == 1:
            names[key] = place
    return names


def speeds_of(members: Sequence[JoinedMember], by_name: Mapping[str, float]) -> dict[str, float]:
    """Return the speeds of those members whose names have one, by member key."""
    names = speed_names(members)
    return {key: by_name[name] for key, name in names.items() if name in by_name}
