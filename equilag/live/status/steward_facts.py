"""A steward at one moment: what it decides and why, its group, what it did last.

The status on the screen, `/status`, the metrics and the live page read these facts, and compute
nothing of their own. Times are RFC 3339 in UTC.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from equilag.domain.document import to_document
from equilag.domain.errors import InputError
from equilag.domain.plan.verdict import CauseFacts
from equilag.live.status.steward_parts import (
    StewardDecision,
    StewardEvent,
    StewardMember,
    StewardMove,
    StewardPlan,
    StewardSettings,
)

STATUS_FORMAT: Final = "equilag/steward-status/1"
PlanStep = Literal["", "brought", "assigned", "owned"]
"""How far a plan has come: to the brokers, to the members' targets, to what members own."""
Role = Literal[
    "starting", "dry-run", "leader", "follower", "standby", "passive", "unreachable", "stopped"
]
OLD_NAMES: Final = {"verdict": "decision_reason"}
"""Names that docs/live.md once had for what has another name now."""


@dataclass(frozen=True, slots=True)
class StewardFacts:
    """The newest known values; None while a value is unknown. The names are those of `/status`."""

    at: str = ""
    """When these facts were collected."""
    version: str = ""
    """Of equilag."""
    group: str = ""
    """Name of the consumer group."""
    instance: str = ""
    """The steward's group.instance.id."""
    role: Role = "starting"
    """What it is in the group."""
    role_reason: str = ""
    """Why; may be empty."""
    healthy: bool = False
    """True if there is no problem."""
    problem: str | None = None
    """Why it is not healthy."""
    degraded: bool = False
    """True if it is healthy, but no steward leads the group."""
    headline: str = ""
    """What it does, and why, in one line."""
    tone: Literal["good", "act", "bad"] = "act"
    """``good``: nothing to do. ``act``: it waits or rebalances. ``bad``: somebody has to act."""
    decision: str = ""
    """The kind of the last decision, such as ``even``; empty while it does not lead."""
    decision_reason: str = ""
    """The reason of the last decision."""
    generation: int = -1
    """Generation of the group; -1 for unknown."""
    protocol: str = ""
    """Assignor that the group uses; may be empty."""
    members: int = 0
    """Members of the group, without the steward."""
    partitions: int = 0
    """Partitions that the members subscribe to."""
    unowned_partitions: int = 0
    """Subscribed partitions without an owner."""
    take_over_waits_for: int = 0
    """Members that a take-over removed and that are not back yet."""
    coordinator_silent: bool = False
    """True while the group's coordinator does not answer the steward."""
    observations_without_assignment: int = 0
    """Consecutive observations in which the group was rebalancing or had unowned partitions."""
    lag_total: int | None = None
    """Records between commits and log ends."""
    lag_total_would_be: int | None = None
    """In a dry run: the lag that the group would have, had the plans been handed out."""
    lag_spread: int | None = None
    """Lag of the heaviest minus lag of the lightest member, in records."""
    lag_spread_would_be: int | None = None
    """In a dry run: the lag spread, had the plans been handed out."""
    rate_total: float | None = None
    """Records produced per second."""
    falls_behind: float | None = None
    """Records per second by which its lag grew in the last minutes, if that goes on and is more
    than its commits explain."""
    utilisation_percent: float | None = None
    """Rate of the group in percent of what its members can read, if all speeds were measured."""
    heaviest_percent: float | None = None
    """Load of the heaviest member in percent of a fair share."""
    heaviest_percent_would_be: float | None = None
    """In a dry run: load of the heaviest member, had the plans been handed out."""
    relief_possible_percent: float | None = None
    """By how much a perfect plan could relieve a member, in percent of a fair share."""
    cooldown_s: float | None = None
    """Least time between two rebalances that the steward starts, in seconds."""
    cooldown_left_s: float | None = None
    """Seconds until the steward may start a rebalance."""
    moves_left: int | None = None
    """Moves that rebalances may still take in this hour."""
    pause_s: float | None = None
    """How long a rebalance pauses partitions, in seconds."""
    last_assignment: str = ""
    """What was handed out last."""
    plan_step: PlanStep = ""
    """How far a plan for a KIP-848 group has come: brokers have it, have assigned it, members own
    what it gives."""
    last_fallback_reason: str = ""
    """Why a heuristic's assignment was handed out last; empty if none was."""
    last_observation_age_s: float | None = None
    """Seconds since the group was read."""
    last_heartbeat_age_s: float | None = None
    """Seconds since a heartbeat was answered."""
    settings: StewardSettings = field(default_factory=StewardSettings)
    by_member: tuple[StewardMember, ...] = ()
    """The heaviest first."""
    causes: tuple[CauseFacts, ...] = ()
    """What is wrong with the group that no rebalance mends, the most important first."""
    last_plan: StewardPlan | None = None
    decisions: tuple[StewardDecision, ...] = ()
    """The newest first; one entry as long as the kind stays."""
    events: tuple[StewardEvent, ...] = ()
    """What its log has of rebalances and of problems, the newest first."""
    counters: Mapping[str, int] = field(default_factory=dict)
    """``handouts:sticky`` and the like: a name of the metrics with the kind."""

    @property
    def relief_planned_percent(self) -> float | None:
        """Relief by the last plan, in percent of a fair share."""
        return None if self.last_plan is None else self.last_plan.relief_percent

    @property
    def heaviest_percent_planned(self) -> float | None:
        """Load of the heaviest member under the last plan, in percent of a fair share."""
        return None if self.last_plan is None else self.last_plan.heaviest_percent_planned

    @property
    def gain_planned_record_s(self) -> float | None:
        """Gain of the last plan in record-seconds."""
        return None if self.last_plan is None else self.last_plan.gain_record_s

    @property
    def price_planned_record_s(self) -> float | None:
        """Price of the last plan's rebalance in record-seconds."""
        return None if self.last_plan is None else self.last_plan.price_record_s

    @property
    def moves_planned(self) -> int | None:
        """Partitions that the last plan moves."""
        return None if self.last_plan is None else self.last_plan.moves

    def document(self) -> dict[str, Any]:
        """The JSON of `/status`, with the names of old."""
        own = to_document(self)
        old = {name: own[now] for name, now in OLD_NAMES.items()}
        return {"format": STATUS_FORMAT, **own, **old}


