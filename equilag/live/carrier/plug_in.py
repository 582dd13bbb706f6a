"""The brokers' side of plans: whether they have the plug-in, and the key that plans are made with.

Importing this module imports kafka-python.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from equilag.adapters.kafka.client_config import quietly
from equilag.adapters.kafka.described import MissingRight
from equilag.adapters.kafka.plain.plain_client import PlainClient, error_name
from equilag.adapters.kafka.plain.plain_connection import describe_error
from equilag.domain.errors import EquilagError
from equilag.live.steward.membership_errors import Unreachable

with quietly():
    from kafka import errors
    from kafka.protocol.admin import DescribeConfigsRequest

PLUG_IN: Final = "equilag.broker.EquilagAssignor"
"""The plug-in's class, as in the brokers' list of assignors."""

ASSIGNORS: Final = "group.consumer.assignors"
HEARTBEAT: Final = "group.consumer.min.heartbeat.interval.ms"
PLAN_KEY: Final = "equilag.plan.key"
"""Brokers' settings: the list of assignors, how often members may send heartbeats, and the key of
plans, of which brokers tell only that there is one."""
_BROKER: Final = 4
"""Resource type of a broker in DescribeConfigs."""


class NoPlugIn(EquilagError):
    """A broker lacks the plug-in: a plan there would end all consumers of the group. Or it has
    another key of plans than the steward, or none, and would refuse them."""


def check_plug_in(client: PlainClient, key: bytes) -> None:
    """Ask all brokers whether they take plans that are made with `key`. Raises NoPlugIn,
    MissingRight, Unreachable."""
    settings = broker_settings(client)
    lacking = [node for node, found in settings.items() if PLUG_IN not in assignors(found)]
    if lacking:
        listed = ", ".join(map(str, lacking))
        raise NoPlugIn(f"{ASSIGNORS} has no {PLUG_IN} at: broker {listed}")
    keyed = [node for node, found in settings.items() if PLAN_KEY in found]
    if key and not keyed:
        raise NoPlugIn(f"{PLAN_KEY} is set at no broker, but the steward has a --plan-key")
    if keyed and (not key or len(keyed) < len(settings)):
        listed = ", ".join(map(str, keyed))
        needed = "needs --plan-key" if not key else "all brokers need it"
        raise NoPlugIn(f"{PLAN_KEY} is set at: broker {listed}; {needed}")


def broker_settings(client: PlainClient) -> dict[int, dict[str, str]]:
    """Return ASSIGNORS, HEARTBEAT and PLAN_KEY of each broker, as far as it has them; the key is
    empty. Raises MissingRight, Unreachable."""
    nodes = client.nodes()
    answers = client.ask_all([(node, _settings_of(node)) for node in nodes])
    settings = {}
    for node, answer in zip(nodes, answers, strict=True):
        if isinstance(answer, Exception):
            raise Unreachable(f"broker {node} does not answer: {describe_error(answer)}")
        (result,) = answer.results
        if result.error_code == errors.ClusterAuthorizationFailedError.errno:
            raise MissingRight("needs the right DescribeConfigs on the Cluster")
        if result.error_code:
            raise Unreachable(f"broker {node}: {error_name(result.error_code)}")
        settings[node] = {one.name: one.value or "" for one in result.configs}
    return settings


def assignors(settings: Mapping[str, str]) -> list[str]:
    """Return the assignors that a broker lists, by name or class; the first one is that of groups
    whose members name none."""
    return [name for one in settings.get(ASSIGNORS, "").split(",") if (name := one.strip())]


def _settings_of(node: int) -> DescribeConfigsRequest:
    kind, names = DescribeConfigsRequest.DescribeConfigsResource, [ASSIGNORS, HEARTBEAT, PLAN_KEY]
    resource = kind(resource_type=_BROKER, resource_name=str(node), configuration_keys=names)
    return DescribeConfigsRequest(
        resources=[resource], include_synonyms=False, include_documentation=False
    )
