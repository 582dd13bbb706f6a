"""Where the exporter reads groups: from a cluster, or from a Prometheus server."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from equilag.adapters.kafka.client_config import Config
from equilag.adapters.kafka.cluster import NoAnswer
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.adapters.prometheus.metric_groups import groups_of
from equilag.adapters.prometheus.server import PrometheusServer
from equilag.live.exporter.exporter import GroupsRead, ReadGroups

RECENT_S: Final = 120.0
"""In which a sample has to be: twice the longest time between two scrapes that is in use."""


class ClusterSource:
    """Reads the groups that are `wanted`; connects when it first reads, and again
    after an error. One request is in flight at each broker at most."""

    def __init__(self, config: Config, wanted: Callable[[str], object], isolation: str) -> None:
        self._config, self._wanted, self._isolation = config, wanted, isolation
        self._reader: GroupReader | None = None

    def __call__(self) -> GroupsRead:
        """Raises EquilagError if no broker answers."""
        if self._reader is None:
            self._reader = GroupReader(self._config, isolation=self._isolation)
        found = self._reader.read_all(self._wanted)
        if found.remarks and not found.groups:  # no coordinator answered
            raise NoAnswer(found.remarks[0])
        return GroupsRead(found.groups, found.left_out)

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()


def prometheus_source(
    server: PrometheusServer, wanted: Callable[[str], object], selector: str
) -> ReadGroups:
    """Return what reads the newest samples of a server, of the groups that are `wanted`. It raises
    EquilagError if the server does not answer, or answers wrongly."""

    def read() -> GroupsRead:
        samples = server.read(None, RECENT_S, selector)
        found = groups_of(samples, wanted, newest=True)
        newest = max((one.times[-1] for one in found.values()), default=samples.at)
        return GroupsRead([one.last for one in found.values()], {}, max(0.0, time.time() - newest))

    return read
