"""Topics, commits and log ends of one group through kafka-python, in three rounds of requests.

For callers that need an answer at once, also while brokers restart: every request is sent once.
Importing this module imports kafka-python.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from equilag.adapters.kafka.commits import Commits
from equilag.adapters.kafka.described import ReadFailure
from equilag.adapters.kafka.plain.plain_client import PlainClient
from equilag.adapters.kafka.plain.plain_commits import commits_of, commits_request
from equilag.adapters.kafka.plain.plain_ends import PlainEnds, read_ends
from equilag.adapters.kafka.plain.plain_topics import metadata_request, topics_of
from equilag.adapters.kafka.reading import NamedTopics


@dataclass(slots=True)
class PlainOffsets:
    """The answers: topics, commits or why not, and ends of logs."""

    topics: NamedTopics
    commits: Commits | ReadFailure
    ends: PlainEnds = field(default_factory=PlainEnds)


def read_offsets(
    client: PlainClient, group: str, topics: Iterable[str], committed: bool, wait_ms: int
) -> PlainOffsets:
    """Return offsets of these topics for the group; each request may take `wait_ms`.

    With `committed` a log ends where the oldest open transaction begins. Raises kafka-python's
    errors if there are no metadata.
    """
    names = sorted(set(topics))
    node = client.coordinator(group, wait_ms)
    requested: list[tuple[int | None, Any]] = [(None, metadata_request(names))]
    if not isinstance(node, ReadFailure):
        requested.append((node, commits_request([group])))
    metadata, *commits = client.ask_all(requested, wait_ms)
    if isinstance(metadata, Exception):
        raise metadata
    found = topics_of(metadata)
    answer = node if isinstance(node, ReadFailure) else commits_of(commits[0], [group])[group]
    if isinstance(answer, ReadFailure):
        return PlainOffsets(found, answer)
    return PlainOffsets(found, answer, read_ends(client, found.leaders(), committed, wait_ms))
