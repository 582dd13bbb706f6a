"""Warnings of settings that others change or cancel, or that racks make vain, of topics that may
have to be co-partitioned, and of subscriptions that are guessed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from equilag.domain.columns import NOBODY, Flags
from equilag.domain.figures import in_a_row, listed, number, plural
from equilag.domain.group.co_partitioning import CoPartitionedTopics, detect_co_partitioned
from equilag.domain.group.group import Group
from equilag.domain.group.weight import weighed_policy
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import DEFAULT_HORIZON
from equilag.domain.policy.shape import unused_entries
from equilag.domain.reduction.split_classes import RackReads
from equilag.domain.show import MAX_NAMED, guess, show, some_of

MAX_MEMBERS: Final = 2
"""Members of one rack that are named: the warning is one line, and the rack is what matters."""
MAX_TOPICS: Final = 8
"""Topics of a list that are named, for the same reason."""


def warnings(group: Group, policy: Policy, protocol: str = "") -> Iterator[str]:
    """The warnings, a line each; `protocol` is the assignor that the group uses, if known."""
    if not policy.co_partition and (found := detect_co_partitioned(group, protocol)):
        yield co_partition_warning(found)
    if policy.minds_racks:
        yield from rack_warnings(group, policy)
    yield from setting_warnings(group, policy)


def rack_warnings(group: Group, policy: Policy) -> Iterator[str]:
    """A line at most: what is not known of racks, or what looks like a misspelt rack."""
    if RackReads.of(group) is None:
        option = "--rack-aware" if policy.rack_aware else "--max-cross-rack"
        of_members = any(member.rack for member in group.members)
        unknown = "no partition's racks are known" if of_members else "no member's rack is known"
        yield f"{option} changes nothing: {unknown}"
        return
    members_of: dict[str, list[str]] = {}
    for member in group.members:
        members_of.setdefault(member.rack or "", []).append(show(member.id))
    # Equal tuples are mostly one object, so that few of them are looked at.
    tuples = {id(racks): racks for racks in group.racks or ()}
    known = sorted({rack for racks in tuples.values() for rack in racks})
    empty = [
        f"{show(rack)}, the rack of {some_of(ids, MAX_MEMBERS)}{guess(rack, known)}"
        for rack, ids in members_of.items()
        if rack and rack not in known
    ]
    if empty:
        more = len(empty) - MAX_NAMED
        shown = [*empty[:MAX_NAMED], *([f"{number(more)} more"] if more > 0 else [])]
        yield f"no partition has a replica in {'; nor in '.join(shown)}"


def setting_warnings(group: Group, policy: Policy) -> Iterator[str]:
    """The lines, with the options' names."""
    if policy.rack_aware and policy.max_cross_rack is not None:
        yield (
            "--max-cross-rack: is only checked beside --rack-aware, which reads as few partitions"
            " across racks as even counts allow"
        )
    weight = weighed_policy(policy, group).weight
    if policy.horizon != DEFAULT_HORIZON and weight != "work":
        yield f"--horizon: has no effect; what is spread is {weight or 'lag'}"
    for option, entries in (
        ("--capacity", policy.capacity),
        ("--max-partitions", policy.max_partitions),
    ):
        for entry in unused_entries(group, entries):
            yield f"{option}: {entry} serves nobody; later entries match all of its members"
    lists = policy.co_partition or [
        tuple(group.topics[t] for t in topics) for topics in group.co_partitioned
    ]
    for topics in lists:
        kept = [topic for topic in policy.keep if topic in topics]
        others = [topic for topic in topics if topic not in kept]
        if kept and others:
            held = f"{', '.join(kept)} holds {', '.join(others)} as well"
            yield f"--keep: {held}, because they are co-partitioned"


def co_partition_warning(found: Sequence[CoPartitionedTopics]) -> str:
    """The warning in one line, with the option that keeps the topics together."""
    shown, more = found[:MAX_NAMED], len(found) - MAX_NAMED
    seem = [
        f"{in_a_row(one.topics, MAX_TOPICS - 1)} seem to be co-partitioned ({_why(one)})"
        for one in shown
    ]
    if more > 0:
        seem.append(f"and {plural(more, 'more such list', 'more such lists')} of topics")
    options = " ".join(f"--co-partition {','.join(one.topics)}" for one in shown)
    if any(len(one.topics) > MAX_TOPICS for one in shown):  # too long for a line
        which = "each list" if len(shown) > 1 else "the list"
        options = f"--co-partition and the names of all topics of {which}"
    keep = f"keep them together with {options}"
    return f"{'; '.join(seem)}: {keep}, or plan without with --co-partition none"


def _why(found: CoPartitionedTopics) -> str:
    both = "both" if len(found.topics) == 2 else "all"
    if found.by_protocol:
        return f"the group's assignor is range, and {both} have {number(found.size)} partitions"
    matching = f"{number(found.matching)} of {number(found.size)}"
    return f"partition i of {both} has one owner, {matching}"


def guess_words(plan: Plan) -> tuple[str, ...]:
    """What has to hold for a plan that gives partitions to members that own nothing of their topic,
    and of which it is only assumed that they subscribe to it; empty for another plan."""
    group, after = plan.planned.given, plan.assigned
    held: Flags = group.assignable & (group.owner != NOBODY)
    of_topic = group.topic_of * group.n_members
    guesses = [member.id in group.assumed_subscribers for member in group.members]
    given: Flags = (after != NOBODY) & (after != group.owner) & np.array([*guesses, False])[after]
    given &= ~np.isin(of_topic + after, of_topic[held] + group.owner[held])
    if not given.any():
        return ()
    members = [group.members[at].id for at in np.unique(after[given]).tolist()]
    topics = [group.topics[at] for at in np.unique(group.topic_of[given]).tolist()]
    reads, owns = ("subscribes", "it owns") if len(members) == 1 else ("subscribe", "they own")
    line = (
        f"It is a guess that {listed(members, 2)} {reads} to {listed(topics, 2)}: {owns} none of"
        " what the plan moves there. Set --as-owned or --subscribe if that is wrong."
    )
    return (line,)
