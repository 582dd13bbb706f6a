"""Runs assignors written in Python, including equilag, in a separate process.

    python -m benchmarks.assignors.python_peer CASE ASSIGNOR OUT WARM_S MEASURE_S

Each is called as its users call it: the assignor of a client as by the leader of a group, with the
decoded subscription of every member; equilag from a snapshot to a plan.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from benchmarks.assignors.case import Assignment
from benchmarks.assignors.exchange import PeerAnswer, PeerFailure, write_answer
from benchmarks.assignors.measuring import Calls

Document = dict[str, Any]


class Cluster:
    """Topics with their partitions, as far as assignors use the metadata of a client."""

    def __init__(self, topics: Mapping[str, int]) -> None:
        self._partitions = {topic: set(range(size)) for topic, size in topics.items()}

    def topics(self) -> set[str]:
        return set(self._partitions)

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        return self._partitions.get(topic)


def main(arguments: list[str]) -> int:
    """Measure an assignor and write the result, or its failure."""
    case_file, assignor, out, warm, measure = arguments
    case = json.loads(Path(case_file).read_text(encoding="utf-8"))
    answer: PeerAnswer | PeerFailure
    try:
        calls, about = MAKERS[assignor](case)
        answer = calls.measure(float(warm), float(measure), about)
    except Exception as error:  # noqa: BLE001 - a peer may raise anything
        answer = PeerFailure(f"{type(error).__name__}: {error}")
    write_answer(answer, Path(out))
    return 0


def kafka_python_sticky(case: Document) -> tuple[Calls[Any, Any], str]:
    from kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
    from kafka.protocol.consumer.metadata import (
        ConsumerProtocolAssignment,
        ConsumerProtocolSubscription,
    )

    def make() -> tuple[Any, Cluster, list[Any]]:
        members = []
        for member in case["members"]:
            own = StickyPartitionAssignor()
            if member["owned"]:
                held = list(member["owned"].items())
                own.on_assignment(ConsumerProtocolAssignment(0, held, b""), case["generation"])
            sent = own.metadata(_topics(case, member)).encode()
            got = ConsumerProtocolSubscription.decode(sent)
            members.append(SimpleNamespace(member_id=member["id"], metadata=got))
        return StickyPartitionAssignor(), Cluster(case["topics"]), members

    def assign(given: tuple[Any, Cluster, list[Any]]) -> Any:
        assignor, cluster, members = given
        return assignor.assign(cluster, members)

    def name(got: Any) -> Assignment:
        return {
            member: {topic: list(numbers) for topic, numbers in answer.assigned_partitions}
            for member, answer in got.items()
        }

    return Calls(make, assign, name), f"kafka-python {version('kafka-python')}"


def equilag(case: Document) -> tuple[Calls[Any, Any], str]:
    """Run `fair-yet-sticky` if the case has no lags, and otherwise the default policy."""
    from equilag import Group, Plan, __version__, load_snapshot, solve

    snapshot = _snapshot(case)
    policy = "lag-aware" if case["lags"] is not None else "fair-yet-sticky"
    limit = float(case["time_limit_s"])

    def assign(group: Group) -> Plan:
        return solve(group, policy, time_limit=limit, tolerance=0)

    calls = Calls(
        lambda: load_snapshot(snapshot),
        assign,
        lambda plan: plan.assignment,
        prove=lambda plan: plan.claims,
    )
    return calls, f"equilag {__version__}"


def kip_169(case: Document) -> tuple[Calls[Any, Any], str]:
    """Run the published lag-based algorithm, as `equilag assign` does."""
    from equilag import Group, __version__, load_snapshot
    from equilag.domain.plan.assignment import by_name
    from equilag.heuristics.registry import get_assignor

    snapshot = _snapshot(case)
    assignor = get_assignor("lag-aware")

    def assign(group: Group) -> tuple[Group, Any]:
        return group, assignor.assign(group)

    calls = Calls(lambda: load_snapshot(snapshot), assign, lambda got: by_name(*got))
    return calls, f"equilag {__version__}"


MAKERS: Final = {
    "kafka-python-sticky": kafka_python_sticky,
    "kip-169": kip_169,
    "equilag": equilag,
}


def _topics(case: Document, member: Document) -> list[str]:
    topics: list[str] = case["subscriptions"][member["subscription"]]
    return topics


def _snapshot(case: Document) -> Document:
    """Return the case as a snapshot of equilag; this is not measured."""
    snapshot = {
        "format": "equilag/snapshot/1",
        "group": "bench",
        "topics": case["topics"],
        "subscriptions": {str(n): topics for n, topics in enumerate(case["subscriptions"])},
        "members": [
            {"id": m["id"], "subscription": str(m["subscription"]), "owned": m["owned"]}
            for m in case["members"]
        ],
        "generation": case["generation"],
    }
    return snapshot if case["lags"] is None else snapshot | {"lags": case["lags"]}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
