"""A claim: one proved figure of a plan, with the data that its check needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args

from equilag.domain.group.extended_columns import MoveUnit
from equilag.domain.group.loads import load_from, written
from equilag.domain.group.member_capacities import Load
from equilag.domain.policy.objective import EXCESS, SPREAD, VALUE

Evidence = Literal["checked", "solver"]
EVIDENCE: Final[tuple[Evidence, ...]] = get_args(Evidence)


@dataclass(frozen=True, slots=True)
class Claim:
    """`claim` names the figure, `kind` the argument; docs/certificates.md defines each kind.

    `evidence` is ``checked`` where `verify` proves the claim again without a solver, and
    ``solver`` where it rests on a solver's word.
    """

    claim: str
    value: Load
    kind: str
    data: Mapping[str, Any] = field(default_factory=dict)
    evidence: Evidence = "checked"

    def to_dict(self) -> dict[str, Any]:
        return {
            "claim": self.claim,
            "value": written(self.value),
            "evidence": self.evidence,
            "kind": self.kind,
            "data": dict(self.data),
        }


def claim_from(fields: Mapping[str, Any]) -> Claim:
    """The claim of a dict that `Claim.to_dict` made."""
    value = load_from(fields["value"])
    assert value is not None
    return Claim(**{**fields, "value": value})


Claims: TypeAlias = tuple[Claim, ...]


class ClaimsWhenRead:
    """A field that takes claims, or a function that makes them when they are first read."""

    def __get__(self, holder: object | None, owner: type) -> Claims:
        if holder is None:
            return ()  # the default
        given: Claims | Callable[[], Claims] = holder.__dict__["claims"]
        if not isinstance(given, tuple):
            given = holder.__dict__["claims"] = given()
        return given

    def __set__(self, holder: object, given: Claims | Callable[[], Claims]) -> None:
        holder.__dict__["claims"] = given


CLAIMS_WHEN_READ: Final = ClaimsWhenRead()


MOVES = "fewest_moves"
"""The claim that bounds the moves."""
PRICE = "least_move_price"
"""The claim that bounds the price of the moves, where these have a weight."""
ACROSS = "fewest_cross_rack"
"""The claim that bounds the partitions read across racks."""
SQUARES = "fewest_topic_squares"
"""The claim that bounds Σ count² / capacity over topics and members."""
OF_LOADS: Final = ("max_load_at_least", "min_load_at_most", SPREAD, VALUE, EXCESS)
"""Claims whose values are loads as they are compared."""


def bounds_moves(unit: MoveUnit | None) -> str:
    """The claim that bounds what the goals have of moves: their number, or their price."""
    return MOVES if unit is None else PRICE
