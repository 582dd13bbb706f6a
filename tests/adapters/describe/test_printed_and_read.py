"""Random groups, printed as each tool does and read again; and texts with random damage."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.described_texts import PRINTERS, PrintedLine, described

from equilag.domain.errors import InputError

IDS = [f"{name}-{n}-5f3a-9c{n}d" for n, name in enumerate(("app", "my-worker", "c"))]
EXAMPLES = 15
"""Groups per printer: more of them find nothing that these do not, in ten times the time."""


@st.composite
def groups(draw: st.DrawFn) -> list[PrintedLine]:
    """Every partition of one to three topics, in any order."""
    lines = []
    topics = draw(st.lists(st.sampled_from(["orders", "a.b_c", "T-1"]), min_size=1, unique=True))
    for topic in topics:
        for number in range(draw(st.integers(1, 3))):
            end = draw(st.integers(0, 2**40))
            committed = draw(st.none() | st.integers(0, end + 3))
            member = draw(st.none() | st.sampled_from(IDS))
            lines.append(PrintedLine(topic, number, committed, end, member))
    return draw(st.permutations(lines))


@pytest.mark.parametrize("printer", PRINTERS)
@settings(max_examples=EXAMPLES)
@given(lines=groups())
def test_what_is_printed_is_read(printer: str, lines: list[PrintedLine]) -> None:
    result = described(PRINTERS[printer]("billing", lines))
    assert result.group.name == "billing"
    read = {PrintedLine(*place, *row) for place, row in result.partitions.items()}
    assert read == set(lines)


@given(
    printer=st.sampled_from(sorted(PRINTERS)),
    lines=groups(),
    damage=st.lists(
        st.tuples(
            st.integers(0, 900),
            st.integers(0, 40),
            st.text(alphabet="g019-|,;:/ \n\r\t()x'`\x1b[\u2028\u00a0٣", max_size=6),
        ),
        max_size=4,
    ),
)
def test_damage_is_refused_or_read(
    printer: str, lines: list[PrintedLine], damage: list[tuple[int, int, str]]
) -> None:
    text = PRINTERS[printer]("billing", lines)
    for at, drop, junk in damage:
        text = text[:at] + junk + text[at + drop :]
    try:
        result = described(text)
    except InputError as error:
        refusal = error
    else:
        assert result.group.n_partitions >= 1
        return
    assert refusal.problem
    assert "\n" not in str(refusal)
