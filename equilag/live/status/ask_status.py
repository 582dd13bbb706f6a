"""The status of a steward that runs elsewhere."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from equilag.domain.errors import InputError

ASK_S: Final = 5.0
"""How long a running steward may take to answer."""


def ask_status(host: str, port: int) -> dict[str, Any]:
    """The JSON of ``/status``. Raises InputError where no steward answers."""
    shown = f"[{host}]" if ":" in host else host
    try:
        # Not through a proxy: on loopback it would ask another machine.
        with build_opener(ProxyHandler({})).open(
            f"http://{shown}:{port}/status", timeout=ASK_S
        ) as answer:
            document = json.load(answer)
    except (URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(f"no steward answers at {host}:{port}: {reason}", "--listen") from error
    if not isinstance(document, dict):
        raise InputError(f"what answers at {host}:{port} is no steward", "--listen")
    return document
