"""Warnings of settings that other settings change or cancel."""

from __future__ import annotations

from collections.abc import Iterator

from equilag.cli.screen import remark
from equilag.domain.group.group import Group
from equilag.domain.group.weight import weighed_policy
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import DEFAULT_HORIZON
from equilag.domain.policy.shape import unused_capacities


def warn_of_settings(group: Group, policy: Policy) -> None:
    """Write a line to standard error for each of them."""
    for line in setting_warnings(group, policy):
        remark(line)


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
