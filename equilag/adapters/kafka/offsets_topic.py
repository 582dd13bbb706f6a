"""Reading `__consumer_offsets` with a consumer that neither joins a group nor commits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from equilag.adapters.kafka.client_config import Config, servers
from equilag.adapters.kafka.cluster import Cluster, connected
from equilag.adapters.kafka.command_config import kafka_errors_named
from equilag.adapters.kafka.described import MissingRight, needs_describe
from equilag.adapters.kafka.group_state import keep
from equilag.domain.errors import EquilagError, InputError

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Message

T = TypeVar("T")

TOPIC: Final = "__consumer_offsets"

REQUEST_S: Final = 30.0
"""Per request of a fleet run, which can wait longer than a command."""
_RECORDS_PER_CALL: Final = 2_000
"""Records per call of `consume`: few enough to check the deadline often."""
_POLL_S: Final = 0.2
"""The longest wait for a record before the deadline is checked again."""
# Offsets committed in a transaction count once the transaction commits, so those of aborted and
# open transactions must stay unseen. fetch.wait.max.ms is how late the end of the log is reported.
_SETTINGS: Final[dict[str, str | int | bool]] = {
    "isolation.level": "read_committed",
    "auto.offset.reset": "earliest",
    "enable.partition.eof": True,
    "fetch.wait.max.ms": 50,
}


GRACE_S: Final = 10.0
"""librdkafka ends a call at its own limit; one that is not back so long after it never will be."""

# Nothing joins or commits under this name, but a consumer needs one.
_UNUSED_GROUP: Final = "equilag-reads-without-a-group"


class HangingClient(EquilagError):
    """A call of librdkafka that has not returned, although its own time limit is over."""


def bounded(what: str, call: Callable[[], T], seconds: float) -> T:
    """Return the result of a call that waits in C.

    Ctrl-C ends the wait at once, and `HangingClient` after `seconds` names the call. Neither ends
    the call itself: it goes on in a thread that does not keep the process alive.
    """
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(call())
        except BaseException as error:  # noqa: BLE001  the waiting thread raises it
            answer.set_exception(error)

    threading.Thread(target=run, name=f"librdkafka {what}", daemon=True).start()
    if wait([answer], seconds).not_done:
        problem = f"librdkafka's {what} has not returned after {seconds:g} s; try again"
        raise HangingClient(problem)
    return answer.result()


def close(consumer: Consumer) -> None:
    """Close a consumer. One that hangs is left behind: what it read is complete."""
    with suppress(HangingClient):
        bounded("close", consumer.close, GRACE_S)


def reading_client(config: Config, settings: Mapping[str, str | int | bool]) -> Consumer:
    """Return a consumer that neither joins a group nor commits. Raises InputError, MissingExtra."""
    alone = {
        "group.id": _UNUSED_GROUP,
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
    }
    with kafka_errors_named(config):
        from confluent_kafka import Consumer

        return Consumer({**config, **settings, **alone})


@dataclass(slots=True)
class PartitionRecords:
    """One partition between `begin` and `end`; `end` lies before any open transaction.

    `survivors` has the last value of each key that was not deleted, in offset order. `read` counts
    all records. `held_back` counts the offsets from `end` on that wait for a transaction to end.
    """

    partition: int
    begin: int
    end: int
    held_back: int
    read: int = 0
    survivors: dict[bytes, bytes] = field(default_factory=dict)


def partitions(cluster: Cluster) -> list[int]:
    """Return the topic's partition numbers; none in a cluster that never had a group. Raises
    MissingRight, NoAnswer."""
    return sorted(_leaders(cluster))


def _leaders(cluster: Cluster) -> dict[int, int]:
    topics = cluster.topics([TOPIC])
    if topics.forbidden:
        raise MissingRight(needs_describe("Topic", [TOPIC]), "", cluster.servers)
    return topics.found.get(TOPIC, {})


def read_partition(config: Config, partition: int, deadline_s: float) -> PartitionRecords:
    """Read all records of one partition that exist at the start.

    Raises InputError if that takes more than `deadline_s` seconds (with the offset reached), if the
    cluster does not answer, or if the topic may not be read; MissingExtra.
    """
    give_up = time.monotonic() + deadline_s
    records = _bounds(config, partition)
    if records.begin < records.end:
        with kafka_errors_named(config):
            consumer = reading_client(config, _SETTINGS)
            try:
                read = partial(_read, consumer, records, give_up, config)
                bounded("consume", read, deadline_s + GRACE_S)
            finally:
                close(consumer)
    return records


def check_not_empty(config: Config, in_log: int, read: int) -> None:
    """Raise InputError if the partitions have `in_log` offsets in all, but none was `read`.

    That is the sign of missing rights or of a silently failing client, not of a cluster without
    groups.
    """
    if in_log > 0 and read == 0:
        problem = f"0 records were read, though its partitions hold {in_log} offsets"
        raise InputError(problem, TOPIC, servers(config))


def _place(partition: int) -> str:
    return f"{TOPIC}[{partition}]"


def _bounds(config: Config, partition: int) -> PartitionRecords:
    tp = TOPIC, partition
    with connected(config, REQUEST_S) as cluster:
        leaders = _leaders(cluster)
        if partition not in leaders:
            raise InputError("no such partition", _place(partition), servers(config))
        stable, problems = cluster.ends([tp], {TOPIC: leaders}, committed=True)
        written, more = cluster.ends([tp], {TOPIC: leaders})
    if problems or more:
        raise InputError((problems | more)[tp], _place(partition), servers(config))
    begin, end = stable[tp]
    return PartitionRecords(partition, begin, end, max(written[tp][1] - end, 0))


def _read(consumer: Consumer, records: PartitionRecords, give_up: float, config: Config) -> None:
    """Fill `records`. If a transaction marker is last, no record is at the end: EOF tells."""
    from confluent_kafka import TopicPartition

    consumer.assign([TopicPartition(TOPIC, records.partition, records.begin)])
    position = records.begin
    complaint = ""
    while position < records.end:
        # First take what is ready, only then wait: `consume` waits for a full batch.
        for message in consumer.consume(_RECORDS_PER_CALL, 0) or consumer.consume(1, _POLL_S):
            if message.error() is not None:
                ended, complaint = _remark(message, records.partition, config)
                if ended:
                    return
                continue
            position = _take(records, message)
            if position >= records.end:
                return
        if time.monotonic() > give_up:
            done = f"read only up to offset {position} of {records.end} within the time limit"
            problem = f"{done}: {complaint}" if complaint else done
            raise InputError(problem, _place(records.partition), servers(config))


def _take(records: PartitionRecords, message: Message) -> int:
    """Keep the record. Return the offset after it."""
    offset = message.offset()
    assert offset is not None
    if offset < records.end:
        records.read += 1
        key = message.key()
        if key is not None:
            keep(records.survivors, key, message.value())
    return offset + 1


def _remark(message: Message, partition: int, config: Config) -> tuple[bool, str]:
    """Return whether the message reports the end, and a complaint that may be transient.

    Raises InputError for permanent errors.
    """
    from confluent_kafka import KafkaError

    error = message.error()
    assert error is not None
    if error.code() == KafkaError._PARTITION_EOF:
        return True, ""
    if error.fatal() or error.code() in (
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError._UNKNOWN_PARTITION,
        KafkaError._AUTHENTICATION,
    ):
        raise InputError(error.str(), _place(partition), servers(config))
    # Without the right to read a group a consumer that joins none loses nothing.
    return False, "" if error.code() == KafkaError.GROUP_AUTHORIZATION_FAILED else error.str()
