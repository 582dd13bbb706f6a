"""Texts of kafka-consumer-groups: what they turn into, what is assumed, what is refused."""

from __future__ import annotations

import pytest
from support.described_texts import COLUMNS, described, padded, refused

MEMBERS_HEADER = (
    *("GROUP", "CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS"),
    *("CURRENT-EPOCH", "CURRENT-ASSIGNMENT", "TARGET-EPOCH", "TARGET-ASSIGNMENT"),
)
C1, C2 = "c-1-6f1d", "c-2-9a0b"


def printed(*rows: tuple[str, ...]) -> str:
    """Rows in padded columns after an empty line, as Kafka prints them."""
    return "\n" + padded(rows)


def row(
    topic: str, number: int | str, committed: str, end: str, lag: str, member: str, group: str = "g"
) -> tuple[str, ...]:
    host, client = ("-", "-") if member == "-" else ("/10.0.0.1", member[:3])
    return (group, topic, str(number), committed, end, lag, member, host, client)


ROWS = (
    row("a", 0, "3", "9", "6", C1),
    row("a", 1, "-", "7", "-", C1),
    row("b", 0, "12", "10", "-2", C2),
    row("b", 1, "5", "5", "0", "-"),
)
TEXT = printed(COLUMNS, *ROWS)  # its rows are the lines 3 to 6


def member_row(member: str, count: str, assignment: str, group: str = "g") -> tuple[str, ...]:
    return (group, member, "/10.0.0.1", member[:3], count, "-", assignment, "-", "-")


MEMBER_ROWS = (
    member_row(C1, "2", "a:0,1"),
    member_row(C2, "1", "b:0"),
    member_row("c-3", "0", "-"),
)
MEMBERS = printed(MEMBERS_HEADER, *MEMBER_ROWS)


def place_of(client_id: str) -> dict[str, str]:
    return {"client_id": client_id, "host": "10.0.0.1"}


def test_the_snapshot() -> None:
    result = described(TEXT)
    assert result.document == {
        "format": "equilag/snapshot/1",
        "group": "g",
        "topics": {"a": 2, "b": 2},
        "subscriptions": {"all": ["a", "b"]},
        "members": [
            {"id": C1, "subscription": "all", "owned": {"a": [0, 1]}, **place_of("c-1")},
            {"id": C2, "subscription": "all", "owned": {"b": [0]}, **place_of("c-2")},
        ],
        "assumed_subscribers": [C1, C2],
        "offsets": {
            "a": {"log_start": [0, 0], "log_end": [9, 7], "committed": [3, None]},
            "b": {"log_start": [0, 0], "log_end": [10, 5], "committed": [12, 5]},
        },
        "auto_offset_reset": "latest",
    }
    assert result.group.lag.tolist() == [6, 0, 0, 0]
    assert result.said("subscriptions are not in the text", "all topics of the group for 2 members")
    assert result.said("log starts", "0")
    assert result.said("highest partition listed: a 2, b 2")
    assert result.said("1 partition has no commit", "latest", "lag is 0")
    assert result.said("members that own nothing are not in the text")
    assert result.said("WARNING", "different topics", "--as-owned")
    assert result.said("1 partition is committed beyond the log end", "lag 0: b-0")
    assert len(result.assumed) == 7


def test_reset_in_any_case() -> None:
    result = described(TEXT, auto_offset_reset="EARLIEST")
    assert result.group.lag.tolist() == [6, 7, 0, 0]
    assert result.said("1 partition has no commit", "earliest", "everything up to the log end")
    assert refused(TEXT, auto_offset_reset="newest").place == "auto_offset_reset"


def test_as_owned() -> None:
    result = described(TEXT, MEMBERS, as_owned=True)
    assert [m["subscription"] for m in result.document["members"]] == [["a"], ["b"], []]
    assert "subscriptions" not in result.document
    assert result.said("the topics they own for 3 members")
    assert result.said("1 member owns nothing", "subscribe to nothing")


def test_subscribe() -> None:
    result = described(TEXT, MEMBERS, subscribe={C1: ["b", "later", "b"], "c-3": []})
    subscribed = [member["subscription"] for member in result.document["members"]]
    assert subscribed == [["b", "later"], ["a", "b"], []]
    assert result.said(C1, "later", "no partition")
    assert result.said(C1, "owns partitions of a without subscribing")
    assert result.said("all topics of the group for 1 member")
    assert result.group.dropped_claims == 2
    everyone = {C1: ["a"], C2: ["b"], "c-3": ["a", "b"]}
    assert not described(TEXT, MEMBERS, subscribe=everyone).said("subscriptions")


