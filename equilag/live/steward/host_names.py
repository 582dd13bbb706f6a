"""Which names a request may call the steward's server by.

A page of another site can reach a server in the reader's network by a name of its own that leads
there (DNS rebinding); the browser then takes both for one site. The name is in the Host header.
"""

from __future__ import annotations

import socket
from collections.abc import Collection
from ipaddress import ip_address


def is_own_name(host: str, allowed: Collection[str]) -> bool:
    """Return True for a Host header that no other site can have: an address, a name without a dot,
    the name of this machine, or an allowed name. HTTP/1.0 may have none."""
    name = _without_port(host).casefold().rstrip(".")
    if not name or "." not in name or name.endswith(".localhost"):
        return True
    own = {socket.gethostname(), *allowed}
    return _is_address(name) or name in {one.casefold() for one in own}


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
