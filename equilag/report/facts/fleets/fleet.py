"""A fleet run: how its groups are planned, the worst ones, its assignors, faults and failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final

from equilag.planner.compare import CURRENT
from equilag.report.facts.facts_json import facts_json
from equilag.report.facts.fleets.fleet_gaps import BAND_LIMITS
from equilag.report.facts.fleets.fleet_run import FailedGroup, FleetReport, GroupRow
from equilag.report.facts.fleets.fleet_throughput import FleetThroughputFacts, fleet_throughput
from equilag.report.facts.fleets.fleet_verdict import FleetVerdictFacts, fleet_verdict

FORMAT: Final = "equilag/fleet-report/1"


@dataclass(frozen=True, slots=True)
class PlannedFacts:
    """The groups that have a plan."""

    groups: int
    partitions: int
    members: int
    moves: int
    optimal: int
    optimal_by_solver: int
    """Of these, the ones that rest on a solver's word."""
    median_gap_percent: float | None
    """None, as `p95_gap_percent`, without any group."""
    p95_gap_percent: float | None
    unowned: int
    """Partitions that nobody owns, in `unowned_groups` groups, with `unowned_lag` in all."""
    unowned_groups: int
    unowned_lag: int


@dataclass(frozen=True, slots=True)
class FleetSettingsFacts:
    weight: str
    policy: str
    effort_s: float
    seed: int
    rules: int
    horizon_s: float


@dataclass(frozen=True, slots=True)
class FleetAssignorFacts:
    """What an assignor would do with all groups; None where there is no group to say it of."""

    name: str
    groups: int
    failed: int
    median_gap_percent: float | None
    mean_gap_percent: float | None
    p95_gap_percent: float | None
    even_counts: int
    moves: int | None
    ms_per_group: float | None


@dataclass(frozen=True, slots=True)
class FaultFacts:
    name: str
    count: int
    groups: int


@dataclass(frozen=True, slots=True)
class ForecastFacts:
    """How far the forecast was off on samples held back, in records and in percent of the lag."""

    partitions: int
    error: float
    error_percent: float | None
    error_unchanged: float
    """Of the forecast that nothing changes."""
    error_unchanged_percent: float | None


@dataclass(frozen=True, slots=True)
class FailedKindFacts:
    kind: str
    groups: tuple[FailedGroup, ...]


@dataclass(frozen=True, slots=True)
class FleetFacts:
    kind: ClassVar[str] = "fleet"

    report: FleetReport
    at: str
    verdict: FleetVerdictFacts
    planned: PlannedFacts
    failed_by_kind: tuple[tuple[str, int], ...]
    """The most frequent first."""
    settings: FleetSettingsFacts
    throughput: FleetThroughputFacts | None
    """None where no group's rates and capacities are known."""
    worst: tuple[GroupRow, ...]
    assignors: tuple[FleetAssignorFacts, ...]
    samples: int
    faults: tuple[FaultFacts, ...]
    forecast: ForecastFacts | None
    """None if there was nothing to try it on."""
    failures: tuple[FailedKindFacts, ...]
    """The most frequent kind first."""
    every_group: bool = False
    """True if the document has all groups, not only the worst ones."""

    @property
    def size(self) -> int:
        return len(self.report.groups) if self.every_group else 0

    @property
    def groups(self) -> int:
        return self.planned.groups + sum(count for _, count in self.failed_by_kind)

    @property
    def failed(self) -> int:
        return sum(len(kind.groups) for kind in self.failures)

    def _throughput(self) -> dict[str, Any]:
        if self.throughput is None:
            return {}
        behind = facts_json(self.throughput.behind)
        return {"throughput": {"groups": self.throughput.counts, "behind": behind}}

    def document(self) -> dict[str, Any]:
        """The report's JSON: the summary as it is, the worst groups, all failures."""
        every = facts_json(self.report.groups) if self.every_group else None
        return {
            "format": FORMAT,
            "directory": self.report.path,
            "verdict": asdict(self.verdict),
            "settings": self.report.summary["settings"],
            "evidence": dict(Counter(str(row.evidence) for row in self.report.groups)),
            "summary": self.report.summary,
            **self._throughput(),
            "gaps": {
                "limits_percent": list(BAND_LIMITS),
                "assignors": facts_json(self.report.gaps),
            },
            "worst": facts_json(self.worst),
            **({} if every is None else {"groups": every}),
            "failures": facts_json(self.report.failures),
        }


