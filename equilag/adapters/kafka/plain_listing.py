"""The groups of a cluster (ListGroups) through kafka-python, which importing this imports."""

from __future__ import annotations

from typing import Any

from equilag.adapters.kafka.descriptions import error_name
from equilag.adapters.kafka.plain_client import PlainClient
from equilag.adapters.kafka.plain_connection import describe_error
from equilag.adapters.kafka.quiet import quietly

with quietly():
    from kafka.protocol.admin import ListGroupsRequest


def list_groups(client: PlainClient) -> tuple[dict[str, bool], list[str]]:
    """Return group -> True if it is a KIP-848 group, and the problems with single brokers."""
    nodes = client.nodes()
    found: dict[str, bool] = {}
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
        found |= {group.group_id: _kip848(group) for group in answer.groups if _consumers(group)}
    if len(errors) == len(nodes):
        raise errors[0]
    return found, [f"not all groups are listed: {problem}" for problem in problems]


def _consumers(group: Any) -> bool:
    return group.protocol_type in ("consumer", "")


def _kip848(group: Any) -> bool:
    return bool(group.group_type.lower() == "consumer")
