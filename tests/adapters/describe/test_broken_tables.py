"""Tables that a narrow screen broke, or a collector of logs put words before: read or refused."""

from __future__ import annotations

import pytest
from support.described_texts import COLUMNS, described, refused

from equilag.domain.errors import InputError

ONE = "orders-service-1-6666152c-69a1-48da-93c8-6c9cef3e0480"
TWO = "orders-service-2-ad970ad7-e9d7-487f-9b11-5b7e1119f1a6"
CELLS = [
    [*COLUMNS],
    ["12", "2024", "0", "16", "9", "0", ONE, "/10.0.5.0", "orders-1"],
    ["12", "2024", "1", "999973", "1000000", "27", TWO, "/10.0.9.1", "orders-2"],
    ["12", "2024", "2", "-", "465", "-", "-", "-", "-"],
    ["12", "2024", "3", "10", "1000000", "999990", TWO, "/10.0.9.1", "orders-2"],
]
OWNERS = [
    [*COLUMNS[:6], "OWNER"],
    *([*row[:6], row[6].replace("-", "none", row[6] == "-")] for row in CELLS[1:]),
]
EXPECTED = {
    ("2024", 0): (16, 9, ONE),
    ("2024", 1): (999973, 1000000, TWO),
    ("2024", 2): (None, 465, None),
    ("2024", 3): (10, 1000000, TWO),
}
BROKEN = "broken into lines of {} columns: paste it from a wider terminal, or from a file"


def aligned(cells: list[list[str]], gap: str = "  ", edge: str = "") -> list[str]:
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    pairs = [zip(row, widths, strict=True) for row in cells]
    return [edge + gap.join(cell.ljust(size) for cell, size in pair) + edge for pair in pairs]


def boxed(cells: list[list[str]]) -> list[str]:
    lines = aligned(cells, " | ", "|")
    ruler = "+" + "-" * (len(lines[0]) - 2) + "+"
    return [ruler, lines[0], ruler, *lines[1:], ruler]


def markdown(cells: list[list[str]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return [lines[0], "|" + "---:|" * len(cells[0]), *lines[1:]]


def joined(cells: list[list[str]], delimiter: str) -> list[str]:
    return [delimiter.join(row) for row in cells]


def wrapped(lines: list[str], width: int) -> str:
    pieces = [line[at : at + width] for line in lines for at in range(0, len(line), width)]
    return "\n".join(piece.rstrip() for piece in pieces)


SHAPES = {
    "aligned": aligned(CELLS),
    "owners": aligned(OWNERS),
    "a box": boxed(CELLS),
    "owners in a box": boxed(OWNERS),
    "markdown": markdown(CELLS),
    "owners in markdown": markdown(OWNERS),
    "tabs": joined(CELLS, "\t"),
    "owners after tabs": joined(OWNERS, "\t"),
    "commas": joined(CELLS, ", "),
    "owners after commas": joined(OWNERS, ", "),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_screen_of_any_width_never_gives_another_group(shape: str) -> None:
    right = 0
    widths = range(72, 124)
    for width in widths:
        try:
            found = described(wrapped(SHAPES[shape], width)).partitions
        except InputError:
            continue
        assert found == EXPECTED, width
        right += 1
    assert right > len(widths) // 2


@pytest.mark.parametrize("prefix", ["[broker-1] ", "2024-01-02 10:00:00 INFO ", " * "])
def test_words_before_each_line(prefix: str) -> None:
    earlier = [[*row[:3], "1", "2", "1", *row[6:]] if row[0] == "12" else row for row in CELLS]
    for lines in (boxed(CELLS), markdown(CELLS), joined(CELLS, "\t"), joined(CELLS, ", ")):
        text = "\n".join(prefix + line for line in [*aligned(earlier), "", *lines])
        result = described(text)
        assert result.partitions == EXPECTED
        assert result.group.name == "12"


def test_what_a_screen_broke_in_several_possible_ways() -> None:
    lines = aligned(OWNERS)
    cut = [line[:90].rstrip() for line in lines]
    for below in ("8", "48da-93c8"):
        assert BROKEN.format(90) in refused("\n".join([*cut[:2], below, *cut[2:]])).problem
    head, *rows = markdown(CELLS)
    text = "\n".join([wrapped([head], 80), *(row[:80] for row in rows), "end"])
    assert BROKEN.format(80) in refused(text).problem


def test_a_word_below_the_table_is_no_rest_of_an_id() -> None:
    text = "\n".join(line.rstrip() for line in aligned(OWNERS))
    for below in ("Thanks", "user@host:~$", "\nAny idea why 3 of them lag? Partition 0 has 99 1 2"):
        assert described(f"{text}\n{below}").partitions == EXPECTED


def test_numbers_alone_are_no_row() -> None:
    lines = [line.rstrip() for line in aligned(CELLS)]
    for alone in ("0 1 2 3 4 5", "12 13 14 15 16 17 18 19 20"):
        for text in ([*lines, alone], [*lines[:2], alone, *lines[2:]]):
            assert described("\n".join(text)).partitions == EXPECTED


def test_blank_lines_have_numbers_too() -> None:
    lines = ["", *aligned(CELLS), "", "Thanks"]
    for form in ("{:4d}  {}", "{}:{}"):
        numbered = [form.format(number, line).rstrip() for number, line in enumerate(lines, 7)]
        assert described("\n".join(numbered)).partitions == EXPECTED


def test_a_message_right_below_a_header_behind_a_time() -> None:
    head, *rows = (f"2024-01-02 10:00:00 INFO {line}" for line in aligned(CELLS))
    result = described("\n".join([head, "Could not ask k2:9092.", *rows]))
    assert (result.group.name, result.partitions) == ("12", EXPECTED)


def test_cells_in_quote_marks() -> None:
    rows = [",".join(f'"{cell}"' for cell in row) for row in CELLS]
    rows[2] = rows[2].replace("999973", "999,973").replace("1000000", "1,000,000")
    assert described("\n".join(rows)).partitions == EXPECTED
    assert described("\n".join([",".join(COLUMNS), *rows[1:]])).partitions == EXPECTED
    refused(",".join(COLUMNS) + '\n"12","20\r24"x",0,16,9,0,a,b,c')


def test_two_tables_without_a_group() -> None:
    head = "TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID"
    for second, several in (("u 0 5 9 4 c /h c", True), ("t 0 6 9 3 c /h c", False)):
        result = described(f"{head}\nt 0 5 9 4 c /h c\n\n{head}\n{second}\n")
        assert result.said("2 tables without the name of a group") == several


def test_a_lag_that_no_snapshot_can_hold() -> None:
    head = "TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG\nt 0 1 2 1\n"
    for row, reset in (("t 1 5 9007199254740997 -", "latest"), (f"t 1 - {2**53} -", "earliest")):
        error = refused(f"{head}{row}\n", auto_offset_reset=reset)
        assert str(error).startswith("d.txt: line 3: the lag 9007199254740992 of t-1 is 2^53")
    described(f"{head}t 1 - {2**53} -")
