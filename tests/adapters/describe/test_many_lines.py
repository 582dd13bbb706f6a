"""A table among many lines of a log: what is skipped fast is nothing that would have been read."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from support.described_texts import PRINTERS, PrintedLine, described

from equilag.adapters.describe import row_signs, table_header
from equilag.adapters.describe.messages import Messages
from equilag.adapters.describe.printed_table import TablesFound, find_tables

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
    found: TablesFound = find_tables(text)
    tables = [
        (table.header, table.group, table.rows, table.partitions, table.unfit, table.below)
        for table in found.tables
    ]
    return tables, found.messages, found.last, found.unended


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line is looked at as closely as the first one."""

    def has_header_words(line: str) -> bool:
        return not {"=", ":"} & {*line[table_header.MAX_PREFIX :]}

    monkeypatch.setattr(table_header, "has_header_words", has_header_words)
    monkeypatch.setattr("equilag.adapters.describe.printed_text.has_header_words", bool)
    monkeypatch.setattr(Messages, "may_tell", bool)
    monkeypatch.setattr(row_signs, "_signs_of", lambda _names: bool)


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
