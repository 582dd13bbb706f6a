"""Commits of groups (OffsetFetch) through kafka-python. Importing this imports kafka-python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equilag.adapters.kafka.described import ReadFailure
from equilag.adapters.kafka.descriptions import error_name
from equilag.adapters.kafka.group_kinds import (
    CLASSIC,
    CLASSIC_STREAMS,
    ListedGroup,
    committed_by_streams,
    listed_kind,
)
from equilag.adapters.kafka.plain.plain_client import PlainClient, in_batches
from equilag.adapters.kafka.plain.plain_connection import describe_error
from equilag.adapters.kafka.plain.quiet import quietly
from equilag.adapters.kafka.sample_rows import Commits

with quietly():
    from kafka.protocol.consumer.group import OffsetFetchRequest


def read_commits(
    client: PlainClient, coordinators: Mapping[str, int]
) -> dict[str, Commits | ReadFailure]:
    """Return the commits of each group, or why they cannot be read; one request for many groups of
    a coordinator."""
    batches = in_batches(coordinators)
    answers = client.ask_all([(node, commits_request(names)) for node, names in batches])
    found: dict[str, Commits | ReadFailure] = {}
    for (_, names), answer in zip(batches, answers, strict=True):
        found |= commits_of(answer, names)
    return found


def commits_request(groups: list[str]) -> Any:
    """Return a request for all commits of these groups. It needs Kafka 3.0, and stays below the
    version from which on topics are named by id."""
    kind = OffsetFetchRequest.OffsetFetchRequestGroup
    return OffsetFetchRequest(
        groups=[kind(group_id=group, topics=None) for group in groups],
        require_stable=False,
        min_version=8,
        max_version=9,
    )


def commits_of(answer: Any, groups: list[str]) -> dict[str, Commits | ReadFailure]:
    """Return the commits of each group from an OffsetFetchResponse, or from the error in its
    place."""
    if isinstance(answer, Exception):
        return dict.fromkeys(groups, _failure(describe_error(answer), 0))
    found: dict[str, Commits | ReadFailure] = dict.fromkeys(groups, _failure("no answer", 0))
    found.update({group.group_id: _commits(group) for group in answer.groups})
    return found


def _commits(group: Any) -> Commits | ReadFailure:
    if group.error_code:
        return _failure(error_name(group.error_code), group.error_code)
    commits = Commits()
    metadata = []
    for topic in group.topics:
        for one in topic.partitions:
            tp = topic.name, one.partition_index
            if one.error_code:
                failure = _failure(error_name(one.error_code), one.error_code)
                if failure.forbidden:
                    return failure
                commits.failed[tp] = f"its commit cannot be read: {error_name(one.error_code)}"
            elif one.committed_offset >= 0:
                commits.offsets[tp] = one.committed_offset
                metadata.append(one.metadata)
    commits.by_streams = committed_by_streams(metadata)
    return commits


def _failure(reason: str, code: int) -> ReadFailure:
    return ReadFailure.of(f"its commits cannot be read: {reason}", code)


with quietly():
    from kafka.protocol.admin import ListGroupsRequest


def list_groups(client: PlainClient) -> tuple[dict[str, ListedGroup], list[str]]:
    """Return all groups that the user may describe, and the problems with single brokers. Raises
    kafka-python's errors if no broker answers."""
    nodes = client.nodes()
    found: dict[str, ListedGroup] = {}
    problems = []
    errors: list[Exception] = []
    request = [(node, ListGroupsRequest(states_filter=[], types_filter=[])) for node in nodes]
    for answer in client.ask_all(request):
        if isinstance(answer, Exception):
            errors.append(answer)
            problems.append(describe_error(answer))
            continue
        if answer.error_code:
            problems.append(error_name(answer.error_code))
        for one in answer.groups:
            kind = listed_kind(one.group_type or "", one.protocol_type or "")
            found[one.group_id] = ListedGroup(kind, one.group_state or "")
    if len(errors) == len(nodes):
        raise errors[0]
    return found, [f"not all groups are listed: {problem}" for problem in problems]


def kind_now(client: PlainClient, group: str) -> str | ReadFailure:
    """Return the kind of a group in any state, "" if there is no such group, or why it is unknown.
    Raises kafka-python's errors.

    A classic group without members is one of Kafka Streams if such an application committed.
    """
    described = client.classic_kind(group)
    if isinstance(described, ReadFailure):
        if not described.gone:
            return described
        listed, _ = list_groups(client)  # coordinators describe groups of one kind each
        return listed[group].kind if group in listed else ""
    kind, members, node = described
    if kind != CLASSIC or members:
        return kind
    commits = read_commits(client, {group: node})[group]
    if isinstance(commits, ReadFailure):
        return commits
    return CLASSIC_STREAMS if commits.by_streams else CLASSIC