@pytest.mark.parametrize(
    ("member", "hint"),
    [
        ("c-1", f'the whole id is needed: "{C1}"'),
        ("c-", f'the whole id is needed: "{C1}", "{C2}"'),
        ("c-1-6f1x", f'did you mean "{C1}"'),
        ("zzz", 'no member has the id "zzz"'),
    ],
)
def test_subscribe_for_nobody(member: str, hint: str) -> None:
    error = refused(TEXT, subscribe={member: ["a"]})
    assert error.place == "subscribe"
    assert hint in error.problem
    assert refused(TEXT, subscribe={C1: "a"}).place == f"subscribe.{C1}"


def test_a_group_without_members() -> None:
    text = "Consumer group 'g' has no active members.\n" + printed(
        COLUMNS, row("a", 0, "1", "2", "1", "-")
    )
    nobody = "\nConsumer group 'g' has no active members.\n"
    for members in (None, nobody):
        group = described(text, members).group
        assert (group.n_members, group.lag.tolist()) == (0, [1])


def test_one_of_several_groups() -> None:
    other = printed(COLUMNS, row("z", 0, "1", "2", "1", C1, group="h"))
    assert "2 groups" in refused(TEXT + other).problem
    assert '"g", "h"' in refused(TEXT + other).problem
    result = described(
        TEXT + other,
        MEMBERS + printed(MEMBERS_HEADER, member_row("x", "1", "z:0", group="h")),
        group="g",
    )
    assert result.document == described(TEXT, MEMBERS).document
    assert result.said("1 other group in the text")
    assert '"g", "h"' in refused(TEXT + other, group="i").problem


def test_ids_with_spaces_and_empty_client_ids() -> None:
    spaced = [
        ("my group", "a", "0", "1", "5", "4", "my client-1", "/10.0.0.1", "my client"),
        ("my group", "a", "1", "2", "5", "3", "-6f", "/10.0.0.1", ""),
    ]
    text = printed(COLUMNS, *spaced)
    for variant in (text, "\n".join(line.rstrip() for line in text.split("\n"))):
        result = described(variant)
        assert result.document["group"] == "my group"
        assert [member["id"] for member in result.document["members"]] == ["-6f", "my client-1"]


def test_clients_and_hosts_of_a_text() -> None:
    for members in (None, MEMBERS):
        group = described(TEXT, members).group
        places = [(member.client_id, member.host) for member in group.members[:2]]
        assert places == [("c-1", "10.0.0.1"), ("c-2", "10.0.0.1")]
    short = printed(("CONSUMER-ID", "#PARTITIONS", "HOST"), (C1, "2", "-"), (C2, "1", "/h"))
    group = described(TEXT, short).group
    places = [(member.client_id, member.host) for member in group.members]
    assert places == [("c-1", "10.0.0.1"), ("c-2", "h")]


def test_partitions_that_are_not_listed() -> None:
    text = printed(COLUMNS, row("a", 3, "3", "9", "6", C1), row("a", 1, "0", "1", "1", "-"))
    result = described(text)
    group = result.group
    assert group.lag.tolist() == [0, 1, 0, 6]
    assert result.said(
        "WARNING: a: 2 partitions below 3 are not listed (0, 2): is the text complete"
    )
    assert result.said("They count as empty and as owned by nobody")
    for reset in ("earliest", "none"):
        result = described(text, auto_offset_reset=reset)
        assert result.group.lag.tolist() == [0, 1, 0, 6]
        assert result.said("WARNING", "(0, 2)", reset, "count as empty")


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (row("a", "x", "1", "2", "1", C1), 'PARTITION "x" is not an integer'),
        (row("a", -1, "1", "2", "1", C1), "partition -1 is not within"),
        (row("a", 10**7, "1", "2", "1", C1), "partition 10000000 is not within"),
        (row("a", 2, "1", "2x", "-", C1), 'LOG-END-OFFSET "2x" is not an integer'),
        (row("a", 2, "1.0", "2", "-", C1), 'CURRENT-OFFSET "1.0" is not an integer'),
        (row("a", 2, "-2", "2", "-", C1), "CURRENT-OFFSET -2 is not within"),
        (row("a", 2, "1", str(2**63), "-", C1), "LOG-END-OFFSET 9223372036854775808 is not"),
        (row("a", 2, "1", "9" * 30, "-", C1), "is not an integer"),
        (row("a", 2, "1", "٢", "-", C1), "is not an integer"),
        (row("a", 2, "1", "5", "lots", C1), 'LAG "lots" is not an integer'),
        (row("a", 2, "1", "1.7K", "-", C1), 'LOG-END-OFFSET "1.7K" is not an integer'),
    ],
)
def test_rows_that_are_wrong(wrong: tuple[str, ...], problem: str) -> None:
    error = refused(printed(COLUMNS, *ROWS, wrong))
    assert (error.source, error.place) == ("d.txt", "line 7")
    assert problem in error.problem


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("", "", "empty; paste what kafka-consumer-groups --describe"),
        ("\n\n", "", "empty; paste"),
        (TEXT + "g a 2 1 x 1 c /h c\nend", "line 7", 'LOG-END-OFFSET "x" is not an integer'),
        (printed(COLUMNS, row("a", "o", "-", "12", "-", C1), *ROWS), "line 3", 'PARTITION "o" is'),
        (TEXT + "g a 2 1\nend", "line 7", "does not fit the header in line 2"),
        ("\nError: Consumer group 'g' does not exist.", "line 2", "an error reported by Kafka"),
        ("The consumer group 'g' does not exist.", "line 1", "an error reported by Kafka"),
        ("Error: Executing consumer group command failed due to x", "line 1", "failed due to x"),
        ("[2026-11-21 10:00:00,1] ERROR [A] x\nno", "line 1", "an error reported"),
    ],
)  # fmt: skip
def test_texts_that_are_wrong(text: str, place: str, problem: str) -> None:
    error = refused(text)
    assert (error.source, error.place) == ("d.txt", place)
    assert problem in error.problem


