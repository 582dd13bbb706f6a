"""What the errors of a coordinator mean for a member. Importing this imports kafka-python."""

from __future__ import annotations

from typing import Final

from equilag.adapters.kafka.quiet import quietly
from equilag.errors import EquilagError

with quietly():
    from kafka import errors


class MembershipLost(EquilagError):
    """We have to join anew."""


class Fenced(EquilagError):
    """Another process has joined under the same instance id."""


class Refused(EquilagError):
    """The group does not take us; `transient` if it will in a moment, as it rebalances just now."""

    transient = False


class Unreachable(EquilagError):
    """The coordinator does not answer just now."""


class AlreadyRebalancing(Refused):
    """The group is at it already."""

    transient = True


_MOVING: Final = frozenset(
    {
        errors.CoordinatorNotAvailableError,
        errors.NotCoordinatorError,
        errors.CoordinatorLoadInProgressError,
        errors.NetworkExceptionError,
        errors.RequestTimedOutError,
    }
)
_LOST: Final = frozenset({errors.UnknownMemberIdError, errors.IllegalGenerationError})
_REASONS: Final = {
    errors.GroupAuthorizationFailedError: "no right to join: needs Read on Group {group!r}",
    errors.InconsistentGroupProtocolError: (
        "the members of group {group!r} have no protocol in common with ours: name theirs with"
        " --protocol, or it is no classic group of consumers"
    ),
    errors.InvalidSessionTimeoutError: (
        "the session timeout is outside of what the brokers allow"
        " (group.min.session.timeout.ms, group.max.session.timeout.ms)"
    ),
    errors.GroupMaxSizeReachedError: "group {group!r} is full (group.max.size)",
}


def raise_for_code(code: int, group: str, instance: str) -> None:
    """Raise what an error code of the protocol means for the member `instance`; 0 is none."""
    if not code:
        return
    kind = errors.for_code(code)
    if kind in _MOVING:
        raise Unreachable(kind.__name__)
    if kind in _LOST:
        raise MembershipLost(kind.__name__)
    if kind is errors.FencedInstanceIdError:
        raise Fenced(f"another process has joined as {instance!r}")
    if kind is errors.RebalanceInProgressError:
        raise AlreadyRebalancing(kind.__name__)
    raise Refused(_REASONS.get(kind, kind.__name__).format(group=group))
