"""Settings of a Kafka client."""

from __future__ import annotations

import pytest

from equilag.adapters.kafka.client_config import kafka_config
from equilag.domain.errors import InputError


@pytest.mark.parametrize("server", ["a:99999", "a:0", "b:1, a:x", "SSL://a:", "[::1]:65536"])
def test_ports_that_there_are_not(server: str) -> None:
    with pytest.raises(InputError, match=r"--bootstrap-server: .* has no port between 1 and 65535"):
        kafka_config(server)


def test_servers_with_and_without_ports() -> None:
    for server in ("a", "SSL://a:65535", "::1", "[::1]", "[::1]:1", "a:1, b"):
        assert kafka_config(server)["bootstrap.servers"] == server


def test_settings() -> None:
    config = kafka_config(" a:1,b:2 ", {"client.id": "mine", "log_level": "7"})
    assert config == {"bootstrap.servers": "a:1,b:2", "client.id": "mine", "log_level": "7"}
    with pytest.raises(InputError, match="the bootstrap servers are given separately"):
        kafka_config("a:1", {"bootstrap.servers": "b:2"})
