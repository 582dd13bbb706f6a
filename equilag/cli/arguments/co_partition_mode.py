"""``--co-partition`` of the steward: lists of topics, ``auto`` or ``none``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from equilag.domain.errors import InputError

if TYPE_CHECKING:
    from equilag.live.rebalance.kept_together import CoPartitionMode

CO_PARTITION: Final = (
    "partition i of all these topics goes to one member, as joins need it; can be repeated; auto:"
    " topics that seem to be joined; none (default: auto)"
)


def co_partition_mode(args: argparse.Namespace) -> CoPartitionMode:
    """What is kept together besides the lists that are left in `args`. Raises InputError."""
    from equilag.live.rebalance.kept_together import CO_PARTITION_MODES

    given = args.co_partition or ["auto"]
    for mode in CO_PARTITION_MODES:
        if mode in given:
            if len(given) > 1:
                raise InputError(f"{mode} does not go with another value", "--co-partition")
            args.co_partition = None
            return mode
    return "none"
