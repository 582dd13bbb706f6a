"""Warnings of settings that others change or cancel, or that racks make vain, and of topics that
may have to be co-partitioned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from equilag.cli.screen import remark
from equilag.domain.group.co_partitioning import CoPartitionedTopics, detect_co_partitioned
from equilag.domain.group.group import Group
from equilag.domain.group.weight import weighed_policy
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import DEFAULT_HORIZON
from equilag.domain.policy.shape import unused_capacities
from equilag.domain.reduction.split_classes import RackReads
from equilag.domain.show import guess, show, some_of
from equilag.report.wording.words import in_a_row

MAX_MEMBERS: Final = 2
"""Members of one rack that are named: the warning is one line, and the rack is what matters."""
MAX_RACKS: Final = 3
"""Racks that are named, for the same reason."""


def rack_warnings(group: Group, policy: Policy) -> Iterator[str]:
    """A line at most: what is not known of racks, or what looks like a misspelt rack."""
    if not policy.minds_racks:
        return
    if RackReads.of(group) is None:
        option = "--rack-aware" if policy.rack_aware else "--max-cross-rack"
        yield f"{option} changes nothing: {_unknown(group)}"
        return
    members_of: dict[str, list[str]] = {}
    for member in group.members:
        members_of.setdefault(member.rack or "", []).append(member.id)
    # Equal tuples are mostly one object, so that few of them are looked at.
    tuples = {id(racks): racks for racks in group.racks or ()}
    known = sorted({rack for racks in tuples.values() for rack in racks})
    empty = [
        f"{show(rack)}, the rack of {some_of(list(map(show, ids)), MAX_MEMBERS)}"
        f"{guess(rack, known)}"
        for rack, ids in members_of.items()
        if rack and rack not in known
    ]
    if empty:
        shown = "; nor in ".join(empty[:MAX_RACKS])
        more = len(empty) - MAX_RACKS
        end = f"; nor in {more:,} more" if more > 0 else ""
        yield f"no partition has a replica in {shown}{end}"


def _unknown(group: Group) -> str:
    if not any(member.rack for member in group.members):
        return "no member's rack is known"
    return "no partition's racks are known"


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
    for entry in unused_capacities(group, policy):
        yield f"--capacity: {entry} serves nobody; later entries match all of its members"
    lists = policy.co_partition or [
        tuple(group.topics[t] for t in topics) for topics in group.co_partitioned
    ]
    for topics in lists:
        kept = [topic for topic in policy.keep if topic in topics]
        others = [topic for topic in topics if topic not in kept]
        if kept and others:
            yield (
                f"--keep: {', '.join(kept)} holds {', '.join(others)} as well, because they are"
                " co-partitioned"
            )


MAX_LISTS: Final = 3
"""Lists that are named: the warning is one line, and more of them have one cause."""
MAX_TOPICS: Final = 8
"""Topics of one list that are named, for the same reason."""


def warn_of_torn_topics(group: Group, policy: Policy, protocol: str = "") -> None:
    """Write the warning to standard error, unless the user or the group says what belongs together.

    `protocol` is the assignor that the group uses, empty if unknown.
    """
    if policy.co_partition:
        return
    found = detect_co_partitioned(group, protocol)
    if found:
        remark(co_partition_warning(found))


def co_partition_warning(found: Sequence[CoPartitionedTopics]) -> str:
    """The warning in one line, with the option that keeps the topics together."""
    shown = found[:MAX_LISTS]
    seem = "; ".join(
        f"{_named(one.topics)} seem to be co-partitioned ({_why(one)})" for one in shown
    )
    more = len(found) - len(shown)
    if more:
        seem += f"; and {more:,} more such {'list' if more == 1 else 'lists'} of topics"
    keep = f"keep them together with {_options(shown)}"
    return f"{seem}: {keep}, or plan without with --co-partition none"


def _options(shown: Sequence[CoPartitionedTopics]) -> str:
    """Options as they are typed; without the names where a list is too long for a line."""
    if any(len(one.topics) > MAX_TOPICS for one in shown):
        which = "each list" if len(shown) > 1 else "the list"
        return f"--co-partition and the names of all topics of {which}"
    return " ".join(f"--co-partition {','.join(one.topics)}" for one in shown)


def _why(found: CoPartitionedTopics) -> str:
    both = "both" if len(found.topics) == 2 else "all"
    if found.by_protocol:
        return f"the group's assignor is range, and {both} have {found.size:,} partitions"
    return f"partition i of {both} has one owner, {found.matching:,} of {found.size:,}"


def _named(topics: Sequence[str]) -> str:
    if len(topics) > MAX_TOPICS:
        more = len(topics) - MAX_TOPICS + 1
        return f"{', '.join(topics[: MAX_TOPICS - 1])} and {more:,} more topics"
    return in_a_row(topics)
