"""Texts of Kafka's tools as tests read them: the group that comes out, or why none does."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from equilag.adapters.describe.describe_text import read_describe
from equilag.adapters.describe.printed_text import PrintedText
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.adapters.snapshot.write import snapshot_document
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group

Partitions = dict[tuple[str, int], tuple[int | None, int | None, str | None]]
"""Partition -> committed, log end, owner."""


class Described(NamedTuple):
    """The snapshot of what was read, the group that it means, and what was assumed."""

    document: dict[str, Any]
    group: Group
    assumed: list[str]

    @property
    def partitions(self) -> Partitions:
        found = {}
        for partition, owner in enumerate(self.group.owner.tolist()):
            topic, number = self.group.partition_name(partition)
            offsets = self.document["offsets"][topic]
            member = None if owner == NOBODY else self.group.members[owner].id
            found[topic, number] = offsets["committed"][number], offsets["log_end"][number], member
        return found

    def said(self, *words: str) -> bool:
        """True if one sentence of what was assumed has all of the words."""
        return any(all(word in sentence for word in words) for sentence in self.assumed)


def described(text: str, members: str | None = None, **options: Any) -> Described:
    printed = None if members is None else PrintedText(members, "m.txt")
    result = read_describe(PrintedText(text, "d.txt"), printed, **options)
    document = snapshot_document(result.given)
    return Described(document, load_snapshot(document), result.assumed)


def refused(text: str, members: str | None = None, **options: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        described(text, members, **options)
    assert "\n" not in str(caught.value)
    return caught.value
