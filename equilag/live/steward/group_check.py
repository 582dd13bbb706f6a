"""What the steward finds out about a group before it joins, and when it is refused."""

from __future__ import annotations

from equilag.adapters.kafka.group_reader import GroupReader, MissingRight, UnplannableGroup
from equilag.domain.errors import EquilagError
from equilag.live.steward.group_membership import GroupMembership
from equilag.live.steward.membership_errors import Unreachable
from equilag.live.steward.shared_state import SharedState


def check_group(reader: GroupReader, membership: GroupMembership) -> None:
    """Check the kind of the group if the steward is no member yet.

    In a group without members it would be the first, and its protocols would keep the members of an
    application out whose group this is. Raises UnplannableGroup for such a group, Unreachable if
    its kind is unknown. The join names a missing right.
    """
    if membership.is_member:
        return
    try:
        reader.check_kind(membership.group)
    except UnplannableGroup:
        raise
    except MissingRight:
        return
    except EquilagError as error:
        raise Unreachable(str(error)) from error


def with_protocol_in_use(problem: str, shared: SharedState) -> str:
    """Return why a join was refused, with the members' protocol if the steward does not offer
    it."""
    observation = shared.observation
    if observation is None or observation.protocol in ("", *shared.options.protocols):
        return problem
    return f"{problem}; they use {observation.protocol!r}"
