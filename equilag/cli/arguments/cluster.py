"""What commands that read a cluster share: connection options, error messages, remarks."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

from equilag.cli.arguments import options
from equilag.cli.arguments.converters import OneOf, pattern
from equilag.cli.arguments.files import naming, read_file
from equilag.domain.errors import InputError
from equilag.report.wording.words import listed, natural_key

if TYPE_CHECKING:
    from equilag.adapters.kafka.group_reader import GroupReader

_MAX_NAMES: Final = 5
"""Groups that one remark names: they fit on one line."""


def add_cluster(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup, *, required: bool = True
) -> None:
    """Add ``--bootstrap-server`` and ``--command-config``."""
    parser.add_argument(
        "--bootstrap-server",
        metavar="B",
        required=required,
        help="brokers to connect to first, as host:port; separate several by commas",
    )
    parser.add_argument(
        "--command-config",
        metavar="FILE.properties",
        help="login and TLS settings, as for Kafka's own tools; librdkafka's names work too",
    )


def add_groups(parser: argparse.ArgumentParser) -> None:
    """Add ``--groups``."""
    parser.add_argument(
        "--groups",
        metavar="REGEX",
        type=pattern,
        help="only groups whose whole name matches, such as 'orders-.*'",
    )


def add_reading(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup, reset: str = options.RESETS_DEFAULT
) -> None:
    """Add the options that say how commits and log ends become lag; `reset` is the default as the
    help calls it."""
    add_reset(parser, reset)
    parser.add_argument(
        "--isolation-level",
        metavar="L",
        type=OneOf(options.ISOLATION_LEVELS),
        help="read_committed: a log ends before the oldest open transaction"
        " (default: read_uncommitted)",
    )


def add_reset(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup, default: str = options.RESETS_DEFAULT
) -> None:
    """Add ``--auto-offset-reset``."""
    parser.add_argument(
        "--auto-offset-reset",
        metavar="R",
        type=options.reset,
        help="where consumers start in a partition without a commit: earliest, latest or none"
        f" (default: {default})",
    )


@contextmanager
def reading(args: argparse.Namespace) -> Iterator[GroupReader]:
    """Open a reader of the cluster that the options name.

    Errors of the `with` block become InputErrors that name the cluster.
    """
    from equilag.adapters.kafka.client_config import kafka_config

    config = kafka_config(args.bootstrap_server, client_settings(args.command_config))

    from equilag.adapters.kafka.group_reader import GroupReader, NoAnswer, TemporarilyUnreadable

    isolation = args.isolation_level or options.ISOLATION_LEVELS[0]
    with options.named(), closing(GroupReader(config, isolation=isolation)) as reader:
        try:
            yield reader
        except (NoAnswer, TemporarilyUnreadable) as error:
            raise InputError(str(error), "", args.bootstrap_server) from error


def left_out_lines(left_out: Mapping[str, str]) -> list[str]:
    """Return one line per reason, with the groups that were left out for it."""
    by_reason: dict[str, list[str]] = {}
    for group, reason in sorted(left_out.items(), key=lambda item: natural_key(item[0])):
        by_reason.setdefault(reason, []).append(group)
    return [
        f"left out: {listed(groups, _MAX_NAMES)}: {reason}" for reason, groups in by_reason.items()
    ]


def client_settings(path: str | None) -> dict[str, str]:
    """Return librdkafka settings from a file in Kafka's property names. Raises InputError."""
    if path is None:
        return {}
    from equilag.adapters.kafka.command_config import read_properties, translated

    text = read_file(path)
    with naming(path):
        return translated(read_properties(text))
