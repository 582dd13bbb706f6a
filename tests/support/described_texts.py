"""Texts of Kafka's tools: the group that comes out, or why none does, and a printer for each tool.

Printers have the tools' columns and padding, and nothing of their code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import pytest

from equilag.adapters.describe.describe_text import read_describe
from equilag.adapters.describe.printed_text import PrintedText
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.adapters.snapshot.write import snapshot_document
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group

Partitions = dict[tuple[str, int], tuple[int | None, int | None, str | None]]
"""Partition -> committed, log end, owner."""


class Described(NamedTuple):
    """The snapshot of what was read, the group that it means, and what was assumed."""

    document: dict[str, Any]
    group: Group
    assumed: list[str]

    @property
    def partitions(self) -> Partitions:
        found = {}
        for partition, owner in enumerate(self.group.owner.tolist()):
            topic, number = self.group.partition_name(partition)
            offsets = self.document["offsets"][topic]
            member = None if owner == NOBODY else self.group.members[owner].id
            found[topic, number] = offsets["committed"][number], offsets["log_end"][number], member
        return found

    def said(self, *words: str) -> bool:
        """True if one sentence of what was assumed has all of the words."""
        return any(all(word in sentence for word in words) for sentence in self.assumed)


def described(text: str, members: str | None = None, **options: Any) -> Described:
    printed = None if members is None else PrintedText(members, "m.txt")
    result = read_describe(PrintedText(text, "d.txt"), printed, **options)
    document = snapshot_document(result.given)
    return Described(document, load_snapshot(document), result.assumed)


def refused(text: str, members: str | None = None, **options: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        described(text, members, **options)
    assert "\n" not in str(caught.value)
    return caught.value


class PrintedLine(NamedTuple):
    """A partition, what is committed (None for nothing), the log end and the owner's id or None."""

    topic: str
    number: int
    committed: int | None
    end: int
    member: str | None

    @property
    def lag(self) -> int | None:
        return None if self.committed is None else self.end - self.committed


Printer = Callable[[str, list[PrintedLine]], str]
_HEADER = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID"
COLUMNS: Final = tuple(_HEADER.split())


def padded(rows: Sequence[Sequence[str]]) -> str:
    """Rows in columns that are as wide as their longest cell."""
    width = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (" ".join(c.ljust(w) for c, w in zip(row, width, strict=True)) for row in rows)
    return "\n".join(lines) + "\n"


def shown(value: int | None, nothing: str = "-") -> str:
    return nothing if value is None else str(value)


def kafka_rows(group: str, lines: list[PrintedLine]) -> list[list[str]]:
    rows = [
        [
            *(group, x.topic, str(x.number), shown(x.committed), str(x.end), shown(x.lag)),
            *((x.member, "/10.0.0.7", x.member[:4]) if x.member else ("-", "-", "-")),
        ]
        for x in lines
    ]
    return [[*COLUMNS], *rows]


def kafka(group: str, lines: list[PrintedLine]) -> str:
    """Kafka 2 and 3."""
    return "\n" + padded(kafka_rows(group, lines))


def kafka_4(group: str, lines: list[PrintedLine]) -> str:
    """Kafka 4 with --verbose, which has the epoch of each partition's leader."""
    rows = [[*row[:3], "0", *row[3:]] for row in kafka_rows(group, lines)]
    rows[0][3] = "LEADER-EPOCH"
    return "\n" + padded(rows)


def kafka_1(group: str, lines: list[PrintedLine]) -> str:
    """Kafka 0.11 to 2.0: no group, and no space between a long id and its host."""
    rows = [row[1:] for row in kafka_rows(group, lines)]
    text = [
        " ".join([*(cell.ljust(10) for cell in row[:5]), f"{row[5]:12}{row[6]:30}{row[7]}"])
        for row in rows
    ]
    return f"Consumer group '{group}' has no active members.\n\n" + "\n".join(text)


def kafka_0_10(group: str, lines: list[PrintedLine]) -> str:
    columns = ["GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "OWNER"]
    rows = [
        [
            *(group, x.topic, str(x.number), shown(x.committed, "unknown"), str(x.end)),
            *(shown(x.lag, "unknown"), x.member or "none"),
        ]
        for x in lines
    ]
    return padded([columns, *rows])


def kafka_0_9(group: str, lines: list[PrintedLine]) -> str:
    rows = [row.split() for row in kafka_0_10(group, lines).splitlines()[1:]]
    head = "GROUP, TOPIC, PARTITION, CURRENT OFFSET, LOG END OFFSET, LAG, OWNER"
    return "\n".join([head, *(", ".join(row) for row in rows)])


def offset_checker(group: str, lines: list[PrintedLine]) -> str:
    head = ["Group", "Topic", "Pid", "Offset", "logSize", "Lag", "Owner"]
    rows = [row.split() for row in kafka_0_10(group, lines).splitlines()[1:]]
    return padded([head, *rows])


def rpk(group: str, lines: list[PrintedLine]) -> str:
    head = "TOPIC PARTITION CURRENT-OFFSET LOG-START-OFFSET LOG-END-OFFSET LAG MEMBER-ID CLIENT-ID"
    rows = []
    for x in lines:
        member = ["", "", ""] if x.member is None else [x.member, x.member[:4], "10.0.0.7"]
        lag = shown(x.end if x.lag is None else x.lag)
        rows.append([x.topic, str(x.number), shown(x.committed), "0", str(x.end), lag, *member])
    return f"GROUP        {group}\nSTATE        Stable\n" + padded([[*head.split(), "HOST"], *rows])


def markdown(group: str, lines: list[PrintedLine]) -> str:
    rows = [f"| {' | '.join(row)} |" for row in kafka_rows(group, lines)]
    return "\n".join([rows[0], "|---" * 9 + "|", *rows[1:]])


def tabs(group: str, lines: list[PrintedLine]) -> str:
    return "\n".join("\t".join(row) + "\t" for row in kafka_rows(group, lines))


def squeezed(group: str, lines: list[PrintedLine]) -> str:
    return "\n".join(" ".join(row) for row in kafka_rows(group, lines))


def quoted(group: str, lines: list[PrintedLine]) -> str:
    return "".join(f"> {line}\n" for line in kafka(group, lines).splitlines())


def narrow(group: str, lines: list[PrintedLine]) -> str:
    """On a screen of 80 columns."""
    text = kafka(group, lines).splitlines()
    return "\n".join(line[at : at + 80] for line in text for at in range(0, len(line), 80))


PRINTERS: Final[Mapping[str, Printer]] = {
    one.__name__: one
    for one in (
        *(kafka, kafka_4, kafka_1, kafka_0_10, kafka_0_9, offset_checker, rpk),
        *(markdown, tabs, squeezed, quoted, narrow),
    )
}
