"""Carriers and the coordinator that they share, which a test sets. No broker."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from support.plain_fakes import FakeClient

from equilag.live.carrier.carriers import TOPICS, GroupCarriers
from equilag.live.carrier.plug_in import ASSIGNORS, PLUG_IN
from equilag.live.steward.membership_errors import Unreachable

ID = UUID(int=1)
NOT_COORDINATOR = 16


class FakeGroup(FakeClient):
    """A client of a cluster with one group, whose members hold what its last plan gave."""

    def __init__(self) -> None:
        super().__init__({})
        self.settings = {node: {ASSIGNORS: f"uniform,{PLUG_IN}"} for node in (1, 2)}
        self.errors: Iterator[int] = iter(())
        """Codes in the next descriptions of the group."""
        self.lookups = 0
        self.racks: dict[str, str] = {}
        self.named: list[str] = []
        """Topics that carriers named."""

    def coordinator(self, group: str, wait_ms: int | None = None) -> int:
        self.lookups += 1
        return 1

    def ConsumerGroupHeartbeatRequest(self, _: int, request: Any) -> Any:  # noqa: N802
        self.named += request.subscribed_topic_names or ()
        self.racks[request.member_id] = request.rack_id or self.racks[request.member_id]
        return SimpleNamespace(error_code=0, member_epoch=request.member_epoch + 1)

    def ConsumerGroupDescribeRequest(self, *_: Any) -> Any:  # noqa: N802
        share = SimpleNamespace(topic_partitions=[SimpleNamespace(topic_id=ID, partitions=[0, 1])])
        worker = SimpleNamespace(member_id="w", assignment=share, target_assignment=share)
        members = [worker, *(SimpleNamespace(member_id=name) for name in self.racks)]
        group = {"group_state": "Stable", "error_code": next(self.errors, 0), "members": members}
        return SimpleNamespace(groups=[SimpleNamespace(**group)])


def test_the_coordinator_is_looked_up_once_for_all_carriers() -> None:
    cluster: Any = FakeGroup()
    carriers = GroupCarriers(cluster, "g", least=3)
    carriers.bring({"w": {ID: [0, 1]}}, {ID: 2}, 1)
    carriers.keep()
    assert carriers.step() == "owned"
    assert (len(cluster.racks), cluster.lookups) == (3, 1)


def test_the_group_is_assigned_anew_only_for_another_plan() -> None:
    cluster: Any = FakeGroup()
    carriers = GroupCarriers(cluster, "g")
    carriers.bring({"w": {ID: [0, 1]}}, {ID: 2}, 1)
    before = cluster.racks["equilag-carrier-0"]
    carriers.bring({"w": {ID: [0, 1]}}, {ID: 2}, 2)
    assert set(cluster.named) == {TOPICS[0]}
    assert cluster.racks["equilag-carrier-0"] != before
    carriers.bring({"w": {ID: [0]}, "x": {ID: [1]}}, {ID: 2}, 3)
    assert cluster.named[-1] == TOPICS[1]


def test_a_description_with_an_error_says_nothing_of_a_plan() -> None:
    cluster: Any = FakeGroup()
    carriers = GroupCarriers(cluster, "g")
    carriers.bring({"w": {ID: [0, 1]}}, {ID: 2}, 1)
    cluster.errors = iter([NOT_COORDINATOR])
    with pytest.raises(Unreachable, match="NOT_COORDINATOR"):
        carriers.step()
    assert carriers.step() == "owned"
    assert cluster.lookups == 2
