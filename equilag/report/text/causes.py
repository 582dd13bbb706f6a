"""What a plan has to keep to, and what an assignment breaks of it, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from equilag.domain.policy.policy import Policy
from equilag.report.facts.extended_group import ExtendedFacts
from equilag.report.wording.words import form, in_a_row, plural

COUNTS: Final = "the balance of counts"
READS: Final = "the fewest reads across racks"


def causes(policy: Policy, extended: ExtendedFacts | None, *, of_moves: bool) -> list[str]:
    """What a plan has to keep to before its moves are few, or else its reads across racks."""
    named = {
        COUNTS: policy.balance != "none",
        "co-partitioned topics": of_moves and extended is not None and bool(extended.torn),
        "restrictions": extended is not None and bool(extended.restricted),
        "room": policy.balance == "none"
        and extended is not None
        and bool(extended.overfull if of_moves else extended.limited),
        READS: of_moves and policy.rack_aware,
    }
    return [words for words, there in named.items() if there]


def no_fewer(found: Sequence[str]) -> str:
    """That the causes allow no fewer."""
    if not found:
        return "no plan has fewer"
    allow = "allows" if len(found) == 1 and found[0] in (COUNTS, "room") else "allow"
    return f"{in_a_row(found)} {allow} no fewer"


def alone_need(found: Sequence[str], least: int) -> str:
    """How many moves the causes take without the lag."""
    if not found or (not least and COUNTS not in found):
        return f"{least:,} of them forced" if least else "none of them forced"
    shortened = [{COUNTS: "even counts", READS: "the fewest reads"}.get(one, one) for one in found]
    need = "needs" if shortened == ["room"] else "need"
    return f"{in_a_row(shortened)} alone {need} {f'{least:,}' if least else 'none'}"


def breaks(torn_units: int, misplaced: int, overfull: int) -> str:
    """The rules that an assignment breaks."""
    parts = []
    if torn_units:
        parts.append(f"tears {plural(torn_units, 'unit')} of co-partitioned topics apart")
    if overfull:
        parts.append(f"{plural(overfull, 'member')} above {form(overfull, 'its', 'their')} room")
    if misplaced:
        parts.append(f"{plural(misplaced, 'partition')} with a member that may not take it")
    return ", ".join(parts)
