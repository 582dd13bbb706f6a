"""What may be wrong with a group: each trouble with its cause, what it asks for, and what is said.

docs/causes.md has a section per cause: how to be sure of it, and what to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import NOBODY, Ints
from equilag.domain.figures import form, listed, partition_name, plural
from equilag.domain.group.group import Group
from equilag.domain.plan.verdict import Action, Cause, CauseFacts, NamedPartition
from equilag.planner.facts.commands import next_command

SURE_S: Final = 300.0
"""Seconds without a commit after which one is not to be expected: Kafka's consumers commit every
5 s, and what commits by batch seldom takes 5 minutes for one."""
_FIVE_MINUTES: Final = f"plan --sample {SURE_S:g}s"
_STUCK: Final = (
    "{partitions} {has} had no commit for {span} while {waits}, and {member} goes on with its"
    " others."
)
_STUCK_MEMBER: Final = "{member} has committed nothing for {span} while {waits} in {count}."
_HARMLESS: Final = (
    "It can be harmless: commits by batch, pause(), an open transaction and its end marker look the"
    " same."
)
_RESTART: Final = f"Look at the log of {{member}} and restart it or skip the record. {_HARMLESS}"
_WAIT: Final = f"Look at the log of {{member}} and see whether it goes on. {_HARMLESS}"
_MORE_PARTITIONS: Final = "Give the topic more partitions, or the records another key."


class Trouble(NamedTuple):
    """The sentences have the figures of `told` in braces."""

    cause: Cause
    action: Action
    evidence: str
    advice: str
    next: str = ""
    """Verb and options of a command that answers what is open."""
    sure: bool = True


TROUBLES: Final[Mapping[str, Trouble]] = {
    "cut": Trouble(
        "incomplete-input", "cannot-tell", "{why}",
        "Paste the whole text, for example from a file that kafka-consumer-groups wrote, or let"
        " equilag read the group itself.", "plan",
    ),
    "nobody": Trouble(
        "no-members", "start-members", "{why}.",
        "Start its consumers, or delete the group if nobody needs it any more.",
    ),
    "unassigned": Trouble(
        "unassigned", "assign", "{count} {has} no owner, and {waits} there.",
        "Assign what nobody reads: a rebalance of the group does, and so does the plan.",
    ),
    "stuck": Trouble("stuck-partition", "look", _STUCK, _RESTART),
    "stuck?": Trouble("stuck-partition", "look", _STUCK, _WAIT, _FIVE_MINUTES, False),
    "stuck member": Trouble("stuck-member", "look", _STUCK_MEMBER, _RESTART),
    "stuck member?": Trouble("stuck-member", "look", _STUCK_MEMBER, _WAIT, _FIVE_MINUTES, False),
    "slow": Trouble(
        "slow-member", "look",
        "{member} reads {slow} records/s although {waits}; the others read {fast} records/s{of}.",
        "Look at this member first: its log, its poll loop, what it waits for; a plan by speed"
        " gives it less.", "plan --sample 60s --weight work",
    ),
    "slow?": Trouble(
        "slow-member", "look", "{suspicion}.",
        "Look at this member first, since moving partitions moves the backlog: its log, its poll"
        " loop, what it waits for.", "plan --sample 60s", False,
    ),
    "one partition": Trouble(
        "one-partition", "look",
        "{partitions}, which {member} reads, has {share} of the lag, {part} of {total}.",
        "Look at its reader: it may hang at one record, or a hot key fills the partition; one"
        " sample cannot tell which, and moving the partition mends neither.",
        "plan --sample 60s", False,
    ),
    "some partitions": Trouble(
        "one-partition", "look", "{partitions} have {share} of the lag, {part} of {total}.",
        "Look at their readers: they may hang at one record, or hot keys fill the partitions; one"
        " sample cannot tell which, and moving them mends neither.", "plan --sample 60s", False,
    ),
    "hot": Trouble(
        "hot-partition", "repartition",
        "{partitions} gets {rate} records/s, and the fastest member that may take it reads"
        " {speed}.",
        _MORE_PARTITIONS, "size",
    ),
    "hot?": Trouble(
        "hot-partition", "look",
        "{partitions} gets {rate} records/s, of which {part} are read; {member} reads {speed} in"
        " all.",
        f"See whether another member is faster, or {{member}} without its other partitions. If"
        f" not: {_MORE_PARTITIONS.lower()}",
        "plan --sample 60s --weight work", False,
    ),
    "large": Trouble(
        "hot-partition", "leave",
        "{partitions} gets {rate} records/s, more than a fair share of {speed}.",
        "Its member should read nothing else; no assignment makes the load even.",
    ),
    "behind?": Trouble(
        "all-behind", "look", "{records} wait, {each} per partition{behind}, at {where}.",
        "See whether the lag grows: if it does, add members or make them faster; if it falls, wait."
        " No assignment makes it less.", "plan --sample 60s", False,
    ),
    "behind": Trouble(
        "all-behind", "add-members",
        "{records} wait, {each} per partition{behind}, at {where}, and it grows: {come} records/s"
        " come, {read} are read.",
        "Add members, or make them faster; no assignment helps.", "size",
    ),
    "too few": Trouble(
        "too-few-members", "add-members",
        "{rate} records/s are produced, the members read {speed}, and the best plan is {short}"
        " records/s short.",
        "Add {more}.", "size",
    ),
    "move": Trouble(
        "uneven-assignment", "move", "{member} has {above} % more than a fair share.",
        "Another assignment relieves it: the plan says which partitions to move.",
    ),
    "loosen": Trouble(
        "uneven-assignment", "loosen", "{member} has {above} % more than a fair share.",
        "Plan with looser settings: the members keep up under those.",
    ),
    "no commit": Trouble(
        "never-committed", "look",
        "{count} {has} no commit and {log} in the log: {partitions}; {counts} in the plan.",
        "See whether its reader commits at all, and set --auto-offset-reset to what the consumers"
        " use.",
    ),
    "unknown": Trouble(
        "unknown-lag", "look", "{count} {has} an unknown lag, which counts as 0: {partitions}.",
        "Give offsets or lags; without any, numbers of partitions are balanced.",
        "plan --sample 60s",
    ),
    "spare": Trouble(
        "idle-members", "leave", "{all} share {count}, so at least {spare} {read} nothing.",
        "A spare member takes over when another one stops.",
    ),
    "caught up": Trouble("caught-up", "leave", "{waits} in all.", "Nothing is to be done."),
}  # fmt: skip
"""In the order of their causes."""


def told(
    group: Group, trouble: str, places: Ints | None = None, lag: int | None = None,
    members: tuple[str, ...] | None = None, **figures: str,
) -> CauseFacts:  # fmt: skip
    """A trouble in words. `places` are the numbers of its partitions, `lag` the records that wait,
    if not those of the partitions; `members` their owners unless given."""
    row = TROUBLES[trouble]
    at = np.zeros(0, np.int64) if places is None else places
    partitions = tuple(NamedPartition(*group.partition_name(place)) for place in at.tolist())
    waiting_records = int(group.lag[at].sum()) if lag is None else lag
    if members is None:
        owners = np.unique(group.owner[at][group.owner[at] != NOBODY])
        members = tuple(group.members[owner].id for owner in owners.tolist())
    figures = {
        "count": plural(len(at), "partition"),
        "has": form(len(at), "has", "have"),
        "partitions": listed([partition_name(one) for one in partitions]),
        "member": listed(members, 1) or "nobody",
        "records": plural(waiting_records, "record"),
        "waits": waiting(waiting_records),
        **figures,
    }
    verb, _, options = row.next.partition(" ")
    return CauseFacts(
        row.cause, row.action, row.evidence.format(**figures), row.advice.format(**figures),
        members, partitions, next_command(group, options, verb) if verb else None, row.sure,
        waiting_records,
    )  # fmt: skip


def waiting(records: int) -> str:
    """``3 records wait``"""
    return f"{plural(records, 'record')} {form(records, 'waits', 'wait')}"
