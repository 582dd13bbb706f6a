"""Texts as people paste them: each shape turns into the same group, or says what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.described_texts import described, refused


def text_of(name: str) -> str:
    return Path(__file__).with_name(f"{name}.txt").read_text("utf-8")


KAFKA, OWNERS, MEMBERS = text_of("kafka"), text_of("owners"), text_of("members")
ROWS = KAFKA.splitlines()
ONE, TWO = "app-1-0d6f-11aa", "app-2-7e21-22bb"
EXPECTED = {
    ("orders", 0): (10, 25, ONE),
    ("orders", 1): (40, 40, TWO),
    ("refunds", 0): (None, 7, TWO),
}


def markdown(text: str) -> str:
    rows = [f"| {' | '.join(line.split())} |" for line in text.splitlines()]
    return "\n".join([rows[0], "|---|:--|" + "--:|" * 7, *rows[1:]])


SAME = {
    "as it is": KAFKA,
    "carriage returns and a mark": "\ufeff" + KAFKA.replace("\n", "\r\n"),
    "carriage returns only": KAFKA.replace("\n", "\r"),
    "trailing tabs": "".join(f"{line}\t\t\n" for line in ROWS),
    "hard spaces": KAFKA.replace("  ", "\u00a0 "),
    "colours": "".join(f"\x1b[1;32m{line}\x1b[0m\n" for line in ROWS),
}
for pasted in text_of("pasted").removeprefix("=== ").split("\n=== "):
    name, _, text = pasted.partition("\n")
    SAME[name] = text


@pytest.mark.parametrize("shape", SAME)
def test_every_shape_is_the_same_group(shape: str) -> None:
    result = described(SAME[shape])
    assert result.document["group"] == "billing"
    assert result.partitions == EXPECTED
    hosts = {member["id"]: member.get("host") for member in result.document["members"]}
    assert hosts == {ONE: "10.0.0.1", TWO: "10.0.0.2"}


def test_an_id_cut_off_that_no_other_row_has() -> None:
    result = described(f"{ROWS[0]}\n{ROWS[1]}\n{ROWS[2][: -len('2bb    /10.0.0.2   app-2')]}")
    assert result.partitions == {("orders", 0): (10, 25, ONE), ("orders", 1): (40, 40, None)}
    assert result.said('line 3 is cut off in the id "app-2-7e21-2", not known')
    assert result.said("the owner of 1 partition is unknown", "orders-1")


def test_numbers_that_cannot_be() -> None:
    lag = "TOPIC PARTITION LOG-END-OFFSET LAG\norders 0 5 9"
    assert "CURRENT-OFFSET -4 is not within" in str(refused(lag))
    head = "TOPIC PARTITION CURRENT-OFFSET LOG-START-OFFSET LOG-END-OFFSET LAG"
    error = refused(f"{head}\norders 0 5 9 7 2")
    assert "LOG-START-OFFSET 9 is beyond LOG-END-OFFSET 7" in error.problem


def test_a_row_of_a_table_with_bars_is_never_lost() -> None:
    text = markdown(KAFKA).replace("| billing | orders | 1 |", "| billing | my orders | 1 |")
    assert "line 4: does not fit the header in line 1" in str(refused(text))


def test_separators_of_thousands() -> None:
    rows = ["orders 0 1,234,567 1,234,568 1 -", "orders 1 1_000 2_000 1_000 -"]
    text = "\n".join(["TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG OWNER", *rows])
    wanted = {("orders", 0): (1234567, 1234568, None), ("orders", 1): (1000, 2000, None)}
    assert described(text).partitions == wanted


def test_the_group_that_a_command_or_a_message_names() -> None:
    bare = "\n".join(line[9:] for line in ROWS)
    for above in (
        "$ kafka-consumer-groups --describe --group=billing",
        "kafka-consumer-groups.sh --group 'billing' \\\n   --describe",
        "Consumer group 'billing' has no active members.",
        "GROUP        billing\nCOORDINATOR  1\nSTATE        Stable",
        "rpk group describe billing",
        "Group ID: billing",
    ):
        result = described(f"{above}\n\n{bare}")
        assert result.document["group"] == "billing"
        assert not result.said("does not name")
    for above in ("", "kafka-consumer-groups --group <name>"):
        result = described(f"{above}\n{bare}")
        assert (result.document["group"], result.partitions) == ("", EXPECTED)
        assert result.said("does not name the group")
    below = f"{bare}\nConsumer group 'billing' has no active members."
    assert described(below).group.name == "billing"
    assert described(bare + MEMBERS).group.name == "billing"
    assert described(bare, group="pay").group.name == "pay"
    two = f"$ x --group billing\n{bare}\n$ x --group audit\n{bare.replace('40', '41')}"
    assert 'pick one with --group: "audit", "billing"' in str(refused(two))
    assert described(two, group="billing").partitions == EXPECTED
    assert described(two, group="audit").partitions["orders", 1] == (41, 41, TWO)
    assert "one without a name" in str(refused(f"{bare}\n$ x --group audit\n{bare}"))


@pytest.mark.parametrize("text", [OWNERS, OWNERS.replace(" OFFSET", "-OFFSET").replace(",", "  ")])
def test_owners_of_old_versions(text: str) -> None:
    result = described(text.replace("LOG END-OFFSET", "LOG-END-OFFSET"))
    assert result.partitions == {
        ("orders", 0): (10, 25, "app-1_/10.0.0.1"),
        ("orders", 1): (None, 40, "app-2_/10.0.0.2"),
        ("orders", 2): (3, 3, None),
        ("orders", 3): (3, 9, None),
        ("orders", 4): (3, 9, None),
    }
    assert result.document["members"][0]["client_id"] == "app-1"
    assert result.document["members"][0]["host"] == "10.0.0.1"
    assert result.said("the owner of 1 partition is unknown", "orders-4")


def test_rpk() -> None:
    result = described(text_of("rpk"), group="billing")
    assert result.partitions == {("orders", 0): (10, 25, ONE), ("orders", 1): (None, 40, ONE)}
    assert result.document["offsets"]["orders"]["log_start"] == [4, 5]
    assert result.document["members"][0]["host"] == "10.0.0.1"
    result = described(text_of("rpk"), group="audit")
    assert result.partitions == {("orders", 0): (20, 25, None)}
    assert not result.document["members"]


@pytest.mark.parametrize("text", text_of("other_tools").split("\n\n"))
def test_flat_tables_of_other_tools(text: str) -> None:
    assert described(text).partitions == {("orders", 0): (10, 25, None)}


def test_rows_without_their_header() -> None:
    for text in (
        "orders 0 10 25 15",
        "billing orders 0 10 25 15",
        "\n".join(line[9:] for line in ROWS[1:3]),
        "orders 0 10 0 25 15 app-1 app-1-x 10.0.0.1",
    ):
        assert described(text).partitions["orders", 0][:2] == (10, 25)
    for text in ("orders 0 10 25 99", "orders 0 - 25 -", "orders 0 15 25", "orders 0 10 25 15 x y"):
        assert "no table with the offsets of a group's partitions" in str(refused(text))


def test_what_is_doubtful_is_told_with_names() -> None:
    text = KAFKA + "billing orders 2 50 41 -9 - - -\nbilling orders 3 50 unknown unknown - - -\n"
    result = described(text.replace(" 15 ", " 99 "))
    assert result.said("orders-0 (LAG 99, read as 15)")
    assert result.said("1 partition is committed beyond the log end", "orders-2")
    assert result.said("the log end of 1 partition is unknown", "orders-3")
    assert result.document["unknown_lags"] == {"orders": [3]}
    assert result.group.lag.tolist() == [15, 0, 0, 0, 0]
    result = described(SAME["an error before"])
    assert result.said("WARNING: line 1 reports an error", "timed out")


def test_a_partition_with_two_members() -> None:
    text = KAFKA + ROWS[1].replace("app-1-0d6f-11aa", ONE[:-1] + "c") + "\n"
    result = described(text)
    assert result.said("1 partition has two owners, so nobody owns it", f"({ONE}, {ONE[:-1]}c)")
    assert result.group.owner[0] == -1
    later = KAFKA + "\n".join(line.replace(" 10  ", " 12  ") for line in ROWS[1:])
    result = described(later)
    assert result.partitions["orders", 0] == (12, 25, ONE)
    assert result.said("2 times")
    assert result.said("LAG 15, read as 13")


def test_members_in_the_same_text() -> None:
    result = described(KAFKA + MEMBERS)
    assert [member["id"] for member in result.document["members"]] == [ONE, TWO, "app-3-9c02-33cc"]
    assert result.document["members"][0]["instance_id"] == "i-1"
    assert result.partitions == EXPECTED
    assert not result.said("members that own nothing")
    brackets = MEMBERS.replace("orders:1;refunds:0", "orders(1), refunds(0)").replace(
        "orders:0", "orders(0)"
    )
    assert described(brackets + KAFKA).document == result.document
    cut = MEMBERS.replace("0d6f-11aa", "0d…").replace("22bb", "...")
    assert described(cut + KAFKA).document == result.document
    result = described(KAFKA + MEMBERS.replace("orders:0 ", "orders:1 "))
    assert result.said("the members' table and the offsets differ", "owns other partitions")
    assert len(result.document["members"]) == 3


def test_a_group_in_the_middle_of_a_rebalance() -> None:
    for text in (
        "Warning: Consumer group 'billing' is rebalancing.\n" + KAFKA,
        "GROUP COORDINATOR (ID) ASSIGNMENT-STRATEGY STATE #MEMBERS\n"
        "billing k1:9092 (1) range PreparingRebalance 2\n" + KAFKA,
    ):
        assert described(text).said("the group was rebalancing")
    assert not described(KAFKA).said("rebalancing")


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        (MEMBERS, "line 2: members only, as of --describe --members: topics and offsets are"),
        (SAME["a state"].split("\n\n")[0], "line 1: a state only, as of --describe --state"),
        ("TOPIC PARTITION NEW-OFFSET\norders 0 5", "a table without the columns CURRENT-OFFSET"),
        ("TOPIC PARTITION LAG\norders 0 5", "line 1: a table without the columns CURRENT-OFFSET"),
        ("Partition  Group Offset  High Watermark  Lag\n0  10  25  15", "without the column TOPIC"),
        ("Group ID: billing\nOffsets:\n  orders:\n    0: 10 of 25", "no table with the offsets"),
        ("java.lang.RuntimeException: no\n\tat a.b.C.d(C.java:1)", "reported by Kafka: java.lang"),
        ("Exception in thread \"main\" x.Y: no", "an error reported by Kafka: Exception in"),
        (ROWS[0], "a header in line 1 and no row below it"),
        (f"{ROWS[0]}\nbilling - - - - - app-1-0d6f-11aa /10.0.0.1 app-1", "members without part"),
        ("{\"groups\": []}", "no table with the offsets"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_what_is_missing(text: str, missing: str) -> None:
    error = str(refused(text))
    assert missing in error
    assert "reported by Kafka" in error or "paste what kafka-consumer-groups --describe" in error


def test_commas_of_an_assignment_are_not_between_columns() -> None:
    head = "TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID"
    rows = "".join(f"orders {number} 1 2 1 {ONE}\n" for number in range(5))
    member = f"{ONE} /h app 5 orders:0,1,2,3,4"
    members = f"CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\n{member}\n"
    assert described(f"{head}\n{rows}", members).document["members"][0]["host"] == "h"
