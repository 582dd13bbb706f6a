"""What steward and exporter share: where they listen, and how many processes they ask for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from equilag.cli.arguments.conversions import duration, number_from, whole
from equilag.cli.arguments.options import Option, Titled

if TYPE_CHECKING:
    from equilag.planner.sizes.scaling import ScaleSettings

MAX_HEADROOM: Final = 900.0
"""Percent: members that are idle nine tenths of their time."""


def address(text: str) -> tuple[str, int]:
    """Return host and port of ``HOST:PORT``."""
    host, colon, port = text.rpartition(":")
    if colon and port.isascii() and port.isdigit() and int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{port} is no port; 65535 is the highest")
    if not colon or not host or not port.isascii() or not port.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form HOST:PORT")
    return host.strip("[]"), int(port)


def listening(pages: str, port: int) -> tuple[Option, ...]:
    """Where pages are served: on loopback by default, since they are private."""
    listen = f"127.0.0.1:{port}"
    return (
        Option("--listen", "HOST:PORT", f"address of {pages}", address, listen),
        Option("--allow-host", "NAME", "accept requests to this name with dots, besides this"
               " machine's names; can be repeated", repeats=True),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class GroupLimit:
    """A number of the groups that a pattern matches."""

    pattern: str
    number: int

    def __str__(self) -> str:
        return f"{self.pattern}={self.number}"


def group_limit(text: str) -> GroupLimit:
    """``[PATTERN=]N``, of all groups without a pattern."""
    pattern, _, number = text.rpartition("=")
    return GroupLimit(pattern or "*", whole(100_001, 1)(number))


def limit_of(limits: Sequence[GroupLimit], group: str) -> int | None:
    """The number of a group: that of the last entry whose pattern matches."""
    found = (one.number for one in reversed(limits) if fnmatchcase(group, one.pattern))
    return next(found, None)


SCALING: Final = Titled("how many processes /scale/ asks for", (
    Option("--headroom", "PERCENT", "growth of production that the number keeps up with",
           number_from(0, MAX_HEADROOM, f"a percentage from 0 to {MAX_HEADROOM:g}"), 20.0),
    Option("--threads", "[GROUP=]N", "consumers of a process; GROUP is a pattern, the last match"
           " counts; can be repeated", group_limit, repeats=True),
    Option("--min-replicas", "[GROUP=]N", "the same: least processes (default: 1)", group_limit,
           repeats=True),
    Option("--max-replicas", "[GROUP=]N", "the same: most processes (default: what helps)",
           group_limit, repeats=True),
    Option("--stabilize", "T", "ask for fewer only if nothing in this time needed as many",
           duration, 300.0),
))  # fmt: skip


def scale_settings(args: argparse.Namespace, group: str) -> ScaleSettings:
    """How many processes of a group are asked for. Raises InputError."""
    from equilag.planner.sizes.scaling import ScaleSettings

    least, most = (limit_of(limits, group) for limits in (args.min_replicas, args.max_replicas))
    return ScaleSettings(args.headroom, least or 1, most, args.stabilize)
