"""The warning that topics seem to be co-partitioned, which a plan would tear apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from equilag.cli.screen import remark
from equilag.domain.group.co_partitioning import CoPartitionedTopics, detect_co_partitioned
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.report.wording.words import in_a_row

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
