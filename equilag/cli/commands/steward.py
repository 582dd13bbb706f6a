"""``equilag steward``: leads a live classic group and assigns equilag's plans."""

from __future__ import annotations

import argparse
import signal
import sys
from typing import Final

from equilag.cli.arguments.cluster import client_config
from equilag.cli.arguments.steward_options import (
    add_steward_options,
    check_steward,
    steward_options,
)
from equilag.cli.screen import emit, remark
from equilag.cli.stop_signals import handled
from equilag.domain.errors import MissingExtra
from equilag.report.json_text import to_json
from equilag.report.terminal import Screen

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
        return _show_status(args)
    check_steward(args)
    chosen = steward_options(args)

    try:
        from equilag.live.status.http_server import serve
        from equilag.live.status.log_lines import logging_to_stderr
        from equilag.live.steward.membership_errors import Fenced
        from equilag.live.steward.steward import Steward
    except ImportError as error:
        raise MissingExtra(
            f"the steward needs {error.name}: pip install 'equilag[steward]'"
        ) from error
    config = client_config(args)
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


def _show_status(args: argparse.Namespace) -> int:
    """Print the status of the steward at ``--listen``. Return 1 if it is not healthy. Raises
    InputError if none answers."""
    from equilag.live.status.ask_status import ask_status

    document = ask_status(*args.listen)
    if args.json:
        emit(to_json(document))
    else:
        from equilag.live.status.steward_facts import read_steward_facts
        from equilag.live.status.steward_report import StewardReport
        from equilag.report.text.write_text import text_output

        report = StewardReport(read_steward_facts(document))
        emit(text_output(report, Screen.of(sys.stdout, args.width, args.color)))
    if not document.get("healthy"):
        remark(f"not healthy: {document.get('problem')}")
        return 1
    return 0
