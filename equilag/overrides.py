"""Settings of a run that stand in for what a group says of itself: `--capacity`, `--pin`, …"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final, Literal, TypedDict, get_args

InstancesBy = Literal["host", "client-id", "none"]
INSTANCES_BY: Final[tuple[InstancesBy, ...]] = get_args(InstancesBy)


class OverrideSettings(TypedDict, total=False):
    """The settings as callers give them; None means what the group says."""

    capacity: Any
    max_partitions: int | None
    instances: str | None
    co_partition: Any
    pin: Any
    keep: Any


@dataclass(frozen=True, slots=True)
class Overrides:
    """What stands in for the group's own fields; checked when it is made by `overrides_of`."""

    capacity: tuple[tuple[str, float], ...] = ()
    """Member id or pattern (`*` and `?`), and capacity; a later entry stands before an earlier."""
    max_partitions: int | None = None
    """No more partitions than this for any member."""
    instances: InstancesBy | None = None
    """Members with the same host, or client id, are one instance; ``none``: each is its own."""
    co_partition: tuple[tuple[str, ...], ...] = ()
    """Lists of topics, in place of the group's own."""
    pin: tuple[tuple[str, int, str], ...] = ()
    """Topic, partition, and the member that alone may take it: an id, instance id or client id."""
    keep: tuple[str, ...] = ()
    """Topics whose owned partitions stay where they are."""

    def to_dict(self) -> dict[str, Any]:
        """The settings in force, as the policy in a plan's JSON has them."""
        return {name: value for name, value in self.as_given().items() if value not in (None, ())}

    def as_given(self) -> dict[str, Any]:
        """The settings by name, as `overrides_of` takes them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


NO_OVERRIDES: Final = Overrides()
OVERRIDE_FIELDS: Final[tuple[str, ...]] = tuple(field.name for field in fields(Overrides))


def overrides_of(given: OverrideSettings) -> Overrides:
    """The settings, checked. Raises InputError that names the setting, TypeError for another."""
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if unknown := chosen.keys() - set(OVERRIDE_FIELDS):
        raise TypeError(f"there is no setting {min(unknown)!r}")
    return Overrides(**chosen) if chosen else NO_OVERRIDES
