"""Texts of each tool: read as they were printed; cut off or damaged, what is left out is said, and
nothing is read wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.described_texts import PRINTERS, Described, PrintedLine, described, refused

from equilag.domain.errors import InputError

ONE, TWO = "app-1-5f3a-9c0d", "app-2-7e21-2b3c"
LINES = [
    PrintedLine("orders", 0, 110, 225, ONE),
    PrintedLine("orders", 1, 40, 140, TWO),
    PrintedLine("orders", 2, 7, 7, None),
    PrintedLine("refunds", 0, None, 77, ONE),
    PrintedLine("refunds", 1, 1042, 1600, TWO),
]
TRUTH = {(x.topic, x.number): (x.committed, x.end, x.member) for x in LINES}
KAFKA = PRINTERS["kafka"]("billing", LINES)
GAP = "".join(line for line in KAFKA.splitlines(True) if " 40 " not in line)
"""Without the row of orders-1."""
MEMBERS = f"""
GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT
billing {ONE} /10.0.0.7 app- 2 orders(0),refunds(0)
billing {TWO} /10.0.0.7 app- 2 orders(1),refunds(1)
"""


def wrong(text: str, members: str | None = None) -> list[str]:
    """What of a cut text is read as it is not; nothing where it is refused."""
    try:
        result = described(text, members)
    except InputError:
        return []
    told = " ".join(result.assumed)
    found = []
    for partition, row in result.partitions.items():
        truth = TRUTH[partition]
        name = f"{partition[0]}-{partition[1]}"
        right = row[:2] == truth[:2] or (row[:2] in ((None, 0),) and name in told)
        owner = row[2] == truth[2] or row[2] is None or "may be cut off" in told
        if not right or not owner or (row[2] is None and truth[2] and name not in told):
            found.append(f"{name} {row}: {text[-60:]!r}")
    return found


@pytest.mark.parametrize("printer", PRINTERS)
def test_a_text_cut_anywhere_is_never_read_wrong(printer: str) -> None:
    text = PRINTERS[printer]("billing", LINES)
    start = text.index("refunds")
    assert described(text).partitions == TRUTH
    assert not [line for at in range(start, len(text), 3) for line in wrong(text[:at])]


@pytest.mark.parametrize("printer", ["kafka", "kafka_4", "tabs"])
def test_members_know_the_owners_that_a_cut_text_lost(printer: str) -> None:
    text = PRINTERS[printer]("billing", LINES)
    for at in range(text.index("orders") + 200, len(text), 7):
        for texts in ((text[:at], MEMBERS), (f"{text[:at]}\n{MEMBERS}", None)):
            assert not wrong(*texts)
            owners = {name: row[2] for name, row in described(*texts).partitions.items()}
            assert {name: TRUTH[name][2] for name in owners} == owners
            assert not any(TRUTH[name][2] for name in TRUTH.keys() - owners.keys())


def cut(after: str) -> Described:
    return described(KAFKA[: KAFKA.rindex(after) + len(after)])


@pytest.mark.parametrize("after", ["re", "refunds", " 10", "1600 ", " 16", " 55", " 558"])
def test_a_cut_line_is_left_out_with_a_remark(after: str) -> None:
    result = cut(after)
    assert "line 7 is cut off and left out: paste the whole text" in result.assumed
    assert result.partitions == {name: TRUTH[name] for name in list(TRUTH)[:4]}
    assert not result.said("LAG")
    assert not result.said("beyond")
    # Different topics of a cut text say nothing of subscriptions.
    assert not result.said("WARNING: members own")
    assert result.said("because other rows are missing")


def test_rows_that_are_missing_in_the_middle() -> None:
    result = described(GAP)
    missing = "WARNING: orders: 1 partition below 2 is not listed (1): is the text complete?"
    assert result.said(missing, "It counts as empty and as owned by nobody")
    result = described(GAP, MEMBERS)
    assert result.partitions["orders", 1] == (None, 0, TWO)
    assert result.document["unknown_lags"] == {"orders": [1]}
    assert result.said("WARNING: 1 partition is only in the members' table", "orders-1")
    assert not result.said("owned by nobody")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2 orders(1)", "3 orders(0,1)"),
        ("orders(1)", "orders(99999999)"),
        ("2 orders(1)", "2 orders(2)"),
        ("2 orders(1)", "9 orders(1)"),
    ],
)
def test_members_that_do_not_fit_complete_nothing(old: str, new: str) -> None:
    refused(GAP, MEMBERS.replace(old, new))


def test_a_member_of_dashes_is_nobody() -> None:
    text = "TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID\norders 0 1 2 1 - - -\n"
    assert not described(text).document["members"]


def test_an_edited_lag_in_the_last_line_stays() -> None:
    text = "TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG\norders 0 10 25 15\norders 1 0 100 {}"
    assert described(text.format("99")).said("orders-1 (LAG 99, read as 100)")
    assert len(described(text.format("10")).partitions) == 1
    assert len(described(text.format("10\n")).partitions) == 2
    text = "TOPIC PARTITION CURRENT-OFFSET LAG LOG-END-OFFSET\norders 0 10 15 25\norders 1 0 100 {}"
    assert len(described(text.format("10")).partitions) == 1
    assert len(described(text.format("100")).partitions) == 2


# Random groups, and random damage.

IDS = [f"{name}-{n}-5f3a-9c{n}d" for n, name in enumerate(("app", "my-worker", "c"))]
WITHOUT_HOSTS = {"kafka_0_10", "kafka_0_9", "offset_checker"}
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
    host = None if printer in WITHOUT_HOSTS else "10.0.0.7"
    assert {member.host for member in result.group.members} <= {host}


def damaged(text: str, damage: list[tuple[int, int, str]]) -> str:
    for at, drop, junk in damage:
        text = text[:at] + junk + text[at + drop :]
    return text


DAMAGE = st.lists(
    st.tuples(
        st.integers(0, 900),
        st.integers(0, 40),
        st.text(alphabet="g019-|,;:/ \n\r\t()x'`\x1b[\u2028\u00a0٣", max_size=6),
    ),
    max_size=4,
)


@given(printer=st.sampled_from(sorted(PRINTERS)), lines=groups(), of_text=DAMAGE, of_members=DAMAGE)
def test_damage_is_refused_or_read(
    printer: str,
    lines: list[PrintedLine],
    of_text: list[tuple[int, int, str]],
    of_members: list[tuple[int, int, str]],
) -> None:
    for texts in (
        (damaged(PRINTERS[printer]("billing", lines), of_text), None),
        (KAFKA, damaged(MEMBERS, of_members)),
    ):
        try:
            told = f"{described(*texts).group.n_partitions} partitions"
        except InputError as refusal:
            told = str(refusal) if refusal.problem else ""
        assert told not in ("", "0 partitions")
        assert "\n" not in told
