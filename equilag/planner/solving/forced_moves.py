"""Limits on moves that what comes first does not leave room for, and what that is."""

from __future__ import annotations

from equilag.domain.errors import InputError
from equilag.domain.plan.broken_rules import broken_rules
from equilag.domain.plan.metrics import has_racks
from equilag.domain.show import plural
from equilag.planner.solving.task import Task


def check_limit(task: Task, moves: int) -> None:
    """Raises InputError if the policy's `max_moves` is below the number of moves that is forced."""
    limit = task.policy.max_moves
    if limit is None or moves <= limit:
        return
    problem = f"{limit} is fewer than the {plural(moves, 'move')} that {_cause(task)}"
    real = task.original.real
    if real is not None and real.forced_moves and not task.policy.pins_owned:
        problem += f" ({real.forced_moves:,} of them from owners that may not keep theirs)"
    if task.policy.balance != "none" and not task.policy.pins_owned:
        problem += "; with balance none fewer may do"
    raise InputError(problem, "max_moves")


def _cause(task: Task) -> str:
    """What forces moves, with its verb."""
    policy, given = task.policy, task.reduction.given
    if policy.pins_owned:
        return "owners that may not keep theirs force"
    now = broken_rules(task.reduction, given.owner)
    named = {
        "even counts": policy.balance != "none",
        "co-partitioned topics": len(now.torn) > 0,
        "restrictions": bool(given.allowed),
        "room": policy.balance == "none" and bool(now.overfull),
        "the fewest reads across racks": policy.rack_aware and has_racks(task.original),
    }
    found = [words for words, there in named.items() if there]
    *others, last = found or ["the group"]
    verb = "forces" if found in ([], ["room"]) else "force"
    return f"{', '.join(others)} and {last} {verb}" if others else f"{last} {verb}"
