"""What commands that read a cluster share: connection options, and errors that name it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

from equilag.cli.arguments.conversions import OneOf, duration, named_value, pattern
from equilag.cli.arguments.files import naming, read_file
from equilag.cli.arguments.options import LIVE, METRICS, TEXT, Option
from equilag.domain.errors import InputError

if TYPE_CHECKING:
    from equilag.adapters.kafka.client_config import Config
    from equilag.adapters.kafka.group_reader import GroupReader

GROUPS: Final = Option(
    "--groups", "REGEX", "only groups whose whole name matches, such as 'orders-.*'", pattern
)
SAMPLE: Final = Option(
    "--sample", "T",
    "watch the group for this long, such as 30s, and measure the rates of its partitions and the"
    " capacities of members that have a backlog", duration, needs=(LIVE,),
)  # fmt: skip


def wanted_groups(args: argparse.Namespace) -> Callable[[str], object]:
    """Tells by a group's name whether ``--groups`` asks for it."""
    return bool if args.groups is None else args.groups.fullmatch


ANY_CLUSTER: Final = (
    Option(LIVE, "B", "brokers to connect to first, as host:port; separate several by commas",
           is_source=True),
    Option("--command-config", "FILE.properties", "login and TLS settings, as for Kafka's own"
           " tools; librdkafka's names work too", needs=(LIVE,)),
    Option("--command-property", "NAME=VALUE", "the same, one of them, before those of the"
           " file; can be repeated", named_value, repeats=True, needs=(LIVE,)),
)  # fmt: skip
"""Of commands that read other sources too."""
CLUSTER: Final = (ANY_CLUSTER[0]._replace(required=True), *ANY_CLUSTER[1:])
RESET: Final = Option(
    "--auto-offset-reset", "R", "where consumers start in a partition without a commit: earliest,"
    " latest or none", OneOf(("earliest", "latest", "none"), ignores_case=True), "latest",
    needs=(LIVE, TEXT, METRICS),
)  # fmt: skip
RESET_OR_UNKNOWN: Final = RESET._replace(
    help=f"{RESET.help} (default: its lag is unknown; with a text latest)", default=None
)
ISOLATION: Final = Option(
    "--isolation-level", "L", "read_committed: a log ends before the oldest open transaction",
    OneOf(("read_uncommitted", "read_committed")), "read_uncommitted", needs=(LIVE,),
)  # fmt: skip
"""How commits and log ends become lag."""


@contextmanager
def reading(args: argparse.Namespace) -> Iterator[GroupReader]:
    """Open a reader of the cluster that the options name.

    Errors of the `with` block become InputErrors that name the cluster.
    """
    config = client_config(args)

    from equilag.adapters.kafka.described import NoAnswer, TemporarilyUnreadable
    from equilag.adapters.kafka.group_reader import GroupReader

    isolation = getattr(args, "isolation_level", ISOLATION.default)
    with closing(GroupReader(config, isolation=isolation)) as reader:
        try:
            yield reader
        except (NoAnswer, TemporarilyUnreadable) as error:
            raise InputError(str(error), "", args.bootstrap_server) from error


def client_config(args: argparse.Namespace) -> Config:
    """The configuration of clients of the cluster that the options name. Raises InputError."""
    from equilag.adapters.kafka.client_config import kafka_config

    return kafka_config(args.bootstrap_server, client_settings(args))


def client_settings(args: argparse.Namespace) -> dict[str, str]:
    """librdkafka's settings, from a file and from single properties. Raises InputError, which names
    a property and never its value."""
    path, more = args.command_config, dict(one.split("=", 1) for one in args.command_property)
    if path is None and not more:
        return {}
    from equilag.adapters.kafka.client_properties import checked_properties, read_properties

    found: dict[str, str] = {}
    if path is not None:
        text = read_file(path)
        with naming(path):
            found = read_properties(text)
    # Names for the same of both clients: the last one counts.
    found = {name: value for name, value in found.items() if name not in more} | more
    try:
        return checked_properties(found)
    except InputError as error:
        source = "--command-property" if path is None or error.place in more else path
        raise InputError(error.problem, error.place, source) from error
