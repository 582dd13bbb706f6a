"""Settings of a run that stand in for what a group says of itself: `--capacity`, `--pin`, …"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final, Literal, TypedDict, get_args

from equilag.domain.policy.override_values import (
    NO_LISTS,
    NO_LISTS_TEXT,
    Capacities,
    Pins,
    TopicLists,
    as_added,
    as_limit,
    capacities_of,
    capacity_text,
    choice_of,
    pin_text,
    pins_of,
    topic_lists_of,
    topics_of,
)

InstancesBy = Literal["host", "client-id", "none"]
INSTANCES_BY: Final[tuple[InstancesBy, ...]] = get_args(InstancesBy)


class OverrideSettings(TypedDict, total=False):
    """The settings as callers give them; None means what the group says.

    capacity: id or pattern -> number; or texts such as ``c-*=2``.
    max_partitions: a whole number. instances: one of INSTANCES_BY.
    co_partition: lists of topics; or texts such as ``orders,payments``; ``none``: no lists at all.
    pin: (topic, partition) -> id, instance id or client id; or texts such as ``orders-1=c-1``.
    keep: topics.
    add_members: a whole number.
    """

    capacity: Any
    max_partitions: int | None
    instances: str | None
    co_partition: Any
    pin: Any
    keep: Any
    add_members: int | None


@dataclass(frozen=True, slots=True)
class Overrides:
    """What stands in for the group's own fields; checked when it is made by `overrides_of`."""

    capacity: Capacities = ()
    """Member id or pattern (`*` and `?`), and capacity; a later entry stands before an earlier."""
    max_partitions: int | None = None
    """No more partitions than this for any member."""
    instances: InstancesBy | None = None
    """Members with the same host, or client id, are one instance; ``none``: each is its own."""
    co_partition: TopicLists = ()
    """Lists of topics, in place of the group's own; NO_LISTS: none at all."""
    pin: Pins = ()
    """Topic, partition, and the member that alone may take it: an id, instance id or client id."""
    keep: tuple[str, ...] = ()
    """Topics whose owned partitions stay where they are."""
    add_members: int | None = None
    """Plan as if so many members more had joined."""

    def to_dict(self) -> dict[str, Any]:
        """The settings in force, as JSON values that `overrides_of` takes again."""
        lists: Any = list(map(list, self.co_partition))
        found: dict[str, Any] = {
            "capacity": list(map(capacity_text, self.capacity)),
            "max_partitions": self.max_partitions,
            "instances": self.instances,
            "co_partition": NO_LISTS_TEXT if self.co_partition == NO_LISTS else lists,
            "pin": list(map(pin_text, self.pin)),
            "keep": list(self.keep),
            "add_members": self.add_members,
        }
        return {name: value for name, value in found.items() if value not in (None, [])}

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
    if not chosen:
        return NO_OVERRIDES
    return Overrides(
        capacities_of(chosen.get("capacity", ()), "capacity"),
        as_limit(chosen.get("max_partitions"), "max_partitions"),
        choice_of(chosen.get("instances"), INSTANCES_BY, "instances"),
        topic_lists_of(chosen.get("co_partition", ()), "co_partition"),
        pins_of(chosen.get("pin", ()), "pin"),
        topics_of(chosen.get("keep", ()), "keep"),
        as_added(chosen.get("add_members"), "add_members"),
    )
