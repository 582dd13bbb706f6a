"""``equilag groups``: the consumer groups of a live cluster, the most uneven first."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final

from equilag.cli import options
from equilag.cli.cluster import add_cluster, add_reading, reading
from equilag.cli.deliver import show
from equilag.cli.screen import remark
from equilag.report.facts.live_groups import LiveGroupFacts, LiveGroupsFacts
from equilag.report.words import listed, plural

if TYPE_CHECKING:
    from equilag.adapters.kafka.group_reader import Reading, Readings

NAME: Final = "groups"
HELP: Final = "the groups of a live cluster with their lag, the most uneven first"
DESCRIPTION: Final = """\
Lists the consumer groups of a cluster: state, members, lag, and how unevenly
the assignment in force spreads it. It joins no group and commits nothing:
rights to describe groups and topics are enough. What cannot be read is a line
on standard error."""
EPILOG: Final = """\
lag spread: the heaviest member's lag minus the lightest's. worst member: the
share of the group's lag that the heaviest has.

example:
  equilag groups --bootstrap-server kafka:9092 --groups 'orders-.*'"""

_MOST: Final = 5
"""Groups that one remark names."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_cluster(parser)
    parser.add_argument(
        "--groups",
        metavar="REGEX",
        type=options.pattern,
        help="only groups whose whole name this matches, such as 'orders-.*'",
    )
    add_reading(parser)
    options.add_output(parser)


def run(args: argparse.Namespace) -> int:
    options.check_output(args)
    reset = args.auto_offset_reset or options.RESETS_DEFAULT
    with reading(args) as reader:
        found = reader.read_all(bool if args.groups is None else args.groups.fullmatch)
    rows = [figures(one, reset) for one in found.groups]
    rows.sort(key=lambda row: (-(row["lag_spread"] or 0), -row["lag"], row["group"]))
    for line in problems(found):
        remark(line)
    facts = LiveGroupsFacts(tuple(LiveGroupFacts(**row) for row in rows), found.left_out)
    show(facts, args.output)
    return 0


def figures(found: Reading, reset: str) -> dict[str, Any]:
    """A group as a row; figures of members are null where it has none that reads anything."""
    from equilag.group import Group
    from equilag.metrics import member_loads, spread

    group = Group.build(**found.group_input(reset))
    loads = member_loads(group.owner, group.lag, group.n_members)
    total, active = int(group.lag.sum()), bool((~group.idle).any())
    worst = int(loads.max()) if active else 0
    return {
        "group": group.name,
        "state": found.state,
        "kind": found.kind,
        "members": group.n_members,
        "partitions": group.n_partitions,
        "lag": total,
        "lag_spread": spread(loads, group.idle) if active else None,
        "worst_member": group.members[int(loads.argmax())].id if active and worst else None,
        "worst_share_percent": 100 * worst / total if active and total else None,
        "unknown_lags": sum(map(len, found.offsets.unknown.values())),
        "remarks": found.remarks,
    }


def problems(found: Readings) -> list[str]:
    """What could not be read, groups with the same reason together."""
    by_reason: dict[str, list[str]] = {}
    for group, reason in sorted(found.left_out.items()):
        by_reason.setdefault(reason, []).append(group)
    lines = [f"left out: {listed(groups, _MOST)}: {why}" for why, groups in by_reason.items()]
    from equilag.adapters.kafka.reading import NO_COMMIT

    without = sum(
        committed is None and number not in one.offsets.unknown.get(topic, ())
        for one in found.groups
        for topic, commits in one.offsets.committed.items()
        for number, committed in enumerate(commits)
    )
    if without:
        lines.append(f"{plural(without, 'partition')} with {NO_COMMIT}")
    return [*lines, *found.remarks]