def fleet_facts(report: FleetReport, top: int, *, every_group: bool = False) -> FleetFacts:
    """The facts of a run, with its `top` worst groups, or with all of them as well."""
    summary = report.summary
    kinds: dict[str, list[FailedGroup]] = {}
    for failed in report.failures:
        kinds.setdefault(failed.kind, []).append(failed)
    by_kind = [FailedKindFacts(kind, tuple(groups)) for kind, groups in kinds.items()]
    counts: Mapping[str, int] = summary["failed"]["by_kind"]
    return FleetFacts(
        report=report,
        at=summary["at"],
        verdict=fleet_verdict(report, summary["settings"]["weight"]),
        planned=_planned(summary["planned"]),
        failed_by_kind=tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))),
        settings=_settings(summary["settings"]),
        throughput=fleet_throughput(report.throughput, top),
        worst=report.groups[:top],
        assignors=tuple(_assignor(row) for row in summary["assignors"]),
        samples=summary["quality"]["samples"],
        faults=tuple(
            FaultFacts(name, fault["count"], fault["groups"])
            for name, fault in summary["quality"]["faults"].items()
            if fault["count"]
        ),
        forecast=_forecast(summary["forecast"]),
        failures=tuple(sorted(by_kind, key=lambda found: (-len(found.groups), found.kind))),
        every_group=every_group,
    )


def _planned(planned: Mapping[str, Any]) -> PlannedFacts:
    return PlannedFacts(
        groups=planned["groups"],
        partitions=planned["partitions"],
        members=planned["members"],
        moves=planned["moves"],
        optimal=planned["by_status"].get("optimal", 0),
        median_gap_percent=planned["median_gap_percent"],
        p95_gap_percent=planned["p95_gap_percent"],
        # Runs from before these were counted have none.
        optimal_by_solver=planned.get("optimal_by_solver", 0),
        unowned=planned.get("unowned", 0),
        unowned_groups=planned.get("unowned_groups", 0),
        unowned_lag=planned.get("unowned_lag", 0),
    )


def _settings(settings: Mapping[str, Any]) -> FleetSettingsFacts:
    return FleetSettingsFacts(
        weight=str(settings["weight"]),
        policy=str(settings["policy"]["name"]),
        effort_s=settings["effort"],
        seed=settings["seed"],
        rules=len(settings["rules"]),
        horizon_s=settings["horizon_s"],
    )


def _assignor(row: Mapping[str, Any]) -> FleetAssignorFacts:
    current, groups = row["assignor"] == CURRENT, row["groups"]
    return FleetAssignorFacts(
        name=str(row["assignor"]),
        groups=groups,
        failed=row.get("failed") or 0,
        median_gap_percent=row["median_gap_percent"],
        mean_gap_percent=row["mean_gap_percent"],
        p95_gap_percent=row["p95_gap_percent"],
        even_counts=row["even_counts"],
        moves=None if current else row["moves"],
        ms_per_group=None if current or not groups else row["wall_ms"] / groups,
    )


def _forecast(forecast: Mapping[str, Any]) -> ForecastFacts | None:
    if not forecast["partitions"]:
        return None
    return ForecastFacts(
        partitions=forecast["partitions"],
        error=forecast["mean_error"],
        error_percent=forecast.get("error_percent"),
        error_unchanged=forecast["mean_error_unchanged"],
        error_unchanged_percent=forecast.get("error_percent_unchanged"),
    )
