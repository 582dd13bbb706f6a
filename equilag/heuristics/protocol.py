"""The interface of an assignor."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from equilag.domain.group.group import Group, Index


@runtime_checkable
class Assignor(Protocol):
    """One rule that turns a group into an assignment; built in or a user's own."""

    name: str

    def assign(self, group: Group) -> Index:
        """[P] int32 member number per partition, NOBODY where the topic has no subscriber.

        Deterministic: the same group gives the same answer.
        """
        ...
