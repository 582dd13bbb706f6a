"""``equilag steward``: leads a live classic group and assigns equilag's plans."""

from __future__ import annotations

import argparse
import signal
from typing import Final

from equilag.cli.arguments.cluster import client_settings
from equilag.cli.arguments.steward_options import (
    add_steward_options,
    check_steward,
    steward_options,
)
from equilag.cli.screen import remark
from equilag.cli.steward_status import show_status
from equilag.cli.stop_signals import handled
from equilag.domain.errors import MissingExtra

NAME: Final = "steward"
HELP: Final = "lead a live group from outside and assign equilag's plans"
DESCRIPTION: Final = """\
Joins a classic consumer group as a member without topics. As the group's leader
it assigns partitions by equilag's plans; the other members need no change.
Start it before the members, or use --take-over. It starts a rebalance only if
the gain is worth it. docs/live.md is the guide."""
EPILOG: Final = """\
It needs READ on the group and DESCRIBE on its topics. On SIGTERM it leaves, and
the members go on with their own assignor.

example:
  equilag steward --bootstrap-server kafka:9092 --group orders --dry-run
  equilag steward --bootstrap-server kafka:9092 --group orders"""

REPLACED: Final = 3
"""Exit status if another process has joined with its instance id: a supervisor must not start it
again, as the two would replace each other without end."""

configure = add_steward_options


def run(args: argparse.Namespace) -> int:
    if args.status:
        return show_status(args)
    check_steward(args)
    chosen = steward_options(args)

    from equilag.adapters.kafka.client_config import kafka_config

    try:
        from equilag.live.status.http_server import serve
        from equilag.live.status.log_lines import logging_to_stderr
        from equilag.live.steward.membership_errors import Fenced
        from equilag.live.steward.steward import Steward
    except ImportError as error:
        raise MissingExtra(
            f"the steward needs {error.name}: pip install 'equilag[steward]'"
        ) from error
    config = kafka_config(args.bootstrap_server, client_settings(args.command_config))
    with logging_to_stderr():
        steward = Steward(config, chosen)
        host, port = args.listen
        server = serve(steward.state, host, port, args.allow_host)
        try:
            with handled(lambda *_: steward.end(), signal.SIGINT, signal.SIGTERM):
                steward.run()
        except Fenced as error:
            remark(str(error))
            return REPLACED
        finally:
            server.shutdown()
            server.server_close()
    return 0
