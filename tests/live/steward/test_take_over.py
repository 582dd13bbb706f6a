"""What removed members held, until they are back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equilag.adapters.kafka.described import ClientPlace
from equilag.live.rebalance.joined_members import JoinedMember
from equilag.live.steward.take_over import TakeOver

UUID = "00000000-0000-4000-8000-00000000000"


def held(
    name: str, partitions: Sequence[int], host: str | None = None, static: bool = False
) -> JoinedMember:
    """A member as it was described: a dynamic one has an id that begins with its client id."""
    known = {"instance_id": name} if static else {"client_id": name, "host": host}
    return JoinedMember(f"{name}-{UUID}0", ("t",), {"t": partitions}, **known)


def back(name: str, number: int = 1, static: bool = False) -> JoinedMember:
    """A member that joins, under a new member id."""
    return JoinedMember(f"{name}-{UUID}{number}", ("t",), instance_id=name if static else None)


def at(hosts: Mapping[str, str]) -> dict[str, ClientPlace]:
    return {member: ClientPlace(None, host) for member, host in hosts.items()}


def missing(take_over: TakeOver) -> list[Sequence[int]]:
    return [one.claims["t"] for one in take_over.missing]


def test_members_are_known_by_instance_id_and_by_client_id() -> None:
    take_over = TakeOver([held("s", [0], static=True), held("d", [1]), held("e", [2])], 9.0)
    assert missing(take_over) == [[1], [2], [0]]
    assert take_over.waits_for == 3
    take_over.note_joined([back("s", static=True), back("new")], {})
    assert missing(take_over) == [[1], [2]]
    take_over.note_joined([back("s", static=True), back("d"), back("e")], {})
    assert missing(take_over) == []
    assert take_over.waits_for == 0


def test_of_members_alike_all_must_be_back() -> None:
    take_over = TakeOver([held("d", [0], "x"), held("c", [1], "x"), held("d", [2], "x")], 9.0)
    one = {f"d-{UUID}1": "x"}
    take_over.note_joined([back("d", 1)], at(one))
    assert missing(take_over) == [[1], [0], [2]]
    assert take_over.waits_for == 2
    assert take_over.with_hints([back("d", 1)])[0].hints == {}
    # The first has left since: it was back all the same.
    take_over.note_joined([back("d", 2)], at({**one, f"d-{UUID}2": "x"}))
    assert missing(take_over) == [[1]]
    hints = [one.hints for one in take_over.with_hints([back("d", 1), back("d", 2)])]
    assert hints == [{"t": [0]}, {"t": [2]}]


def test_hosts_tell_members_apart_where_all_are_known() -> None:
    removed = [held("d", [0], "x"), held("d", [1], "y")]
    known = TakeOver(removed, 9.0)
    known.note_joined([back("d")], at({f"d-{UUID}1": "y"}))
    assert missing(known) == [[0]]
    assert known.with_hints([back("d")])[0].hints == {"t": [1]}
    unknown = TakeOver(removed, 9.0)
    unknown.note_joined([back("d")], {})
    assert missing(unknown) == [[0], [1]]
    unknown.note_joined([back("d", 2)], {})
    assert missing(unknown) == []


def test_members_that_held_nothing_are_not_waited_for() -> None:
    take_over = TakeOver([held("idle", []), held("d", [0])], 9.0)
    assert take_over.waits_for == 1
    take_over.note_joined([back("d")], {})
    assert (take_over.waits_for, take_over.missing) == (0, [])


def test_what_members_got_since_comes_first() -> None:
    take_over = TakeOver([held("s", [0, 1], static=True)], 9.0)
    take_over.note_joined([back("s", static=True)], {})
    claims, hints = {"t": [5]}, {"t": [1]}
    again = JoinedMember("s-2", ("t",), claims, instance_id="s")
    assert take_over.with_hints([again]) == [again]
    again = JoinedMember("s-2", ("t",), hints=hints, instance_id="s")
    assert take_over.with_hints([again]) == [again]
