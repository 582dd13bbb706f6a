"""The settings of `size`, checked."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import Final

from equilag.domain.errors import InputError
from equilag.domain.policy.policy import Policy
from equilag.planner.solving.run_settings import PolicySettings

MAX_THREADS: Final = 1_000
"""Threads of a process: more than any machine has cores."""
MAX_SIZES: Final = 100_000
"""The largest size that can be asked for: ten times the members of the largest groups planned."""


class SizeSettings(PolicySettings, total=False):
    """All settings of `size`, which documents them."""

    members: tuple[int, int] | None
    threads: int | None
    catch_up: float | None
    time_limit: float
    effort: float | None
    seed: int
    stop: Event | None


def check_sizing(policy: Policy) -> None:
    """Raises InputError for settings that speak of owners or of single members, of which nothing is
    known in a group of another size."""
    if policy.pins_owned:
        raise InputError(
            f"{policy.name} leaves partitions with their owners; in a group of another size all"
            " are planned anew",
            "policy",
        )
    policy.check_for("size")


def checked_sizes(members: Sequence[int] | None) -> tuple[int, int] | None:
    """Raises InputError unless it is a first and a last size."""
    if members is None:
        return None
    pair = tuple(members) if isinstance(members, (list, tuple)) else ()
    if len(pair) != 2 or not all(type(n) is int and 0 < n <= MAX_SIZES for n in pair):
        raise InputError(
            f"{members!r} is not a first and a last number from 1 to {MAX_SIZES:,}", "members"
        )
    first, last = pair
    if first > last:
        raise InputError(f"the first number, {first}, is above the last one, {last}", "members")
    return first, last


def checked_threads(threads: object) -> int | None:
    """Raises InputError unless it is a number of threads, or None."""
    if threads is None:
        return None
    if type(threads) is not int or not 0 < threads <= MAX_THREADS:
        raise InputError(f"{threads!r} is not a whole number from 1 to {MAX_THREADS:,}", "threads")
    return threads
