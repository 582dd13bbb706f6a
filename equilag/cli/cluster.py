"""What commands that talk to a cluster share: whom to ask, how to log in, what went wrong."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from equilag.cli import options
from equilag.cli.files import naming, read_file
from equilag.errors import InputError

if TYPE_CHECKING:
    from equilag.adapters.kafka.group_reader import GroupReader


def add_cluster(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup, *, required: bool = True
) -> None:
    """``--bootstrap-server`` and ``--command-config``."""
    parser.add_argument(
        "--bootstrap-server",
        metavar="B",
        required=required,
        help="brokers to ask first, as host:port, several separated by commas",
    )
    parser.add_argument(
        "--command-config",
        metavar="FILE.properties",
        help="how to log in, as for Kafka's own tools; names may also be librdkafka's",
    )


def add_reading(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """How commits and logs that are read from a cluster become lag."""
    add_reset(parser)
    parser.add_argument(
        "--isolation-level",
        metavar="L",
        type=options.one_of(options.ISOLATION_LEVELS),
        help="where logs end: read_uncommitted (unless told), or read_committed, before the"
        " oldest open transaction",
    )


def add_reset(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    parser.add_argument(
        "--auto-offset-reset",
        metavar="R",
        type=options.reset,
        help="what a partition without a commit counts as: earliest, latest (unless told) or none",
    )


@contextmanager
def reading(args: argparse.Namespace) -> Iterator[GroupReader]:
    """A reader of the cluster that the options name. What it raises in the `with` block comes out
    as an InputError that names the cluster."""
    from equilag.adapters.kafka.client_config import kafka_config

    config = kafka_config(args.bootstrap_server, client_settings(args.command_config))

    from equilag.adapters.kafka.group_reader import GroupReader, NoAnswer, TemporarilyUnreadable

    isolation = args.isolation_level or options.ISOLATION_LEVELS[0]
    with options.named(), closing(GroupReader(config, isolation=isolation)) as reader:
        try:
            yield reader
        except (NoAnswer, TemporarilyUnreadable) as error:
            raise InputError(str(error), "", args.bootstrap_server) from error


def client_settings(path: str | None) -> dict[str, str]:
    """Settings for librdkafka, out of a file in Kafka's own property names. Raises InputError."""
    if path is None:
        return {}
    from equilag.adapters.kafka.command_config import read_properties, translated

    text = read_file(path)
    with naming(path):
        return translated(read_properties(text))
