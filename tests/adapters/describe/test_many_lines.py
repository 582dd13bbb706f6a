"""A table among many lines of a log: what is skipped fast is nothing that would have been read."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.described_texts import PRINTERS, PrintedLine, described

from equilag.adapters.describe import find_tables, printed_text, table_header
from equilag.adapters.describe.printed_table import PrintedTable
from equilag.adapters.describe.printed_text import PrintedLines

TEXTS = sorted(Path(__file__).parent.glob("*.txt"))
LINES = [PrintedLine("orders", n, 10 * n, 11 * n, f"app-{n % 3}-5f3a-9c0d") for n in range(9)]
LOGGED = """INFO processed order for topic payments partition - lag of customer 10.0.0.7 in ms 42 7
offset assigned client coordinator group consumer commit is behind | , at"""


def log_lines(count: int, seed: int) -> str:
    """Lines of a log about topics and partitions, of which none is a row."""
    rng = np.random.default_rng(seed)
    lines = []
    for number in range(count):
        words = " ".join(rng.choice(LOGGED.split(), int(rng.integers(2, 24))))
        words = re.sub(r"(?<=\d) (?=[\d-])|(?<=-) (?=[\d-])", " x ", words)
        lines.append(f"2026-11-21T09:{number % 60:02}:00.123Z [pool-{number % 9}] {words}")
    return "\n".join(lines) + "\n"


def found_in(text: str) -> tuple[object, ...]:
    """Everything that is known of the tables of a text."""
    found = find_tables.find_tables(text)
    tables = [
        (
            one.header,
            one.group,
            one.rows,
            [*map(np.ndarray.tolist, one.parts)],
            one.unfit,
            one.below,
        )
        for one in found.tables
    ]
    return tables, found.messages, found.last, found.unended


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line is looked at as closely as the first one."""

    def all_lines(header: table_header.TableHeader) -> Callable[[str], bool]:
        return lambda _: header.has_offsets or header.has_members or header.has_state

    monkeypatch.setattr(printed_text, "HEADER_WORDS", ("",))
    monkeypatch.setattr(find_tables, "telling", lambda lines: range(len(lines)))
    monkeypatch.setattr(find_tables, "sign_of", all_lines)
    monkeypatch.setattr(PrintedTable, "pattern", None)


def corpus() -> list[str]:
    texts = [path.read_text("utf-8") for path in TEXTS]
    texts = [one for text in texts for one in re.split(r"^=== .*\n", text, flags=re.M) if one]
    printed = [printer("billing", LINES) for printer in PRINTERS.values()]
    return [*texts, *printed, *(log_lines(40, 1) + one + log_lines(40, 2) for one in printed)]


def outcome(text: str) -> object:
    try:
        return found_in(text)
    except Exception as error:  # noqa: BLE001 (compared, not handled)
        return repr(error)


def test_what_is_skipped_is_nothing(request: pytest.FixtureRequest) -> None:
    texts = corpus()
    fast = [outcome(text) for text in texts]
    request.getfixturevalue("slow")
    for text, found in zip(texts, fast, strict=True):
        assert outcome(text) == found, text[:300]


@pytest.mark.parametrize("place", ["above", "below", "between"])
def test_a_table_among_a_log(place: str) -> None:
    kafka, log = PRINTERS["kafka"], log_lines(2_000, 3)
    text = kafka("billing", LINES)
    texts = {"above": log + text, "below": f"{text}\n{log}", "between": log + text + log}
    result = described(texts[place])
    assert result.partitions == described(text).partitions


HEADER = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG"


def test_a_dash_of_a_word_processor_stands_for_nothing() -> None:
    text = f"{HEADER}\ng orders 0 – 25 –\ng orders 1 10 25 15\n"
    assert found_in(text) == found_in(text.replace("–", "-"))


@pytest.mark.parametrize(
    "broken", ["2952087616 287327158030 254375070414 app", "g orders 0 1,(2 5"]
)
def test_a_damaged_row_is_not_passed_over(broken: str) -> None:
    (table,) = find_tables.find_tables(f"{HEADER}\ng orders 1 10 25 15\n{broken}\n").tables
    assert [line.text for line in table.unfit] == [broken]


def test_a_short_header_is_found_behind_a_time_of_many_digits() -> None:
    times = [f"2026-11-21T09:00:0{second}.123456789Z stdout F " for second in range(4)]
    lines = [HEADER, "g orders 1 10 25 15", "GROUP CONSUMER-ID HOST #PARTITIONS", "g c /h 0"]
    text = "\n".join(time + line for time, line in zip(times, lines, strict=True)) + "\n"
    assert [len(table.rows) for table in find_tables.find_tables(text).tables] == [1, 1]


def test_a_table_with_its_partitions_last_keeps_rows_without_numbers_side_by_side() -> None:
    text = "LAG LOG-END-OFFSET TOPIC CURRENT-OFFSET HOST PARTITION\n15 25 orders 10 /h 0\n"
    assert find_tables.find_tables(text).tables[0].rows


def test_a_title_of_a_window_ends_with_its_line() -> None:
    lines = [HEADER, "\x1b]0;shell", "g orders 0 10 25 15", "g orders 1 10 25 15\x07"]
    assert [line.text for line in PrintedLines("\r".join(lines))] == [
        HEADER, "0;shell", lines[2], lines[3][:-1],
    ]  # fmt: skip
