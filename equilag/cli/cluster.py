"""What commands that talk to a cluster share: how to log in."""

from __future__ import annotations

from equilag.cli.files import naming, read_file


def client_settings(path: str | None) -> dict[str, str]:
    """Settings for librdkafka, out of a file in Kafka's own property names. Raises InputError."""
    if path is None:
        return {}
    from equilag.adapters.kafka.command_config import read_properties, translated

    text = read_file(path)
    with naming(path):
        return translated(read_properties(text))
