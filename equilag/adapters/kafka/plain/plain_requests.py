"""Topics with leaders and racks (Metadata), lists of groups (ListGroups) and their commits
(OffsetFetch) through kafka-python. Importing this imports kafka-python."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any, Final

from equilag.adapters.kafka.client_config import kafka_python
from equilag.adapters.kafka.described import Commits, Described, ReadFailure, sorted_out
from equilag.adapters.kafka.group_kinds import (
    CLASSIC,
    ListedGroup,
    committed_by_streams,
    listed_kind,
)
from equilag.adapters.kafka.plain.plain_client import PlainClient, error_name, in_batches
from equilag.adapters.kafka.plain.plain_connection import describe_error
from equilag.adapters.kafka.reading import NamedTopics, distinct_racks, kind_of

with kafka_python():
    from kafka import errors
    from kafka.protocol.admin import ListGroupsRequest
    from kafka.protocol.consumer.group import OffsetFetchRequest
    from kafka.protocol.metadata import MetadataRequest


def read_commits(
    client: PlainClient, coordinators: Mapping[str, int], wait_ms: int | None = None
) -> tuple[dict[str, Commits], dict[str, ReadFailure]]:
    """Return the commits of each group, or why they cannot be read; the values are the groups'
    coordinators, each of which gets one request for many groups."""
    batches = in_batches(coordinators)
    answers = client.ask_all([(node, _of_commits(names)) for node, names in batches], wait_ms)
    found: dict[str, Commits | ReadFailure] = {}
    for (_, names), answer in zip(batches, answers, strict=True):
        if isinstance(answer, Exception):
            found |= dict.fromkeys(names, _failure(describe_error(answer), 0))
        else:
            found |= dict.fromkeys(names, _failure("no answer", 0))
            found |= {group.group_id: _commits(group) for group in answer.groups}
    return sorted_out(found)


def _of_commits(groups: list[str]) -> Any:
    """A request for all commits of these groups. It needs Kafka 3.0, and stays below the version
    from which on topics are named by id."""
    kind = OffsetFetchRequest.OffsetFetchRequestGroup
    return OffsetFetchRequest(
        groups=[kind(group_id=group, topics=None) for group in groups],
        require_stable=False,
        min_version=8,
        max_version=9,
    )


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
    found = client.describe({group: None})[group]
    if isinstance(found, ReadFailure):
        if not found.gone:
            return found.kind or found
        listed, _ = list_groups(client)  # no coordinator describes groups of other types
        return listed[group].kind if group in listed else ""
    if found.kind != CLASSIC or found.members:
        return found.kind
    commits, failed = read_commits(client, {group: found.coordinator})
    if failed:
        return failed[group]
    return kind_of(found, commits[group])


_MISSING: Final = (errors.UnknownTopicOrPartitionError.errno, errors.InvalidTopicError.errno)


def read_topics(
    client: PlainClient, topics: Iterable[str] | None, wait_ms: int | None = None
) -> NamedTopics:
    """Return these topics, or all that the user may describe; missing ones are not created. Raises
    kafka-python's errors."""
    kind = MetadataRequest.MetadataRequestTopic
    request = MetadataRequest(
        topics=None if topics is None else [kind(name=name) for name in sorted(set(topics))],
        allow_auto_topic_creation=False,
        include_cluster_authorized_operations=False,
        include_topic_authorized_operations=False,
        min_version=4,
        max_version=12,
    )
    answer = client.ask(None, request, wait_ms)
    found = NamedTopics()
    rack_of = {broker.node_id: broker.rack for broker in answer.brokers}
    for topic in answer.topics:
        if topic.error_code in _MISSING:
            found.missing.append(topic.name)
        elif topic.error_code == errors.TopicAuthorizationFailedError.errno:
            found.forbidden.append(topic.name)
        else:
            found.found[topic.name] = {
                one.partition_index: one.leader_id for one in topic.partitions
            }
            found.ids[topic.topic_id] = topic.name
            found.racks[topic.name] = {
                one.partition_index: distinct_racks(map(rack_of.get, one.replica_nodes))
                for one in topic.partitions
            }
    return found


_RETRY_PAUSES: Final = (0.2, 0.5, 1.0)
"""Seconds before rebalancing groups are described again: a group that still rebalances after about
two seconds is reported."""
_PATIENT_PAUSES: Final = (*_RETRY_PAUSES, *[2.0] * 9)
"""The same for a reading that is not repeated soon: a rebalance lasts as long as its slowest member
needs between two polls."""


def described(
    client: PlainClient, groups: Mapping[str, bool | None], patient: bool = False
) -> tuple[dict[str, Described], dict[str, ReadFailure]]:
    """Return each group with its members, or why it cannot be read. The values tell whether a
    group is a KIP-848 group, None if unknown. Waits about two seconds for rebalancing groups, if
    `patient` about twenty."""
    found: dict[str, Described] = {}
    unread: dict[str, ReadFailure] = {}
    for pause in (0.0, *(_PATIENT_PAUSES if patient else _RETRY_PAUSES)):
        again = {
            name: new
            for name, new in groups.items()
            if name not in found and (name not in unread or unread[name].transient)
        }
        if not again:
            break
        time.sleep(pause)
        read, failed = sorted_out(client.describe(again))
        found |= read
        unread |= failed
    return found, {name: why for name, why in unread.items() if name not in found}
