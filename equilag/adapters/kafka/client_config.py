"""librdkafka settings as plain values, which can be sent to Spark executors; and kafka-python
imported quietly."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final, TypeAlias

from equilag.domain.errors import InputError, MissingExtra

Config: TypeAlias = dict[str, str | int]

SERVERS: Final = "bootstrap.servers"
MAX_PORT: Final = 2**16 - 1
_QUIET: Final = 0
"""Log level: librdkafka writes to stderr by itself, and errors reach the caller anyway."""


def kafka_config(bootstrap: str, overrides: Mapping[str, str] | None = None) -> Config:
    """Return the settings of every client; `overrides` are librdkafka properties by name.

    Raises InputError if `bootstrap` is empty or has a wrong port, or `overrides` names servers.
    Wrong names and values are found when a client is made.
    """
    if not bootstrap.strip():
        raise InputError("is empty; expected host:port", "bootstrap servers")
    if (problem := wrong_port(bootstrap)) is not None:
        raise InputError(problem, "--bootstrap-server")
    overrides = overrides or {}
    if SERVERS in overrides:
        raise InputError("the bootstrap servers are given separately", SERVERS)
    return {"client.id": "equilag", "log_level": _QUIET, **overrides, SERVERS: bootstrap.strip()}


def wrong_port(bootstrap: str) -> str | None:
    """Return what is wrong with a port in a list of servers, or None: librdkafka takes only the
    last 16 bits of a number. A server may lack a port, and an IPv6 address has brackets with one.
    """
    for server in bootstrap.split(","):
        address = server.strip().rpartition("://")[2]
        _, colon, port = address.rpartition("]")[2].rpartition(":")
        if not colon or (address.count(":") > 1 and "]" not in address):
            continue
        if not (port.isascii() and port.isdigit() and 0 < int(port) <= MAX_PORT):
            return f"{server.strip()!r} has no port between 1 and {MAX_PORT}"
    return None


def servers(config: Mapping[str, str | int]) -> str:
    """Return the cluster's name for messages: its bootstrap servers."""
    return str(config[SERVERS])


@contextmanager
def quietly() -> Iterator[None]:
    """For imports of kafka-python: it reads its schemas with a function that is deprecated in
    Python 3.11 and 3.12."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


@contextmanager
def kafka_python() -> Iterator[None]:
    """For imports of kafka-python that reading a cluster needs. Raises MissingExtra without it."""
    try:
        with quietly():
            yield
    except ImportError as error:
        problem = "reading a cluster needs kafka-python: pip install 'equilag[kafka]'"
        raise MissingExtra(problem) from error