def test_too_many_partitions() -> None:
    text = printed(COLUMNS, row("a", 9_999_999, "1", "2", "1", C1), row("b", 0, "1", "2", "1", C1))
    assert "10000001 in all" in refused(text).problem


@pytest.mark.parametrize("cell", ["a(0,1), b(1)", "b(1),a(1,0)", "a:0,1;b:1"])
def test_ways_to_print_an_assignment(cell: str) -> None:
    describe = printed(COLUMNS, *ROWS[:3], row("b", 1, "5", "5", "0", C1))
    members = printed(
        ("CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS", "ASSIGNMENT"),
        (C1, "/10.0.0.1", "c", "3", cell),
        (C2, "/10.0.0.1", "c", "1", "b(0)" if "(" in cell else "b:0"),
        ("c-3", "/10.0.0.1", "c", "0", "-"),
    )
    assert len(described(describe, members).document["members"]) == 3
    wrong = members.replace(cell, cell.replace("1", "5"))
    assert "other partitions" in refused(describe, wrong).problem


def test_static_members() -> None:
    head = (*MEMBERS_HEADER[:2], "GROUP-INSTANCE-ID", *MEMBERS_HEADER[2:])
    rows = [
        (*cells[:2], instance, *cells[2:])
        for cells, instance in zip(MEMBER_ROWS, ("i-1", "", "i 3"), strict=True)
    ]
    group = described(TEXT, printed(head, *rows)).group
    assert [member.instance_id for member in group.members] == ["i-1", None, "i 3"]


@pytest.mark.parametrize(
    ("rows", "place", "problem"),
    [
        (MEMBER_ROWS[1:], "", f'member "{C1}" is missing'),
        ((*MEMBER_ROWS, MEMBER_ROWS[2]), "line 6", 'member "c-3" is listed twice'),
        ((member_row(C1, "3", "a:0,1"),), "line 3", "#PARTITIONS is 3 here, but 2 in the other"),
        ((member_row(C1, "two", "a:0,1"),), "line 3", "does not fit the header in line 2"),
        ((member_row(C1, "2", "a:0,2"),), "line 3", "other partitions"),
        ((member_row(C1, "2", "-"),), "line 3", "other partitions"),
        ((member_row("c-9", "1", "a:0"),), "line 3", "#PARTITIONS is 1 here, but 0"),
        ((member_row(C1, "2", "a:0,x"),), "line 3", "is not understood"),
        ((member_row(C1, "2", "a0"),), "line 3", "is not understood"),
        ((member_row(C1, "2", "a(0,1"),), "line 3", "is not understood"),
        ((member_row(C1, "2", ":0,1"),), "line 3", "is not understood"),
    ],
)  # fmt: skip
def test_members_that_are_wrong(
    rows: tuple[tuple[str, ...], ...], place: str, problem: str
) -> None:
    error = refused(TEXT, printed(MEMBERS_HEADER, *rows))
    assert (error.source, error.place) == ("m.txt", place)
    assert problem in error.problem


def test_the_two_texts_swapped() -> None:
    assert refused(TEXT, TEXT).source == "m.txt"
    assert "no table of members" in refused(TEXT, TEXT).problem
    assert refused(MEMBERS, TEXT).source == "d.txt"
    assert refused(TEXT, "").problem.startswith("no table of members")


def test_much_text_is_read_piece_by_piece() -> None:
    log = "2026-01-02 10:00:00 INFO [worker-1] processed 12 records of topic a in 3 ms\n" * 2_000
    shown: list[int] = []
    result = described(log + TEXT + log, show=shown.append)
    assert result.document == described(TEXT).document
    assert shown == sorted(shown)
    assert len(shown) > 3
    assert len(log) < shown[-1] <= len(log + TEXT + log)
