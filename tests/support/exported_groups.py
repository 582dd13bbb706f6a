"""Groups that an exporter reads, at times of the test's making."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from equilag.adapters.kafka.described import DescribedMember
from equilag.adapters.kafka.reading import Reading, TopicOffsets
from equilag.domain.errors import EquilagError
from equilag.domain.policy.policy import Policy
from equilag.live.exporter.exporter import Exporter, ExporterFacts, GroupsRead
from equilag.live.exporter.group_answer import GroupAnswer, ScaleFacts
from equilag.live.exporter.group_scaler import GroupScaler
from equilag.live.exporter.watched_group import JudgeSettings
from equilag.live.status.metric_families import gauges, steward_families
from equilag.live.status.steward_facts import StewardFacts
from equilag.live.status.steward_parts import StewardPlan
from equilag.planner.sizes.scaling import ScaleSettings
from equilag.planner.worth.thresholds import VerdictLimits


def reading(group: str, ends: Sequence[int], committed: Sequence[int], members: int = 2) -> Reading:
    """A topic ``t`` whose partitions are dealt to the members in turn."""
    numbers = range(len(ends))
    made = [
        DescribedMember(
            f"{group}-{one}", ("t",), client_id=f"{group}-{one}",
            owned={"t": [number for number in numbers if number % members == one]},
        )
        for one in range(members)
    ]  # fmt: skip
    offsets = TopicOffsets(
        {"t": len(ends)}, {"t": [0] * len(ends)}, {"t": [*ends]}, {"t": [*committed]}
    )
    return Reading(group, "classic", "Stable", "range", "2026-11-22T00:00:00Z", made, offsets)


@dataclass
class Cluster:
    """What is read next."""

    groups: list[Reading] = field(default_factory=list)
    left_out: Mapping[str, str] = field(default_factory=dict)
    error: EquilagError | None = None
    age_s: float = 0.0

    def __call__(self) -> GroupsRead:
        if self.error is not None:
            raise self.error
        return GroupsRead(self.groups, self.left_out, self.age_s)


def exporter_of(cluster: Cluster, capacity: float | None = 100.0) -> Exporter:
    """Members read so many records per second."""
    policy = Policy() if capacity is None else Policy(capacity=[("*", capacity)])
    judge = JudgeSettings(VerdictLimits(), policy, "latest")
    return Exporter(cluster, judge, lambda _: GroupScaler(ScaleSettings(), None, policy))


def served_families() -> list[Any]:
    """All that exporter and steward serve: a group whose every figure is 1."""
    unknown = {one.name: 1 for one in fields(StewardFacts) if one.default is None}
    plan = StewardPlan("", "", "", 1.0, 1.0, 1.0, 1.0, 1, (), 1.0, 1.0)
    facts = StewardFacts(**{**unknown, "group": "x", "role": "leader", "problem": None,
                            "last_plan": plan})  # fmt: skip
    scale = ScaleFacts(1, (1, 2), 1, 1, "")
    figures = dict.fromkeys((one.name for one in fields(GroupAnswer)), 1.0)
    texts = dict.fromkeys(("group", "action", "cause", "headline"), "x")
    answer = GroupAnswer(**{**figures, **texts, "causes": (), "scale": scale})  # type: ignore[arg-type]
    return [*steward_families(facts, [answer]), *gauges("equilag_exporter", [ExporterFacts()])]


def served_names() -> set[str]:
    """The names of all metrics, as queries have them."""
    total = {"counter": "_total"}
    return {f"{one.name}{total.get(one.type, '')}" for one in served_families()}
