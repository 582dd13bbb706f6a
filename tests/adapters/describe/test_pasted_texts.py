"""Texts as people paste them: each shape turns into the same group, or says what is missing."""

from __future__ import annotations

from typing import Any

import pytest

from equilag.adapters.describe.describe_text import read_describe
from equilag.adapters.describe.printed_text import PrintedText
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.adapters.snapshot.write import snapshot_document
from equilag.domain.errors import InputError

KAFKA = """\
GROUP    TOPIC    PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID        HOST        CLIENT-ID
billing  orders   0          10              25              15   app-1-0d6f-11aa    /10.0.0.1   app-1
billing  orders   1          40              40              0    app-2-7e21-22bb    /10.0.0.2   app-2
billing  refunds  0          -               7               -    app-2-7e21-22bb    /10.0.0.2   app-2
"""  # noqa: E501
ROWS = KAFKA.splitlines()
ONE, TWO = "app-1-0d6f-11aa", "app-2-7e21-22bb"
EXPECTED = {
    "orders": {0: (10, 25, ONE), 1: (40, 40, TWO)},
    "refunds": {0: (None, 7, TWO)},
}


def described(text: str, **options: Any) -> tuple[dict[str, Any], list[str]]:
    result = read_describe(PrintedText(text, "paste.txt"), **options)
    document = snapshot_document(result.given)
    load_snapshot(document)
    return document, result.assumed


def partitions(document: dict[str, Any]) -> dict[str, dict[int, tuple[Any, ...]]]:
    """Topic -> number -> committed, end, member."""
    owner = {
        (topic, number): member["id"]
        for member in document["members"]
        for topic, numbers in member.get("owned", {}).items()
        for number in numbers
    }
    return {
        topic: {
            number: (committed, end, owner.get((topic, number)))
            for number, (committed, end) in enumerate(
                zip(columns["committed"], columns["log_end"], strict=True)
            )
        }
        for topic, columns in document["offsets"].items()
    }


def said(assumed: list[str], *words: str) -> bool:
    return any(all(word in sentence for word in words) for sentence in assumed)


