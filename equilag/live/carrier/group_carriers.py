"""All carriers of one group: who may bring plans, and a plan as a whole.

Importing this module imports kafka-python.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final
from uuid import UUID

from equilag.adapters.kafka.client_config import quietly
from equilag.adapters.kafka.described import MissingRight
from equilag.adapters.kafka.plain.plain_client import PlainClient, error_name
from equilag.adapters.kafka.plain.plain_connection import describe_error
from equilag.domain.errors import EquilagError
from equilag.live.carrier.carrier_membership import Carrier
from equilag.live.carrier.plan_form import plan_pieces
from equilag.live.steward.membership_errors import Unreachable

with quietly():
    from kafka import errors
    from kafka.protocol.admin import DescribeConfigsRequest

PLUG_IN: Final = "equilag.broker.EquilagAssignor"
"""The plug-in's class, as in the brokers' list of assignors."""

ASSIGNORS: Final = "group.consumer.assignors"
HEARTBEAT: Final = "group.consumer.min.heartbeat.interval.ms"
"""Brokers' settings: the list of assignors, and how often members may send heartbeats."""
_BROKER: Final = 4
"""Resource type of a broker in DescribeConfigs."""


class NoPlugIn(EquilagError):
    """A broker lacks the plug-in: a plan there would end all consumers of the group."""


class GroupCarriers:
    """The carriers of `group`, and their plans, made with `key` where the brokers have one."""

    def __init__(self, client: PlainClient, group: str, key: bytes = b"", least: int = 1) -> None:
        """`least` is how many carriers there may be already, of a process before."""
        self._client = client
        self._group = group
        self._key = key
        self._least = least
        self._carriers: list[Carrier] = []
        self._nodes: list[int] = []

    @property
    def number(self) -> int:
        """Of carriers that are members."""
        return len(self._carriers)

    def bring(
        self,
        assigned: Mapping[str, Mapping[UUID, Iterable[int]]],
        topics: Mapping[UUID, int],
        number: int,
    ) -> None:
        """Make the group take a plan, as `plan_pieces` takes it, with as many carriers as it needs
        and at least as many as there are.

        Raises InputError, NoPlugIn, MissingRight, and what `Carrier.bring` raises. After an error
        the group is held until the next plan is brought.
        """
        self.check_brokers()
        pieces = plan_pieces(assigned, topics, number, self._key, max(self._least, self.number))
        for at in range(len(self._carriers), len(pieces)):
            self._carriers.append(Carrier(self._client, self._group, at))
        for carrier, piece in zip(self._carriers, pieces, strict=True):
            carrier.bring(piece, trigger=carrier is self._carriers[-1])

    def keep(self) -> None:
        """Send a heartbeat of each carrier: within the group's session timeout, better every
        second. Raises what `Carrier.bring` raises."""
        for carrier in self._carriers:
            carrier.heartbeat()

    def leave(self) -> None:
        """Take all carriers out of the group, as far as its coordinator answers: its consumers have
        another assignor then."""
        for carrier in self._carriers:
            with suppress(EquilagError):
                carrier.leave()
        self._carriers.clear()

    def check_brokers(self) -> None:
        """Ask all brokers, anew when their set has changed. Raises NoPlugIn, MissingRight,
        Unreachable."""
        nodes = self._client.nodes()
        if nodes == self._nodes:
            return
        settings = broker_settings(self._client)
        lacking = [node for node, found in settings.items() if PLUG_IN not in assignors(found)]
        if lacking:
            listed = ", ".join(map(str, lacking))
            raise NoPlugIn(f"{ASSIGNORS} has no {PLUG_IN} at: broker {listed}")
        self._nodes = nodes


def broker_settings(client: PlainClient) -> dict[int, dict[str, str]]:
    """Return ASSIGNORS and HEARTBEAT of each broker, as far as it has them. Raises MissingRight,
    Unreachable."""
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
        settings[node] = {one.name: one.value for one in result.configs if one.value}
    return settings


def assignors(settings: Mapping[str, str]) -> list[str]:
    """Return the assignors that a broker lists, by name or class; the first one is that of groups
    whose members name none."""
    return [name for one in settings.get(ASSIGNORS, "").split(",") if (name := one.strip())]


def _settings_of(node: int) -> DescribeConfigsRequest:
    kind, names = DescribeConfigsRequest.DescribeConfigsResource, [ASSIGNORS, HEARTBEAT]
    resource = kind(resource_type=_BROKER, resource_name=str(node), configuration_keys=names)
    return DescribeConfigsRequest(
        resources=[resource], include_synonyms=False, include_documentation=False
    )
