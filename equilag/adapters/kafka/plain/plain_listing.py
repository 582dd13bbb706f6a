"""The groups of a cluster with their kinds (ListGroups, DescribeGroups) through kafka-python.

Importing this module imports kafka-python.
"""

from __future__ import annotations

from equilag.adapters.kafka.described import ReadFailure
from equilag.adapters.kafka.descriptions import error_name
from equilag.adapters.kafka.group_kinds import CLASSIC, CLASSIC_STREAMS, ListedGroup, listed_kind
from equilag.adapters.kafka.plain.plain_client import PlainClient
from equilag.adapters.kafka.plain.plain_commits import read_commits
from equilag.adapters.kafka.plain.plain_connection import describe_error
from equilag.adapters.kafka.plain.quiet import quietly

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
