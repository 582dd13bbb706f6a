"""Settings of a Kafka client."""

from __future__ import annotations

import pytest

from equilag.adapters.kafka.client_config import kafka_config
from equilag.errors import InputError


@pytest.mark.parametrize("bootstrap", ["", "  "])
def test_no_servers(bootstrap: str) -> None:
    with pytest.raises(InputError, match="bootstrap servers: is empty"):
        kafka_config(bootstrap)


def test_settings() -> None:
    config = kafka_config(" a:1,b:2 ", {"client.id": "mine", "log_level": "7"})
    assert config == {"bootstrap.servers": "a:1,b:2", "client.id": "mine", "log_level": "7"}
    with pytest.raises(InputError, match="the bootstrap servers are given separately"):
        kafka_config("a:1", {"bootstrap.servers": "b:2"})
