"""`size`: how many members a group needs, and from which number on another one helps no more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Unpack

from equilag.domain.errors import InputError, whole_number
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import SETTINGS, Policy
from equilag.planner.sizes.sizing import Sizing
from equilag.planner.solving.run_settings import Asked, SolveSettings, policy_from

MAX_THREADS: Final = 1_000
"""Threads of a process: more than any machine has cores."""
MAX_SIZES: Final = 100_000
"""The largest size that can be asked for: ten times the members of the largest groups planned."""


class SizeSettings(SolveSettings, total=False):
    """All settings of `size`, which documents them."""

    members: tuple[int, int] | None
    threads: int | None
    catch_up: float | None


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


def size(
    group: Group, policy: str | Policy = "lag-aware", **settings: Unpack[SizeSettings]
) -> Sizing:
    """Return the heaviest load under the best plan for each number of members.

    members: the first and the last number to look at; by default from 1 to the number of
        partitions.
    threads: a size is then a number of processes, each of so many members; by default as many as
        the instances of the group have, or 1.
    catch_up: the least size that has read everything within so many seconds is looked for as well.
    time_limit (10 seconds by default), effort, deterministic, seed, stop: those of `solve`. Sizes
        for which nothing is left have no row, or a wider interval. `progress` is not called.

    The weight is the rate where the group knows any, else what `solve` spreads, unless the policy
    names one. Best means the smallest heaviest load per unit of capacity among the plans with the
    balance of counts that the policy asks for; nobody owns anything. Of the other settings those
    count that say how members are (`capacity`, `max_partitions`, `instances`, `co_partition`). New
    members are called new-1, new-2, … and have the median capacity unless `capacity` names them.
    The tolerance is the
    part of a load by which a size must lower it to help. Raises InputError for settings that make
    no sense here.
    """
    run = Asked.of(group, settings, 10.0)
    sizes = checked_sizes(run.others.pop("members", None))
    threads = run.others.pop("threads", None)
    if threads is not None:
        whole_number(threads, "threads", 1, MAX_THREADS)
    catch_up = run.others.pop("catch_up", None)
    within = None if catch_up is None else SETTINGS["horizon"].form.check(catch_up, "catch_up")
    wanted = policy_from(policy, **run.others)
    check_sizing(wanted)
    # The clock runs from the call, so what takes time to load is loaded after it was started.
    from equilag.planner.sizes.size_run import SizeRun

    return SizeRun(group, wanted, sizes, threads, run.seed).answer(within, run.budget)
