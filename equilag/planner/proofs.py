"""What a run has proved so far: the strongest claim of each name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from equilag.claim import Claim
from equilag.errors import ContradictedBound
from equilag.objective import SPREAD, VALUE, Figures, Objective, Proved

CLAIM_ORDER: Final = (
    "counts",
    "fewest_moves",
    "max_load_at_least",
    "min_load_at_most",
    SPREAD,
    VALUE,
)
"""The order of claims in a certificate: each rests on those before it."""


@dataclass(eq=False, slots=True)
class Proofs:
    """The strongest claims, and the strongest of those that rest on no solver."""

    claims: dict[str, Claim] = field(default_factory=dict)
    checked: dict[str, Claim] = field(default_factory=dict)

    @staticmethod
    def of(claims: Iterable[Claim]) -> Proofs:
        """Checked claims, one of each name."""
        known = {claim.claim: claim for claim in claims}
        return Proofs(known, dict(known))

    def record(self, claim: Claim) -> bool:
        """Keep a claim that says more than the known one of its name; true if it does."""
        if claim.evidence == "checked" and _says_more(claim, self.checked.get(claim.claim)):
            self.checked[claim.claim] = claim
        if _says_more(claim, self.claims.get(claim.claim)):
            self.claims[claim.claim] = claim
            return True
        return False

    def __contains__(self, name: str) -> bool:
        return name in self.claims

    def value(self, name: str) -> int | None:
        """The value that is claimed, None where nothing is."""
        claim = self.claims.get(name)
        return claim.value if claim else None

    @property
    def highest(self) -> int:
        """The heaviest load is at least this."""
        return self.value("max_load_at_least") or 0

    @property
    def lowest(self) -> int:
        """The lightest load is at most this."""
        return self.value("min_load_at_most") or 0

    @property
    def spread(self) -> int:
        """The lag spread is at least this."""
        return self.value(SPREAD) or 0

    def proved(self, fewest_moves: int) -> Proved:
        """The bounds as the objective takes them."""
        return Proved(self.spread, fewest_moves, max(self.value(VALUE) or 0, self.spread))

    def in_order(self) -> tuple[Claim, ...]:
        """The claims of a certificate: beside one of a solver, what holds without it."""
        found = []
        for name in CLAIM_ORDER:
            strongest, checked = self.claims.get(name), self.checked.get(name)
            if checked is not None and checked is not strongest:
                found.append(checked)
            if strongest is not None:
                found.append(strongest)
        return tuple(found)

    def hold_against(self, objective: Objective, figures: Figures, found_by: str) -> list[str]:
        """Compare a plan's figures with the bounds on them.

        A solver's bound that the plan beats is dropped in favour of the checked one; returns a
        note for each. Raises ContradictedBound if the plan beats a checked bound.
        """
        notes = []
        for name, value in ((SPREAD, figures.spread), (VALUE, objective.value(figures))):
            claim = self.claims.get(name)
            if claim is None or value >= claim.value:
                continue
            text = f"{name}: {found_by} found {value} where {claim.kind} claimed {claim.value}"
            if claim.evidence == "checked":
                raise ContradictedBound(text)
            notes.append(f"a solver's bound was wrong and is dropped: {text}")
            del self.claims[name]
            if name in self.checked:
                self.claims[name] = self.checked[name]
        return notes


def _says_more(claim: Claim, old: Claim | None) -> bool:
    """True for a stronger value, or for the same one with better evidence."""
    if old is None or claim.value == old.value:
        return old is None or old.evidence == "solver"
    return (claim.value < old.value) == (claim.claim == "min_load_at_most")
