"""What a coordinator's error codes mean for a member. Importing this imports kafka-python."""

from __future__ import annotations

from typing import ClassVar, Final

from equilag.adapters.kafka.client_config import quietly
from equilag.adapters.kafka.described import ReadFailure
from equilag.adapters.kafka.plain.plain_client import PlainClient
from equilag.domain.errors import EquilagError

with quietly():
    from kafka import errors


class MembershipProblem(EquilagError):
    """Why a request of a member was not done."""

    heard: ClassVar[str]
    """The same in a word, as metrics count answers to heartbeats."""


class MembershipLost(MembershipProblem):
    """The coordinator no longer knows the member: it must join as a new one."""

    heard = "lost"


class Fenced(MembershipProblem):
    """Another process has joined with the same instance id."""

    heard = "fenced"


class Refused(MembershipProblem):
    """The group refuses the request."""

    heard = "lost"


class AlreadyRebalancing(MembershipProblem):
    """A rebalance is in progress: the request can succeed in a moment."""

    heard = "rebalance"


class Unreachable(MembershipProblem):
    """The coordinator does not answer now, or moves; it keeps the membership for a session."""

    heard = "silent"


_MOVING: Final = frozenset(
    {
        errors.CoordinatorNotAvailableError,
        errors.NotCoordinatorError,
        errors.CoordinatorLoadInProgressError,
        errors.NetworkExceptionError,
        errors.RequestTimedOutError,
    }
)
_LOST: Final = frozenset(
    {errors.UnknownMemberIdError, errors.IllegalGenerationError, errors.FencedMemberEpochError}
)
_REASONS: Final = {
    errors.GroupAuthorizationFailedError: "cannot join: needs the right Read on Group {group!r}",
    errors.InconsistentGroupProtocolError: (
        "the members of group {group!r} have no protocol in common with the steward: name theirs"
        " with --protocol NAME"
    ),
    errors.InvalidSessionTimeoutError: (
        "the brokers do not allow this session timeout"
        " (group.min.session.timeout.ms, group.max.session.timeout.ms)"
    ),
    errors.GroupIdNotFoundError: (
        "its brokers do not convert group {group!r}: its members have librdkafka's"
        " cooperative-sticky, or the brokers another group.consumer.migration.policy; it is led as"
        " it is without --convert"
    ),
    errors.GroupMaxSizeReachedError: "group {group!r} is full (group.max.size)",
}


def coordinator_of(client: PlainClient, group: str) -> int:
    """Return the broker that coordinates the group. Raises Refused, Unreachable."""
    node = client.coordinator(group)
    if not isinstance(node, ReadFailure):
        return node
    if node.forbidden:
        raise Refused(_REASONS[errors.GroupAuthorizationFailedError].format(group=group))
    raise Unreachable(node.reason)


def raise_for_code(code: int, group: str, instance: str) -> None:
    """Raise the error that a protocol error code means for the member `instance`; 0 means none."""
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
