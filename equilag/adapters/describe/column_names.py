"""The columns of tables about groups, and the names under which tools print them."""

from __future__ import annotations

import re
from functools import lru_cache
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
ATOM: Final = re.compile(r"[A-Z]+")
ATOMS: Final = frozenset(ATOM.findall(" ".join([*_COLUMNS, *_OTHER])))
"""Words that names of columns consist of."""
WORDS: Final = ATOMS | {"#PARTITIONS", "#MEMBERS"}


@lru_cache(maxsize=4096)
def column_of(printed: str) -> str | None:
    """Return the column that is printed under this name; None if it is not the name of one."""
    name = re.sub(r"[\s_-]+", "-", printed.strip("*_`\"' \t").upper())
    return _COLUMNS.get(name, name if name in _OTHER else None)
