"""The assignors as their clients call them, without a broker: what they send and accept."""

from __future__ import annotations

import asyncio
import logging
from types import SimpleNamespace

import pytest

from equilag.domain.policy.policy import Policy
from equilag.live.consumers import aiokafka as aio
from equilag.live.consumers import kafka_python as plain
from equilag.live.consumers.lag_source import LiveLag, StaticLag
from equilag.live.consumers.user_data import OwnedPartitions, decode, encode

LAGS = {"t": [9000, 8000, 7000, 100, 90, 80]}
SIZES = {"t": 6}
EVERYTHING = [("t", number) for number in range(6)]
STATIC = {"lag": StaticLag(LAGS)}

Subscription = plain.ConsumerProtocolSubscription
Metadata = aio.ConsumerProtocolMemberMetadata


def cluster(sizes):
    """Broker n has the rack r<n>; partition p is on broker p % 2 only."""

    def partitions_for_topic(topic):
        return set(range(sizes[topic])) if topic in sizes else None

    brokers = [SimpleNamespace(node_id=n, nodeId=n, rack=f"r{n}") for n in range(2)]
    on = [SimpleNamespace(replicas=[n], replica_nodes=[n]) for n in range(2)]
    return SimpleNamespace(
        partitions_for_topic=partitions_for_topic,
        brokers=lambda: brokers,
        _partitions={topic: {p: on[p % 2] for p in range(n)} for topic, n in sizes.items()},
    )


def request(name, metadata):
    """A join request as kafka-python hands it to an assignor."""
    decoded = Subscription.decode(metadata.encode())
    return SimpleNamespace(member_id=name, group_instance_id=None, metadata=decoded)


class ByKafkaPython:
    kind = plain.EquilagAssignor

    def __call__(self, members, sizes=SIZES, **settings):
        """What each of the members (name, topics, user data) gets."""
        one = self.kind.configured(**{**STATIC, **settings})()
        joined = [
            request(name, Subscription(version=0, topics=topics, user_data=data))
            for name, topics, data in members
        ]
        return assigned(one.assign(cluster(sizes), joined))


class ByAiokafka(ByKafkaPython):
    kind = aio.EquilagAssignor

    def __call__(self, members, sizes=SIZES, **settings):
        one = self.kind.configured(**{"loop_limit": 5.0, **STATIC, **settings})
        metadata = {
            n: Metadata.decode(Metadata(0, topics, data).encode()) for n, topics, data in members
        }
        return assigned(one.assign(cluster(sizes), metadata))


def assigned(answer):
    return {name: sorted(tuple(tp) for tp in one.partitions()) for name, one in answer.items()}


both = pytest.mark.parametrize("assign", [ByKafkaPython(), ByAiokafka()])


def everything(answer):
    return sorted(pair for pairs in answer.values() for pair in pairs)


@both
def test_members_keep_what_they_owned_before(assign) -> None:
    held = {"a": (0, 5), "b": (1, 4), "c": (2, 3)}
    members = [(n, ["t"], encode(OwnedPartitions({"t": p}, 3))) for n, p in held.items()]
    assert assign(members) == {n: [("t", one) for one in p] for n, p in held.items()}
    # The newer one of two claims counts.
    members[0] = ("a", ["t"], encode(OwnedPartitions({"t": (2, 3)}, 2)))
    assert assign(members)["c"] == [("t", 2), ("t", 3)]


@both
def test_members_read_in_their_racks(assign) -> None:
    racks = {"a": "r1", "b": "r0"}
    members = [(name, ["t"], encode(OwnedPartitions(), rack)) for name, rack in racks.items()]
    answer = assign(members, policy=Policy(rack_aware=True))
    assert answer == {"a": EVERYTHING[1::2], "b": EVERYTHING[::2]}


def test_a_member_sends_its_rack() -> None:
    for one in (
        plain.EquilagAssignor.configured(rack="r1")(),
        aio.EquilagAssignor.configured(rack="r1"),
    ):
        assert decode(one.metadata({"t"}).user_data).rack == "r1"
    one = plain.CooperativeEquilagAssignor.configured(rack="r1")()
    member = request("a", one.metadata({"t"}))
    assert (member.metadata.version, member.metadata.rack_id) == (3, "r1")
    assert one._joined_member(member).rack == "r1"


