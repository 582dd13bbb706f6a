"""The status of a running steward, for ``equilag steward --status``."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, Final

from equilag.cli.screen import emit, remark
from equilag.domain.errors import InputError
from equilag.live.status.steward_facts import read_steward_facts
from equilag.report.json_text import to_json
from equilag.report.terminal import Screen

_ASK_S: Final = 5.0
"""How long a running steward may take to answer."""


def show_status(args: argparse.Namespace) -> int:
    """Print the status of the steward at ``--listen``. Return 1 if it is not healthy. Raises
    InputError if none answers."""
    document = _ask(*args.listen)
    if args.json:
        emit(to_json(document))
    else:
        from equilag.live.status.steward_report import StewardReport
        from equilag.report.text.write_text import text_output

        report = StewardReport(read_steward_facts(document))
        emit(text_output(report, Screen.of(sys.stdout, args.width, args.color)))
    if not document.get("healthy"):
        remark(f"not healthy: {document.get('problem')}")
        return 1
    return 0


def _ask(host: str, port: int) -> dict[str, Any]:
    from urllib.error import URLError
    from urllib.request import ProxyHandler, build_opener

    shown = f"[{host}]" if ":" in host else host
    try:
        # Not through a proxy: on loopback it would ask another machine.
        with build_opener(ProxyHandler({})).open(
            f"http://{shown}:{port}/status", timeout=_ASK_S
        ) as answer:
            document = json.load(answer)
    except (URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(f"no steward answers at {host}:{port}: {reason}", "--listen") from error
    if not isinstance(document, dict):
        raise InputError(f"what answers at {host}:{port} is no steward", "--listen")
    return document
