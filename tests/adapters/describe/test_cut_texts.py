"""Texts that a copy cut off: what is left out is said, and nothing is read wrong."""

from __future__ import annotations

import pytest
from support.describe_printers import PRINTERS, PrintedLine

from equilag.adapters.describe.describe_text import DescribeResult, read_describe
from equilag.adapters.describe.printed_text import PrintedText
from equilag.domain.building.group_input import PartitionOffsets
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group

ONE, TWO = "app-1-5f3a-9c0d", "app-2-7e21-2b3c"
LINES = [
    PrintedLine("orders", 0, 110, 225, ONE),
    PrintedLine("orders", 1, 40, 140, TWO),
    PrintedLine("orders", 2, 7, 7, None),
    PrintedLine("refunds", 0, None, 77, ONE),
    PrintedLine("refunds", 1, 1042, 1600, TWO),
]
KAFKA = PRINTERS["kafka"]("billing", LINES)
MEMBERS = f"""
GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT
billing {ONE} /10.0.0.7 app- 2 orders(0),refunds(0)
billing {TWO} /10.0.0.7 app- 2 orders(1),refunds(1)
"""


def read(text: str, members: str | None = None) -> DescribeResult:
    return read_describe(PrintedText(text), None if members is None else PrintedText(members))


def partitions(result: DescribeResult) -> dict[tuple[str, int], tuple[int | None, int, str | None]]:
    """Partition -> committed, log end, owner."""
    group, offsets = Group.build(**result.given), result.given["offsets"]
    assert isinstance(offsets, PartitionOffsets)
    found = {}
    for partition, owner in enumerate(group.owner.tolist()):
        topic, number = group.partition_name(partition)
        member = None if owner == NOBODY else group.members[owner].id
        values = (offsets.committed[topic][number], offsets.log_end[topic][number])  # type: ignore[call-overload]
        found[topic, number] = (*values, member)
    return found


TRUTH = {(x.topic, x.number): (x.committed, x.end, x.member) for x in LINES}


def wrong(text: str, members: str | None = None) -> list[str]:
    """What of a cut text is read as it is not; nothing where it is refused."""
    try:
        result = read(text, members)
    except InputError:
        return []
    told = " ".join(result.assumed)
    found = []
    for partition, row in partitions(result).items():
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
    assert partitions(read(text)) == TRUTH
    assert not [line for at in range(start, len(text), 3) for line in wrong(text[:at])]


@pytest.mark.parametrize("printer", ["kafka", "kafka_4", "tabs"])
def test_members_know_the_owners_that_a_cut_text_lost(printer: str) -> None:
    text = PRINTERS[printer]("billing", LINES)
    for at in range(text.index("orders") + 200, len(text), 7):
        for given in ((text[:at], MEMBERS), (f"{text[:at]}\n{MEMBERS}", None)):
            assert not wrong(*given)
            result = read(*given)
            owners = {name: row[2] for name, row in partitions(result).items()}
            missing = TRUTH.keys() - owners.keys()
            assert {name: TRUTH[name][2] for name in owners} == owners
            assert not any(TRUTH[name][2] for name in missing)


def cut(text: str, after: str) -> DescribeResult:
    return read(text[: text.rindex(after) + len(after)])


@pytest.mark.parametrize("after", ["re", "refunds", " 10", "1600 ", " 16", " 55", " 558"])
def test_a_cut_line_is_left_out_with_a_remark(after: str) -> None:
    result = cut(KAFKA, after)
    assert "line 7 is cut off and left out: paste the whole text" in result.assumed
    assert partitions(result) == {name: TRUTH[name] for name in list(TRUTH)[:4]}
    assert not any("LAG" in remark or "beyond" in remark for remark in result.assumed)


def test_rows_that_are_missing_in_the_middle() -> None:
    text = "".join(line for line in KAFKA.splitlines(True) if " 40 " not in line)
    remarks = " ".join(read(text).assumed)
    assert (
        "WARNING: orders: 1 partition below 2 is not listed (1): is the text complete?" in remarks
    )
    assert "It counts as empty and as owned by nobody" in remarks
    result = read(text, MEMBERS)
    assert partitions(result)["orders", 1] == (None, 0, TWO)
    assert result.given["unknown_lags"] == {"orders": [1]}
    remarks = " ".join(result.assumed)
    assert "WARNING: 1 partition is only in the members' table" in remarks
    assert "Offsets are missing: orders-1" in remarks
    assert "owned by nobody" not in remarks


def test_members_that_do_not_fit_complete_nothing() -> None:
    text = "".join(line for line in KAFKA.splitlines(True) if " 40 " not in line)
    for members in (
        MEMBERS.replace("orders(1)", "orders(0,1)").replace("2 orders(0,1)", "3 orders(0,1)"),
        MEMBERS.replace("orders(1)", "orders(99999999)"),
        MEMBERS.replace("2 orders(1),refunds(1)", "2 orders(2),refunds(1)"),
        MEMBERS.replace("2 orders(1)", "9 orders(1)"),
    ):
        with pytest.raises(InputError):
            read(text, members)


def test_different_topics_of_a_cut_text_say_nothing_of_subscriptions() -> None:
    result = cut(KAFKA, " 16")
    assert not any("WARNING: members own" in remark for remark in result.assumed)
    assert any("because other rows are missing" in remark for remark in result.assumed)


def test_a_member_of_dashes_is_nobody() -> None:
    text = "TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID\norders 0 1 2 1 - - -\n"
    assert not read(text).given["members"]


def test_an_edited_lag_in_the_last_line_stays() -> None:
    text = "TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG\norders 0 10 25 15\norders 1 0 100 {}"
    result = read(text.format("99"))
    assert any("orders-1 (LAG 99, read as 100)" in remark for remark in result.assumed)
    assert len(partitions(read(text.format("10")))) == 1
    assert len(partitions(read(text.format("10\n")))) == 2
    other = (
        "TOPIC PARTITION CURRENT-OFFSET LAG LOG-END-OFFSET\norders 0 10 15 25\norders 1 0 100 {}"
    )
    assert len(partitions(read(other.format("10")))) == 1
    assert len(partitions(read(other.format("100")))) == 2
