"""Groups of real members on a real broker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final
from uuid import UUID

from confluent_kafka import Consumer, ConsumerGroupState
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from support.child_consumer import ChildConsumer

from benchmarks.waiting import until
from equilag.adapters.kafka.client_config import Config

Partition = tuple[str, int]

CLASSIC: Final = {"session.timeout.ms": 6000, "heartbeat.interval.ms": 200}
RANGE: Final = {**CLASSIC, "partition.assignment.strategy": "range"}
STICKY: Final = {**CLASSIC, "partition.assignment.strategy": "cooperative-sticky"}
KIP_848: Final = {"group.protocol": "consumer"}
QUICK: Final = {"fetch.wait.max.ms": 20, "enable.auto.commit": False}
"""A consumer answers calls only after its fetches."""


def every_partition(topics: Mapping[str, int]) -> list[Partition]:
    """Return all partitions of topics with these sizes, ascending."""
    return sorted((topic, number) for topic, size in topics.items() for number in range(size))


@contextmanager
def pairs(
    config: Config,
    kinds: Mapping[str, Mapping[str, Any]],
    topics: Sequence[Sequence[str]],
    partitions: list[Partition],
) -> Iterator[dict[str, list[ChildConsumer]]]:
    """Groups with a member for each subscription of `topics`, mostly two; kinds maps a group to its
    members' settings. Waits until the members share `partitions` for good.

    A `group.instance.id` gets the member's number appended.
    """
    with ExitStack() as stack:
        made: dict[str, list[ChildConsumer]] = {}
        for name, settings in kinds.items():
            for number, subscribed in enumerate(topics):
                own = {"group.id": name, "client.rack": f"rack-{number}", **QUICK, **settings}
                if "group.instance.id" in settings:
                    own["group.instance.id"] = f"{settings['group.instance.id']}-{number}"
                member = ChildConsumer({**config, **own})
                stack.callback(member.close)
                member.subscribe(list(subscribed))
                made.setdefault(name, []).append(member)
        everybody = [member for members in made.values() for member in members]
        admin = AdminClient(dict(config))

        def stable() -> bool:
            """Whether no member has to give up a partition for another one."""
            told = admin.describe_consumer_groups(list(made)).values()
            return all(one.result().state is ConsumerGroupState.STABLE for one in told)

        def shared() -> bool:
            for member in everybody:
                member.poll(0.01)
            return all(
                all(map(owned_by, members))
                and sorted(tp for member in members for tp in owned_by(member)) == partitions
                for members in made.values()
            )

        # Each look polls first: a rebalance that is under way waits for its members' polls.
        until(lambda: shared() and stable() and shared())
        yield made


def owned_by(member: ChildConsumer) -> list[Partition]:
    return sorted((one.topic, one.partition) for one in member.assignment())


def add_user(admin: AdminClient, name: str, password: str) -> None:
    """Add a user who may log in at `Broker.sasl` and has no other right."""
    information = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
    made = UserScramCredentialUpsertion(name, information, password.encode())
    for future in admin.alter_user_scram_credentials([made]).values():
        future.result()


def allow(
    admin: AdminClient,
    user: str,
    kind: ResourceType,
    name: str,
    what: AclOperation = AclOperation.DESCRIBE,
) -> None:
    """Allow a user an operation on one group or topic."""
    binding = AclBinding(
        kind, name, ResourcePatternType.LITERAL, f"User:{user}", "*",
        what, AclPermissionType.ALLOW,
    )  # fmt: skip
    for future in admin.create_acls([binding]).values():
        future.result()


def login(user: str, password: str) -> dict[str, str]:
    """Settings of librdkafka, to log in at `Broker.sasl`."""
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "SCRAM-SHA-256",
        "sasl.username": user,
        "sasl.password": password,
    }


def login_properties(user: str, password: str) -> str:
    """The same settings as a file of Kafka's own tools."""
    module = "org.apache.kafka.common.security.scram.ScramLoginModule required"
    return (
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-256\n"
        f'sasl.jaas.config={module} username="{user}" password="{password}";\n'
    )


class Kip848Members:
    """Consumers of a KIP-848 group in this thread, polled whenever somebody looks at them."""

    def __init__(self, bootstrap: str, topic: str, **settings: str) -> None:
        """Of one topic; the group has its name. `settings` are librdkafka's."""
        self._topic = topic
        self._settings = {
            "bootstrap.servers": bootstrap,
            "group.id": topic,
            "group.protocol": "consumer",
            "log_level": 0,
            **settings,
        }
        self.running: list[Consumer] = []

    def add(self) -> None:
        consumer = Consumer(self._settings)
        consumer.subscribe([self._topic])
        self.running.append(consumer)

    def held(self) -> list[list[int]]:
        """The partitions of each member. Raises KafkaException if one has ended."""
        for consumer in self.running:
            message = consumer.poll(0.02)
            assert message is None or not message.error(), message.error()
        return [sorted(one.partition for one in each.assignment()) for each in self.running]

    def plan(self, topic: UUID, shares: list[list[int]]) -> dict[str, dict[UUID, list[int]]]:
        ids = [consumer.memberid() for consumer in self.running]
        return {one: {topic: share} for one, share in zip(ids, shares, strict=True)}

    def close(self) -> None:
        while self.running:
            self.running.pop().close()
