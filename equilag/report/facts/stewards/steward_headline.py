"""What a steward does and why, in one line; the same on the screen and on the live page."""

from __future__ import annotations

from typing import Final, NamedTuple

from equilag.report.facts.stewards.steward import StewardFacts, Tone
from equilag.report.wording.words import percent, plural


class Headline(NamedTuple):
    words: str
    tone: Tone


DECISIONS: Final[dict[str, Headline]] = {
    "measuring": Headline("Measuring: rates are not known yet", "act"),
    "no-plan": Headline("Planning failed", "bad"),
    "even": Headline("Leave it: the load is even", "good"),
    "noise": Headline("Leave it: the gain is within the errors of the rates", "good"),
    "pause": Headline("Leave it: a rebalance would cost more than it saves", "good"),
    "patience": Headline("Uneven: waiting for more observations that confirm it", "act"),
    "cooldown": Headline("Uneven: waiting for the end of the cooldown", "act"),
    "budget": Headline("Uneven: the moves of this hour are used up", "act"),
    "worth-it": Headline("Rebalancing: the plan is worth it", "act"),
}
"""Kind of decision, one of GROUNDS in `equilag.planner.worth.thresholds` -> its words."""


def steward_headline(facts: StewardFacts) -> Headline:
    """Whatever is not healthy comes first, then whether it leads at all, then its decision."""
    if facts.problem is not None:
        if facts.role == "starting":
            return Headline(f"Starting: {facts.problem}", "act")
        return Headline(f"Not healthy: {facts.problem}", "bad")
    if facts.role not in ("leader", "dry-run"):
        reason = f": {facts.role_reason}" if facts.role_reason else ""
        waiting = facts.role in ("starting", "passive")
        return Headline(f"{facts.role.capitalize()}{reason}", "act" if waiting else "bad")
    dry = "Dry run. " if facts.role == "dry-run" else ""
    if not facts.members:
        return Headline(f"{dry}The group has no members", "act")
    if facts.take_over_waits_for:
        waits = plural(facts.take_over_waits_for, "member")
        return Headline(f"Take-over: waiting for {waits} to come back", "act")
    words, tone = DECISIONS.get(facts.decision, Headline("No decision yet", "act"))
    return Headline(f"{dry}{words}{_heaviest(facts)}", tone)


def _heaviest(facts: StewardFacts) -> str:
    """What the decision is about: in a dry run the group as it would be."""
    now, would_be = facts.heaviest_percent, facts.heaviest_percent_would_be
    if now is None or facts.decision in ("measuring", ""):
        return ""
    if would_be is None:
        return f"; the heaviest member has {percent(now)} of a fair share"
    return (
        f"; with its plans the heaviest member would have {percent(would_be)} of a fair share,"
        f" and has {percent(now)}"
    )
