"""The options of real groups: capacities, room, instances, racks, topics that belong together."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli.arguments.options import duration, one_of, whole
from equilag.domain.policy.override_settings import INSTANCES_BY
from equilag.domain.policy.policy import DEFAULT_HORIZON, WEIGHTS

CO_PARTITION: Final = (
    "partition i of all these topics goes to one member, as joins need it; can be repeated; in"
    " place of the lists in the snapshot; none: no topics are joined"
)


def add_weight(
    parser: argparse.ArgumentParser, default: str = "work where rates are known, else lag"
) -> None:
    """Add what is to be spread, over whom; `options.planning_settings` reads it."""
    group = parser.add_argument_group("what is spread")
    group.add_argument(
        "--weight",
        metavar="W",
        type=one_of(WEIGHTS),
        help="lag; rate: records produced per second; work: lag + rate x horizon; given: the"
        f" snapshot's weights (default: {default})",
    )
    group.add_argument(
        "--horizon",
        metavar="D",
        type=duration,
        help=f"how far ahead work looks, such as 30s or 5m (default: {DEFAULT_HORIZON / 60:g}m)",
    )
    parser.add_argument(
        "--add-members",
        metavar="N",
        type=whole(),
        help="plan as if N more members had joined: new-1, new-2, ...; each can process the median"
        " of the others unless --capacity 'new-*=C' says otherwise",
    )


def add_real(parser: argparse.ArgumentParser, co_partition: str = CO_PARTITION) -> None:
    """Add the options, with a help text of `--co-partition`; `options.real_settings` reads them."""
    group = parser.add_argument_group("real groups")
    group.add_argument(
        "--capacity",
        metavar="ID=N",
        action="append",
        help="how much a member can process, in the same unit for all; ID may be a pattern, as in"
        " 'c-*=2'; can be repeated, the last one that matches counts",
    )
    group.add_argument(
        "--max-partitions",
        metavar="N",
        type=whole(),
        help="no more than N partitions for any member; where topics are co-partitioned, one number"
        " of all topics of a list counts once (default: no limit)",
    )
    group.add_argument(
        "--instances",
        metavar="BY",
        type=one_of(INSTANCES_BY),
        help="members with the same host or client-id are threads of one instance; none: each"
        " member is its own (default: what the snapshot says)",
    )
    group.add_argument(
        "--rack-aware",
        action="store_true",
        help="as few partitions as possible read across racks, after even counts and before"
        " everything else; --max-cross-rack beside it is only checked",
    )
    group.add_argument(
        "--max-cross-rack",
        metavar="N",
        type=whole(),
        help="read at most N partitions across racks (default: no limit)",
    )
    group.add_argument(
        "--co-partition",
        metavar="T1,T2",
        action="append",
        help=co_partition,
    )
    group.add_argument(
        "--pin",
        metavar="TOPIC-PARTITION=ID",
        action="append",
        help="only this member may take the partition: its id, or its instance or client id, which"
        " survive restarts; in addition to what the group allows; can be repeated",
    )
    group.add_argument(
        "--keep",
        metavar="TOPIC",
        action="append",
        help="the topic's partitions stay with their owners, and those that are co-partitioned with"
        " them go there; can be repeated",
    )