_PARTS: Final = {
    "by_member": StewardMember,
    "causes": CauseFacts,
    "decisions": StewardDecision,
    "events": StewardEvent,
}


def read_steward_facts(document: Mapping[str, Any]) -> StewardFacts:
    """The facts in the JSON of `/status`. Raises InputError for a steward of another version."""
    found = document.get("format")
    if found != STATUS_FORMAT:
        problem = f"is {found!r}, not {STATUS_FORMAT!r}: a steward of another version"
        raise InputError(problem, "format")
    own = {
        name: value for name, value in document.items() if name in StewardFacts.__dataclass_fields__
    }
    try:
        own["settings"] = StewardSettings(**own["settings"])
        for name, part in _PARTS.items():
            own[name] = tuple(part(**one) for one in own.get(name, ()))
        if (plan := own.get("last_plan")) is not None:
            moved = tuple(StewardMove(**one) for one in plan["moved"])
            own["last_plan"] = StewardPlan(**{**plan, "moved": moved})
    except (TypeError, KeyError) as error:
        raise InputError(f"cannot be read: {error}", "status") from error
    return StewardFacts(**own)


ASK_S: Final = 5.0
"""How long a running steward may take to answer."""


def ask_status(host: str, port: int) -> dict[str, Any]:
    """The JSON of ``/status``. Raises InputError where no steward answers."""
    shown = f"[{host}]" if ":" in host else host
    try:
        # Not through a proxy: on loopback it would ask another machine.
        with build_opener(ProxyHandler({})).open(
            f"http://{shown}:{port}/status", timeout=ASK_S
        ) as answer:
            document = json.load(answer)
    except (URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(f"no steward answers at {host}:{port}: {reason}", "--listen") from error
    if not isinstance(document, dict):
        raise InputError(f"what answers at {host}:{port} is no steward", "--listen")
    return document
