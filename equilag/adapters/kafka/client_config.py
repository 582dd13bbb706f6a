"""librdkafka settings as plain values, so that they can be sent to Spark executors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from equilag.errors import InputError

Config: TypeAlias = dict[str, str | int]

SERVERS: Final = "bootstrap.servers"
_QUIET: Final = 0
"""Log level: librdkafka writes to stderr by itself, and errors reach the caller anyway."""


def kafka_config(bootstrap: str, overrides: Mapping[str, str] | None = None) -> Config:
    """Return the settings of every client; `overrides` are librdkafka properties by name.

    Raises InputError if `bootstrap` is empty or `overrides` names servers. Wrong names and values
    are found when a client is made.
    """
    if not bootstrap.strip():
        raise InputError("is empty; expected host:port", "bootstrap servers")
    overrides = overrides or {}
    if SERVERS in overrides:
        raise InputError("the bootstrap servers are given separately", SERVERS)
    return {"client.id": "equilag", "log_level": _QUIET, **overrides, SERVERS: bootstrap.strip()}


def servers(config: Mapping[str, str | int]) -> str:
    """Return the cluster's name for messages: its bootstrap servers."""
    return str(config[SERVERS])