@both
def test_unreadable_user_data(assign, caplog: pytest.LogCaptureFixture) -> None:
    unknown = encode(OwnedPartitions({"x": (9,)}))
    answer = assign([("a", ["t"], b"other"), ("b", ["t"], b""), ("c", ["t"], unknown)])
    assert everything(answer) == EVERYTHING
    assert "the owned partitions of member a cannot be read" in caplog.text
    assert "member b" not in caplog.text


@both
def test_members_without_existing_topics(assign) -> None:
    assert assign([("a", [], b""), ("b", ["t", "unknown"], b"")]) == {"a": [], "b": EVERYTHING}
    assert assign([("a", ["unknown"], b"")]) == {"a": []}
    assert assign([("a", ["t"], b"")], {}) == {"a": []}


@both
def test_without_its_consumer_a_heuristic_answers(assign, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "equilag"):
        answer = assign([("a", ["t"], b""), ("b", ["t"], b"")], lag=LiveLag())
    assert everything(answer) == EVERYTHING
    assert "the consumer was not found" in caplog.text


def test_an_eager_member_sends_what_it_owned() -> None:
    one = plain.EquilagAssignor()
    assert one.supported_protocols() == [plain.RebalanceProtocol.EAGER]
    metadata = one.metadata({"u", "t"})
    assert (metadata.version, metadata.topics) == (0, ["t", "u"])
    assert metadata.user_data == encode(OwnedPartitions())
    given = plain.ConsumerProtocolAssignment(0, [("t", [2, 1])], b"")
    one.on_assignment(plain.ConsumerProtocolAssignment.decode(given.encode()), 5)
    assert one.metadata({"t"}).user_data == encode(OwnedPartitions({"t": (1, 2)}, 5))


def test_a_cooperative_member_sends_what_it_owns() -> None:
    one = plain.CooperativeEquilagAssignor()
    assert one.supported_protocols() == [plain.RebalanceProtocol.COOPERATIVE]
    given = plain.ConsumerProtocolAssignment(1, [("t", [2, 1])], b"")
    one.on_assignment(plain.ConsumerProtocolAssignment.decode(given.encode()), 5)
    metadata = Subscription.decode(one.metadata({"t"}).encode())
    assert (metadata.version, metadata.generation_id) == (2, 5)
    assert [(o.topic, list(o.partitions)) for o in metadata.owned_partitions] == [("t", [1, 2])]


def test_owned_partitions_of_a_cooperative_member_are_withheld() -> None:
    held = [Subscription.TopicPartition(topic="t", partitions=list(range(6)))]
    members = [
        request(name, Subscription(2, ["t"], b"", owned_partitions=owned, generation_id=1))
        for name, owned in (("a", held), ("b", []))
    ]
    one = plain.CooperativeEquilagAssignor.configured(**STATIC)()
    answer = assigned(one.assign(cluster(SIZES), members))
    assert (len(answer["a"]), answer["b"]) == (3, [])


def test_the_state_of_aiokafka_belongs_to_its_coordinator() -> None:
    """Two consumers in one process share the class, but no state."""

    class Coordinator(aio.GroupCoordinator):
        def __init__(self, generation) -> None:
            self.generation, self.group_id = generation, "g"
            self._session_timeout_ms = 10_000
            names = (f"_{name}" for name in aio._SETTINGS)
            self._client = SimpleNamespace(**dict.fromkeys(names))
            self._subscription = SimpleNamespace(subscription=SimpleNamespace(topics={"t"}))
            self._cluster = cluster({})

        def metadata(self):
            return aio.EquilagAssignor.metadata({"t"})

        def given(self, numbers):
            one = aio.ConsumerProtocolMemberAssignment(0, [("t", numbers)], b"")
            aio.EquilagAssignor.on_assignment(one)

    async def run() -> None:
        first, second = Coordinator(3), Coordinator(4)
        first.given([1, 0])
        second.given([2])
        assert first.metadata().user_data == encode(OwnedPartitions({"t": (0, 1)}, 3))
        assert second.metadata().user_data == encode(OwnedPartitions({"t": (2,)}, 4))

    asyncio.run(run())
