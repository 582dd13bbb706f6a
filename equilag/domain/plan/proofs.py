"""What is proved: the strongest claim of each name and limit on moves, of a run or of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from equilag.domain.errors import ContradictedBound
from equilag.domain.group.loads import written
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.claim import ACROSS, MOVES, PRICE, SQUARES, Claim, Evidence, bounds_moves
from equilag.domain.policy.objective import (
    EXCESS,
    MOVES_WITHIN,
    SHORT,
    SPREAD,
    VALUE,
    Figures,
    Objective,
    Proved,
)

CLAIM_ORDER: Final = (
    "counts",
    SQUARES,
    ACROSS,
    MOVES,
    PRICE,
    SHORT,
    "max_load_at_least",
    "min_load_at_most",
    SPREAD,
    MOVES_WITHIN,
    VALUE,
    EXCESS,
)
"""The order of claims in a certificate: each rests on those before it."""

LOWER_BOUNDS: Final = (MOVES, PRICE, SHORT, SPREAD, VALUE)
"""The claims that decide whether a plan is optimal."""

UNBOUNDED: Final = 2**61
"""No load reaches this, and sums with a spread stay below 2^63."""

ClaimKey: TypeAlias = tuple[str, int | None]
"""The name of a claim, and the most moves of the plans that it covers; None for all plans."""


@dataclass(eq=False, slots=True)
class Proofs:
    """The strongest claims, and the strongest of those that rest on no solver."""

    claims: dict[ClaimKey, Claim] = field(default_factory=dict)
    checked: dict[ClaimKey, Claim] = field(default_factory=dict)

    @staticmethod
    def of(claims: Iterable[Claim]) -> Proofs:
        """Of claims in any order."""
        found = Proofs()
        for claim in claims:
            found.record(claim)
        return found

    @property
    def without_solver(self) -> Proofs:
        """What rests on no solver's word."""
        return Proofs(self.checked, self.checked)

    def record(self, claim: Claim) -> bool:
        """Keep a claim that says more than the known one of its key; true if it does."""
        key = claim.claim, claim.data.get("max_moves")
        if claim.evidence == "checked" and _says_more(claim, self.checked.get(key)):
            self.checked[key] = claim
        if _says_more(claim, self.claims.get(key)):
            self.claims[key] = claim
            return True
        return False

    def __contains__(self, name: str) -> bool:
        return (name, None) in self.claims

    def strongest(self, name: str, moves: int | None = None) -> Claim | None:
        """The claim that says most of all plans with at most `moves`; None for any number."""
        return _strongest(self.claims, name, moves)

    def value(self, name: str, moves: int | None = None) -> Load | None:
        """The value that is claimed of plans with at most `moves`, None where nothing is."""
        claim = self.strongest(name, moves)
        return claim.value if claim else None

    def least(self, name: str) -> Load:
        """What is proved of all plans; 0 where nothing is."""
        return self.value(name) or 0

    @property
    def highest(self) -> Load:
        """The heaviest load is at least this."""
        return self.least("max_load_at_least")

    @property
    def lowest(self) -> Load:
        """The lightest load is at most this; more than any load where nothing is proved."""
        known = self.value("min_load_at_most")
        return UNBOUNDED if known is None else known

    @property
    def spread(self) -> Load:
        """The lag spread is at least this, with any number of moves."""
        return self.least(SPREAD)

    def spread_within(self, moves: int | None) -> Load:
        """The lag spread of plans with at most `moves` is at least this."""
        return self.value(SPREAD, moves) or 0

    def proved(self, fewest_moves: int, limit: int | None) -> Proved:
        """The bounds on plans within a limit on moves, as the objective takes them."""
        spread = self.spread_within(limit)
        value = max(self.value(VALUE, limit) or 0, spread)
        return Proved(spread, fewest_moves, value, self.value(SHORT, limit) or 0)

    def is_optimal(self, objective: Objective, figures: Figures, mean: float) -> bool:
        """True if each goal after exact counts is reached and proved; `mean` is the mean load."""
        fewest = 0 if objective.policy.fresh else int(self.value(bounds_moves(objective.unit)) or 0)
        return objective.is_proved(figures, self.proved(fewest, None), mean)

    def rests_on_solver(self, name: str) -> bool:
        """True if a solver says more than what is checked."""
        return self.value(name) != self.without_solver.value(name)

    def evidence(self, objective: Objective | None, figures: Figures, mean: float) -> Evidence:
        """``solver`` if the status, or else the gap, would differ without a solver's claims.

        `objective` is None for the plan of a single heuristic.
        """
        if not any(map(self.rests_on_solver, LOWER_BOUNDS)):
            return "checked"
        if objective is not None and self.without_solver.is_optimal(objective, figures, mean):
            return "checked"
        return "solver"

    def in_order(self, limit: int | None) -> tuple[Claim, ...]:
        """The claims of a certificate for a plan within a limit on moves.

        Beside a claim of a solver stands what holds without it.
        """
        found = []
        for name in CLAIM_ORDER:
            best = self.strongest(name, limit)
            checked = _strongest(self.checked, name, limit)
            if checked is not None and checked is not best:
                found.append(checked)
            if best is not None:
                found.append(best)
        return tuple(found)

    def hold_against(self, objective: Objective, figures: Figures, found_by: str) -> list[str]:
        """Compare a plan's figures with the bounds on them.

        A solver's bound that the plan beats is dropped in favour of the checked one; returns a
        note for each. Raises ContradictedBound if the plan beats a checked bound.
        """
        notes = []
        reached: dict[str, Load] = {
            SHORT: figures.short, SPREAD: figures.spread, VALUE: objective.value(figures),
        }  # fmt: skip
        for key, claim in list(self.claims.items()):
            name, limit = key
            value = reached.get(name)
            if value is None or value >= claim.value:
                continue
            if limit is not None and figures.moves > limit:
                continue
            text = f"{name}: {found_by} found {written(value)} where "
            text += f"{claim.kind} claimed {written(claim.value)}"
            if claim.evidence == "checked":
                raise ContradictedBound(text)
            notes.append(f"a solver's bound was wrong and is dropped: {text}")
            del self.claims[key]
            if key in self.checked:
                self.claims[key] = self.checked[key]
        return notes


def _strongest(claims: Mapping[ClaimKey, Claim], name: str, moves: int | None) -> Claim | None:
    best: Claim | None = None
    for (of, limit), claim in claims.items():
        covers = limit is None or (moves is not None and limit >= moves)
        if of == name and covers and _says_more(claim, best):
            best = claim
    return best


def _says_more(claim: Claim, old: Claim | None) -> bool:
    """True for a stronger value, or for the same one with better evidence."""
    if old is None or claim.value == old.value:
        return old is None or old.evidence == "solver"
    return (claim.value < old.value) == (claim.claim == "min_load_at_most")
