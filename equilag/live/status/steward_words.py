"""What a steward does and why, in words."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from equilag.domain.figures import form, number, percent, plural, time_span
from equilag.live.status.steward_facts import StewardFacts

Tone = Literal["good", "act", "bad"]


class StewardHeadline(NamedTuple):
    words: str
    tone: Tone


DECISIONS: Final[dict[str, StewardHeadline]] = {
    "settling": StewardHeadline("Waiting: a rebalance is not over yet", "act"),
    "measuring": StewardHeadline("Measuring: rates are not known yet", "act"),
    "no-plan": StewardHeadline("Planning failed", "bad"),
    "even": StewardHeadline("Leave it: the load is even", "good"),
    "noise": StewardHeadline("Leave it: the gain is within the errors of the rates", "good"),
    "pause": StewardHeadline("Leave it: a rebalance would cost more than it saves", "good"),
    "patience": StewardHeadline("Uneven: waiting for more observations that confirm it", "act"),
    "cooldown": StewardHeadline("Uneven: waiting for the end of the cooldown", "act"),
    "budget": StewardHeadline("Uneven: the moves of this hour are used up", "act"),
    "worth-it": StewardHeadline("Rebalancing: the plan is worth it", "act"),
}
"""Kind of decision, one of GROUNDS in `equilag.planner.worth.thresholds` -> its words."""


_TONES: Final[dict[str, Tone]] = {"starting": "act", "passive": "act", "standby": "good"}
"""Role in which the steward decides nothing -> the tone; the others are bad."""


def steward_headline(facts: StewardFacts) -> StewardHeadline:
    """Whatever is not healthy comes first, then whether it leads at all, then its decision."""
    if facts.problem is not None:
        if facts.role == "starting":
            return StewardHeadline(f"Starting: {facts.problem}", "act")
        return StewardHeadline(f"Not healthy: {facts.problem}", "bad")
    if facts.coordinator_silent:
        silent = time_span(facts.last_heartbeat_age_s or 0.0)
        return StewardHeadline(f"The group's coordinator has not answered for {silent}", "bad")
    if facts.role not in ("leader", "dry-run"):
        reason = f": {facts.role_reason}" if facts.role_reason else ""
        tone = _TONES.get(facts.role, "bad")
        degraded = ", degraded" if facts.degraded else ""
        return StewardHeadline(f"{facts.role.capitalize()}{degraded}{reason}", tone)
    dry = "Dry run. " if facts.role == "dry-run" else ""
    if not facts.members:
        return StewardHeadline(f"{dry}The group has no members", "act")
    if facts.take_over_waits_for:
        waits = plural(facts.take_over_waits_for, "member")
        return StewardHeadline(f"Take-over: waiting for {waits} to come back", "act")
    words, tone = DECISIONS.get(facts.decision, StewardHeadline("No decision yet", "act"))
    if facts.falls_behind and tone == "good":
        by = plural(round(facts.falls_behind), "record")
        words, tone = f"The group falls behind by {by} a second, however it is balanced", "bad"
    return StewardHeadline(f"{dry}{words}{_heaviest(facts)}", tone)


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


def with_dry_run(words: str, would_be: str | None) -> str:
    """The same words with what they would be in a dry run."""
    return words if would_be is None else f"{words}, {would_be} with the plans of the dry run"


def next_rebalance(facts: StewardFacts) -> tuple[str, str]:
    """When it may start one, and what else limits it."""
    left = facts.cooldown_left_s
    if left is None:
        return "", ""
    at = f"in {time_span(left)}" if left else "now"
    moves = f"; {plural(facts.moves_left, 'move')} left in this hour" if facts.moves_left else ""
    none = "; no move left in this hour" if facts.moves_left == 0 else ""
    return at, f"at the earliest, if one is worth it{moves}{none}"


def unowned_words(facts: StewardFacts) -> str:
    held = plural(facts.partitions, "partition")
    unowned = number(facts.unowned_partitions)
    return f"{held}, {unowned} without an owner" if facts.unowned_partitions else held


def rebalances_words(count: int) -> str:
    if not count:
        return "No rebalance of the steward."
    return f"Lines: {plural(count, 'rebalance')} of the steward {form(count, 'is', 'are')} marked."
