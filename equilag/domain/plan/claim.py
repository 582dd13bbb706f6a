"""A claim: one proved figure of a plan, with the data that its check needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args

Evidence = Literal["checked", "solver"]
EVIDENCE: Final[tuple[Evidence, ...]] = get_args(Evidence)


@dataclass(frozen=True, slots=True)
class Claim:
    """`claim` names the figure, `kind` the argument; docs/certificates.md defines each kind.

    `evidence` is ``checked`` where `verify` proves the claim again without a solver, and
    ``solver`` where it rests on a solver's word.
    """

    claim: str
    value: int
    kind: str
    data: Mapping[str, Any] = field(default_factory=dict)
    evidence: Evidence = "checked"

    def to_dict(self) -> dict[str, Any]:
        return {
            "claim": self.claim,
            "value": self.value,
            "evidence": self.evidence,
            "kind": self.kind,
            "data": dict(self.data),
        }


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
