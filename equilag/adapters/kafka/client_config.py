"""Settings for librdkafka, as plain values: a Spark executor gets them as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from equilag.errors import InputError

Config: TypeAlias = dict[str, str | int]

SERVERS: Final = "bootstrap.servers"
_QUIET: Final = 0
"""librdkafka writes to stderr by itself; what matters comes back as errors anyway."""


def kafka_config(bootstrap: str, overrides: Mapping[str, str] | None = None) -> Config:
    """The settings of every client: `overrides` are librdkafka's own properties, by name.

    Raises InputError for an empty `bootstrap`, or servers in `overrides`. Wrong names and values
    are found when a client is made.
    """
    if not bootstrap.strip():
        raise InputError("empty, where host:port is due", "bootstrap servers")
    overrides = overrides or {}
    if SERVERS in overrides:
        raise InputError("the servers are given already", SERVERS)
    return {"client.id": "equilag", "log_level": _QUIET, **overrides, SERVERS: bootstrap.strip()}


def servers(config: Mapping[str, str | int]) -> str:
    """What to call the cluster in messages."""
    return str(config[SERVERS])
