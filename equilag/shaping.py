"""A group with the overrides of a policy put into its own fields."""

from __future__ import annotations

from equilag.group import Group
from equilag.overrides import NO_OVERRIDES, Overrides


def shape_group(group: Group, overrides: Overrides) -> Group:
    """The group as the overrides have it; the same object without any.

    Raises InputError for a member, topic or partition that is not there, with the setting's name
    as its place.
    """
    if overrides == NO_OVERRIDES:
        return group
    return group