def refused(text: str, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        described(text, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def markdown(text: str) -> str:
    rows = [f"| {' | '.join(line.split())} |" for line in text.splitlines()]
    return "\n".join([rows[0], "|---|:--|" + "--:|" * 7, *rows[1:]])


def squeezed(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.splitlines())


SAME = {
    "as it is": KAFKA,
    "a prompt and remarks around it": f"root@k1:/# bin/kafka-consumer-groups.sh --describe --group"
    f" billing\nNote: only new consumers.\n\n{KAFKA}\nWhy do 2 of 3 partitions lag? Thanks, A.\n",
    "a reset above it": "GROUP TOPIC PARTITION NEW-OFFSET\nbilling orders 0 3\n\n" + KAFKA,
    "carriage returns and a mark": "\ufeff" + KAFKA.replace("\n", "\r\n"),
    "carriage returns only": KAFKA.replace("\n", "\r"),
    "an indent": "".join(f"    {line}\n" for line in ROWS),
    "tabs": "\n".join("\t".join(line.split()) for line in ROWS),
    "several tabs": "\n".join("\t\t".join(line.split()) for line in ROWS),
    "trailing tabs": "".join(f"{line}\t\t\n" for line in ROWS),
    "single spaces": squeezed(KAFKA),
    "hard spaces": KAFKA.replace("  ", "\u00a0 "),
    "colours": "".join(f"\x1b[1;32m{line}\x1b[0m\n" for line in ROWS),
    "a quote": "".join(f"> {line}\n" for line in ROWS),
    "a fence": f"```text\n{KAFKA}```\n",
    "back-ticks": "\n".join(f"` {line}`" for line in ROWS),
    "a markdown table": markdown(KAFKA),
    "a markdown table with names once": markdown(KAFKA)
    .replace("| billing | orders | 1 |", "| | | 1 |")
    .replace("| billing | refunds |", "|  | refunds |"),
    "bars without a frame": "\n".join(" | ".join(line.split()) for line in ROWS),
    "a frame of lines": "┌────┐\n"
    + "\n".join(f"│ {' │ '.join(line.split())} │" for line in ROWS)
    + "\n└────┘",
    "commas": "\n".join(", ".join(line.split()) for line in ROWS),
    "semicolons": "\n".join(";".join(line.split()) for line in ROWS),
    "a header without the commas of the rows": "\n".join(
        [ROWS[0], *(", ".join(line.split()) for line in ROWS[1:])]
    ),
    "a time before each line": "\n".join(
        f"2026-01-02T10:00:0{number} {line}" for number, line in enumerate(ROWS)
    ),
    "a last line cut off in the id": KAFKA.rstrip()[: -len("2bb    /10.0.0.2   app-2")],
    "line numbers": "\n".join(f"{number:>4}  {line}" for number, line in enumerate(ROWS, 7)),
    "line numbers of grep": "\n".join(f"{number}:{line}" for number, line in enumerate(ROWS, 1)),
    "a comment sign": "".join(f"# {line}\n" for line in ROWS),
    "the name of a container": "".join(f"kafka-1  | {line}\n" for line in ROWS),
    "an epoch": "\n".join(
        " ".join([*line.split()[:3], epoch, *line.split()[3:]])
        for line, epoch in zip(ROWS, ("LEADER-EPOCH", "4", "-", "0"), strict=True)
    ),
    "names in lower case": KAFKA.replace(ROWS[0], ROWS[0].lower()),
    "names with spaces": "\n".join(
        [ROWS[0].replace("T-O", "T O").replace("LOG-END-O", "LOG END O"), *ROWS[1:]]
    ),
    "an id glued to its host": KAFKA.replace("1aa    /", "1aa/").replace("2bb    /", "2bb/"),
    "a row broken between words": KAFKA.replace("15   app", "15\napp"),
    "all lines broken between words": KAFKA.replace("LAG  ", "LAG\n")
    .replace("15   ", "15\n")
    .replace("0    app", "0\napp")
    .replace("-    app", "-\napp"),
    "lines broken at the edge of a screen": "\n".join(
        piece for line in ROWS for piece in (line[:73], line[73:])
    ),
    "a message between": KAFKA.replace("\nbilling  orders   1", "\nCould not ask k2:9092.\nbilling  orders   1"),  # noqa: E501
    "an ellipsis": KAFKA + "... ...\n",
    "two tables": f"{ROWS[0]}\n{ROWS[1]}\n\n{ROWS[0]}\n{ROWS[2]}\n{ROWS[3]}\n",
    "an earlier moment": KAFKA.replace(" 10 ", " 4  ").replace("app-1", "app-9") + "\n" + KAFKA,
    "a state": "GROUP COORDINATOR (ID) ASSIGNMENT-STRATEGY STATE GROUP-EPOCH #MEMBERS\n"
    "billing k1:9092 (1) range Stable 4 2\n\n" + KAFKA,
    "an error before": "[2026-01-02 10:00:00,1] ERROR [Admin] timed out\n" + KAFKA,
    "a wrong LAG": KAFKA.replace(" 15 ", " 99 "),
}  # fmt: skip


@pytest.mark.parametrize("shape", SAME)
def test_every_shape_is_the_same_group(shape: str) -> None:
    document, _ = described(SAME[shape])
    assert document["group"] == "billing"
    assert partitions(document) == EXPECTED
    hosts = {member["id"]: member.get("host") for member in document["members"]}
    assert hosts == {ONE: "10.0.0.1", TWO: "10.0.0.2"}


def test_an_id_cut_off_that_no_other_row_has() -> None:
    document, assumed = described(
        f"{ROWS[0]}\n{ROWS[1]}\n{ROWS[2][: -len('2bb    /10.0.0.2   app-2')]}"
    )
    assert partitions(document) == {"orders": {0: (10, 25, ONE), 1: (40, 40, None)}}
    assert said(assumed, 'line 3 is cut off in the id "app-2-7e21-2", not known')
    assert said(assumed, "the owner of 1 partition is unknown", "orders-1")


def test_numbers_that_cannot_be() -> None:
    for row, problem in (
        ("orders 0 -5 9 14", "CURRENT-OFFSET -5 is not within"),
        ("orders 0 1 -9 -10", "LOG-END-OFFSET -9 is not within"),
        ("orders - 1 9 8", 'PARTITION "-" is not an integer'),
        ("orders 10000000 1 9 8", "partition 10000000 is not within 0 and 9999999"),
    ):
        text = f"TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG\n{row}\n"
        assert f"line 2: {problem}" in refused(text)
    lag = "TOPIC PARTITION LOG-END-OFFSET LAG\norders 0 5 9"
    assert "CURRENT-OFFSET -4 is not within" in refused(lag)
    head = "TOPIC PARTITION CURRENT-OFFSET LOG-START-OFFSET LOG-END-OFFSET LAG"
    assert "LOG-START-OFFSET 9 is beyond LOG-END-OFFSET 7" in refused(f"{head}\norders 0 5 9 7 2")


def test_a_row_of_a_table_with_bars_is_never_lost() -> None:
    text = markdown(KAFKA).replace("| billing | orders | 1 |", "| billing | my orders | 1 |")
    assert "line 4: does not fit the header in line 1" in refused(text)


def test_separators_of_thousands() -> None:
    rows = ["orders 0 1,234,567 1,234,568 1 -", "orders 1 1_000 2_000 1_000 -"]
    text = "\n".join(["TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG OWNER", *rows])
    wanted = {0: (1234567, 1234568, None), 1: (1000, 2000, None)}
    assert partitions(described(text)[0]) == {"orders": wanted}
    error = refused(text.replace("1,234,568", "1.7K"))
    assert 'paste.txt: line 2: LOG-END-OFFSET "1.7K" is not an integer' in error


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
        document, assumed = described(f"{above}\n\n{bare}")
        assert document["group"] == "billing"
        assert not said(assumed, "does not name")
    for above in ("", "kafka-consumer-groups --group <name>"):
        document, assumed = described(f"{above}\n{bare}")
        assert (document["group"], partitions(document)) == ("", EXPECTED)
        assert said(assumed, "does not name the group")
    below = f"{bare}\nConsumer group 'billing' has no active members."
    assert described(below)[0]["group"] == "billing"
    assert described(bare + MEMBERS)[0]["group"] == "billing"
    assert described(bare, group="pay")[0]["group"] == "pay"
    two = f"$ x --group billing\n{bare}\n$ x --group audit\n{bare.replace('40', '41')}"
    assert 'pick one with --group: "audit", "billing"' in refused(two)
    assert partitions(described(two, group="billing")[0]) == EXPECTED
    assert partitions(described(two, group="audit")[0])["orders"][1] == (41, 41, TWO)
    assert "one without a name" in refused(f"{bare}\n$ x --group audit\n{bare}")


OWNERS = """\
GROUP, TOPIC, PARTITION, CURRENT OFFSET, LOG END OFFSET, LAG, OWNER
billing, orders, 0, 10, 25, 15, app-1_/10.0.0.1
billing, orders, 1, unknown, 40, unknown, app-2_/10.0.0.2
billing, orders, 2, 3, 3, 0, none
billing, orders, 3, 3, 9, 6,
billing, orders, 4, 3, 9, 6, unknown
"""


@pytest.mark.parametrize("text", [OWNERS, OWNERS.replace(" OFFSET", "-OFFSET").replace(",", "  ")])
def test_owners_of_old_versions(text: str) -> None:
    document, assumed = described(text.replace("LOG END-OFFSET", "LOG-END-OFFSET"))
    assert partitions(document)["orders"] == {
        0: (10, 25, "app-1_/10.0.0.1"),
        1: (None, 40, "app-2_/10.0.0.2"),
        2: (3, 3, None),
        3: (3, 9, None),
        4: (3, 9, None),
    }
    assert document["members"][0]["client_id"] == "app-1"
    assert document["members"][0]["host"] == "10.0.0.1"
    assert said(assumed, "the owner of 1 partition is unknown", "orders-4")


def test_the_offset_checker() -> None:
    text = (
        "Group           Topic      Pid Offset          logSize         Lag             Owner\n"
        "billing         orders     0   10              25              15              none\n"
        "billing         orders     1   40              40              0               app_h-7-0\n"
        "10:01:00 AM - info: next check\n"
        "Group           Topic      Pid Offset          logSize         Lag             Owner\n"
        "billing         orders     0   11              26              15              none\n"
        "billing         orders     1   41              41              0               app_h-7-0\n"
    )
    document, assumed = described(text)
    assert partitions(document) == {"orders": {0: (11, 26, None), 1: (41, 41, "app_h-7-0")}}
    assert said(assumed, "shows the group 2 times; the last one counts")


def test_rpk() -> None:
    summary = (
        "GROUP        {}\nCOORDINATOR  1\nSTATE        {}\nBALANCER     range\nMEMBERS      1\n"
    )
    columns = "TOPIC   PARTITION  CURRENT-OFFSET  LOG-START-OFFSET  LOG-END-OFFSET  LAG  "
    text = (
        summary.format("billing", "Stable")
        + columns + "MEMBER-ID        CLIENT-ID  HOST\n"
        "orders  0          10              4                 25              15   app-1-0d6f-11aa  app-1      10.0.0.1\n"  # noqa: E501
        "orders  1          -               5                 40              35   app-1-0d6f-11aa  app-1      10.0.0.1\n\n"  # noqa: E501
        + summary.format("audit", "Empty")
        + columns + "MEMBER-ID  CLIENT-ID  HOST\n"
        "orders  0          20              4                 25              5\n"
    )  # fmt: skip
    document, _ = described(text, group="billing")
    assert partitions(document) == {"orders": {0: (10, 25, ONE), 1: (None, 40, ONE)}}
    assert document["offsets"]["orders"]["log_start"] == [4, 5]
    assert document["members"][0]["host"] == "10.0.0.1"
    document, _ = described(text, group="audit")
    assert partitions(document) == {"orders": {0: (20, 25, None)}}
    assert not document["members"]


@pytest.mark.parametrize(
    "text",
    [
        (
            "GROUP    TOPIC   PARTITION  LAG  LAG %  COMMITTED OFFSET  LATEST OFFSET  CONSUMER ID\n"
            "billing  orders  0          15   0.6    10                25             -\n"
        ),
        (
            "TOPIC   PARTITION   NEWEST_OFFSET   OLDEST_OFFSET   CONSUMER_OFFSET   LEAD   LAG\n"
            "orders  0           25              0               10                10     15\n"
        ),
        (
            "CONSUMER GROUP   STATE    TOPIC    PARTITION  CURRENT OFFSET  END OFFSET  LAG\n"
            "billing          Stable   orders   0          10              25          15\n"
        ),
        (
            " Cl.  | Consumer Group | Lag | Log End Offset | Current Offset |  Topic | Partition\n"
            "-----+----------------+-----+----------------+----------------+--------+----------\n"
            " c-1  | billing        |  15 |             25 |             10 | orders | 0\n"
        ),
        (
            "  CONSUMER ID   PARTITION   TOPIC    LOG END OFFSET   CURRENT OFFSET   OFFSET LAG  \n"
            " ------------- ----------- -------- ---------------- ---------------- ------------ \n"
            "  unassigned            0   orders               25               10           15\n"
        ),
        "TOPIC PARTITION CURRENT-OFFSET LAG\norders 0 10 15\n",
        "TOPIC PARTITION LOG-END-OFFSET LAG\norders 0 25 15\n",
    ],
)
def test_flat_tables_of_other_tools(text: str) -> None:
    assert partitions(described(text)[0]) == {"orders": {0: (10, 25, None)}}


def test_rows_without_their_header() -> None:
    for text in (
        "orders 0 10 25 15",
        "billing orders 0 10 25 15",
        "\n".join(line[9:] for line in ROWS[1:3]),
        "orders 0 10 0 25 15 app-1 app-1-x 10.0.0.1",
    ):
        assert partitions(described(text)[0])["orders"][0][:2] == (10, 25)
    for text in ("orders 0 10 25 99", "orders 0 - 25 -", "orders 0 15 25", "orders 0 10 25 15 x y"):
        assert "no table with the offsets of a group's partitions" in refused(text)


def test_what_is_doubtful_is_told_with_names() -> None:
    text = KAFKA + "billing orders 2 50 41 -9 - - -\nbilling orders 3 50 unknown unknown - - -\n"
    document, assumed = described(text.replace(" 15 ", " 99 "))
    assert said(assumed, "orders-0 (LAG 99, read as 15)")
    assert said(assumed, "1 partition is committed beyond the log end", "orders-2")
    assert said(assumed, "the log end of 1 partition is unknown", "orders-3")
    assert document["unknown_lags"] == {"orders": [3]}
    assert load_snapshot(document).lag.tolist() == [15, 0, 0, 0, 0]
    _, assumed = described(SAME["an error before"])
    assert said(assumed, "WARNING: line 1 reports an error", "timed out")


def test_a_partition_with_two_members() -> None:
    text = KAFKA + ROWS[1].replace("app-1-0d6f-11aa", ONE[:-1] + "c") + "\n"
    document, assumed = described(text)
    assert said(assumed, "1 partition has two owners, so nobody owns it", f"({ONE}, {ONE[:-1]}c)")
    assert load_snapshot(document).owner[0] == -1
    later = KAFKA + "\n".join(line.replace(" 10  ", " 12  ") for line in ROWS[1:])
    document, assumed = described(later)
    assert partitions(document)["orders"][0] == (12, 25, ONE)
    assert said(assumed, "2 times")
    assert said(assumed, "LAG 15, read as 13")


MEMBERS = """
GROUP   CONSUMER-ID      GROUP-INSTANCE-ID  HOST       CLIENT-ID  #PARTITIONS  CURRENT-EPOCH  CURRENT-ASSIGNMENT   TARGET-EPOCH  TARGET-ASSIGNMENT
billing app-1-0d6f-11aa  i-1                /10.0.0.1  app-1      1            4              orders:0             4             orders:0
billing app-2-7e21-22bb  -                  /10.0.0.2  app-2      2            4              orders:1;refunds:0   4             orders:1;refunds:0
billing app-3-9c02-33cc  -                  /10.0.0.3  app-3      0            4              -                    4             -
"""  # noqa: E501


def test_members_in_the_same_text() -> None:
    document, assumed = described(KAFKA + MEMBERS)
    assert [member["id"] for member in document["members"]] == [ONE, TWO, "app-3-9c02-33cc"]
    assert document["members"][0]["instance_id"] == "i-1"
    assert partitions(document) == EXPECTED
    assert not said(assumed, "members that own nothing")
    brackets = MEMBERS.replace("orders:1;refunds:0", "orders(1), refunds(0)").replace(
        "orders:0", "orders(0)"
    )
    assert described(brackets + KAFKA)[0] == document
    cut = MEMBERS.replace("0d6f-11aa", "0d…").replace("22bb", "...")
    assert described(cut + KAFKA)[0] == document
    document, assumed = described(KAFKA + MEMBERS.replace("orders:0 ", "orders:1 "))
    assert said(assumed, "the members' table and the offsets differ", "owns other partitions")
    assert len(document["members"]) == 3


def test_a_group_in_the_middle_of_a_rebalance() -> None:
    for text in (
        "Warning: Consumer group 'billing' is rebalancing.\n" + KAFKA,
        "GROUP COORDINATOR (ID) ASSIGNMENT-STRATEGY STATE #MEMBERS\n"
        "billing k1:9092 (1) range PreparingRebalance 2\n" + KAFKA,
    ):
        assert said(described(text)[1], "the group was rebalancing")


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
    error = refused(text)
    assert missing in error
    assert "reported by Kafka" in error or "paste what kafka-consumer-groups --describe" in error
