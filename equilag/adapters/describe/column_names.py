"""What the columns of a group's tables are called by the tools that print them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

GROUP: Final = "GROUP"
TOPIC: Final = "TOPIC"
PARTITION: Final = "PARTITION"
COMMITTED: Final = "CURRENT-OFFSET"
END: Final = "LOG-END-OFFSET"
START: Final = "LOG-START-OFFSET"
LAG: Final = "LAG"
MEMBER: Final = "CONSUMER-ID"
OWNER: Final = "OWNER"
INSTANCE: Final = "GROUP-INSTANCE-ID"
CLIENT: Final = "CLIENT-ID"
HOST: Final = "HOST"
COUNT: Final = "#PARTITIONS"
ASSIGNMENT: Final = "ASSIGNMENT"
STATE: Final = "STATE"
COORDINATOR: Final = "COORDINATOR"

NUMBERS: Final = frozenset({PARTITION, COMMITTED, END, START, LAG})
"""Columns with an integer, or a word for none."""
SPACED: Final = (GROUP, MEMBER, OWNER, INSTANCE, CLIENT, ASSIGNMENT)
"""Columns that may hold spaces: ids are whatever a client chose, the others are one word."""
BLANK: Final = frozenset({MEMBER, OWNER, INSTANCE, CLIENT, HOST, ASSIGNMENT, LAG})
"""Columns in which a tool leaves a cell empty."""

_ALIASES: Final = {
    GROUP: "GROUP GROUP-ID GROUPID CONSUMER-GROUP CONSUMERGROUP CONSUMER-GROUP-ID",
    TOPIC: "TOPIC TOPIC-NAME TOPICNAME",
    PARTITION: "PARTITION PARTITION-ID PARTITIONID PID",
    COMMITTED: "CURRENT-OFFSET CURRENTOFFSET COMMITTED-OFFSET COMMITTED COMMIT-OFFSET"
    " CONSUMER-OFFSET GROUP-OFFSET OFFSET",
    END: "LOG-END-OFFSET LOGENDOFFSET LOG-SIZE LOGSIZE END-OFFSET LATEST-OFFSET"
    " NEWEST-OFFSET HIGH-WATERMARK HIGH-WATER-MARK HIGHWATERMARK",
    START: "LOG-START-OFFSET LOGSTARTOFFSET START-OFFSET OLDEST-OFFSET EARLIEST-OFFSET"
    " LOW-WATERMARK",
    LAG: "LAG OFFSET-LAG CONSUMER-LAG MESSAGES-BEHIND",
    MEMBER: "CONSUMER-ID CONSUMERID CONSUMER MEMBER-ID MEMBERID MEMBER",
    OWNER: "OWNER CONSUMER-INSTANCE-OWNER PARTITION-OWNER",
    INSTANCE: "GROUP-INSTANCE-ID INSTANCE-ID INSTANCE",
    CLIENT: "CLIENT-ID CLIENTID CLIENT",
    HOST: "HOST CLIENT-HOST CLIENTHOST CONSUMER-HOST",
    COUNT: "#PARTITIONS",
    ASSIGNMENT: "ASSIGNMENT CURRENT-ASSIGNMENT ASSIGNED-PARTITIONS",
    STATE: "STATE",
    COORDINATOR: "COORDINATOR COORDINATOR-(ID)",
}
_OTHER: Final = frozenset(
    {
        *("LAG-%", "LEAD", "LEADER-EPOCH", "CURRENT-EPOCH", "TARGET-EPOCH", "TARGET-ASSIGNMENT"),
        *("GROUP-EPOCH", "TARGET-ASSIGNMENT-EPOCH", "ASSIGNMENT-STRATEGY", "#MEMBERS", "MEMBERS"),
        *("UPGRADED", "NEW-OFFSET", "METADATA", "CLUSTER", "BALANCER", "TOTAL-LAG", "ERROR"),
    }
)
"""Columns that are known and not needed."""
_COLUMNS: Final = {alias: name for name, text in _ALIASES.items() for alias in text.split()}
MOST_WORDS: Final = 3
"""Words of the longest name, `Log End Offset`."""


def column_of(printed: str) -> str | None:
    """Return the column that is printed under this name; None if it is not the name of one."""
    name = re.sub(r"[\s_-]+", "-", printed.strip("*_`\"' \t").upper())
    return _COLUMNS.get(name, name if name in _OTHER else None)


def offsets_known(names: Iterable[str]) -> bool:
    """True if a table with these columns says for each partition what is committed and the end.

    LAG makes up for one of the two.
    """
    found = frozenset(names)
    return {TOPIC, PARTITION} <= found and len({COMMITTED, END, LAG} & found) >= 2
