"""By which names the steward's server may be called."""

from __future__ import annotations

import socket

import pytest

from equilag.live.status.http_server import is_own_name


@pytest.mark.parametrize(
    "host",
    ["", "127.0.0.1:1", "[::1]:1", "10.1.2.3", "localhost:1", "x.localhost.", "node-1:9"],
)
def test_names_that_no_other_site_has(host: str) -> None:
    assert is_own_name(host, ())


def test_allowed_names() -> None:
    assert not is_own_name("steward.example:9478", ())
    assert is_own_name("Steward.Example.:9478", {"steward.example"})
    assert is_own_name(socket.gethostname(), ())
    assert not is_own_name("evil.example", {"steward.example"})
