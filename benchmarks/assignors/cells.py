"""One cell: a case, its proved optimum, and the result of every assignor."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from benchmarks.assignors.case import Case
from benchmarks.assignors.evaluate import Proved, evaluate
from benchmarks.assignors.exchange import (
    BadAnswer,
    PeerAnswer,
    PeerFailure,
    read_answer,
    write_case,
)
from benchmarks.assignors.own import ask
from benchmarks.assignors.peers import CallBudget
from benchmarks.assignors.prove import proved

OWN: Final = "equilag"
ALONE: Final = ("lag", "lag-few", "lag-20-topics", "lag-mixed", "lag-small")
"""Families that only equilag runs: no peer takes account of lags across topics."""
PATIENCE: Final = 300.0
"""Seconds after which a child process is ended; the longest time limit of a case is 60 s."""
HEURISTIC: Final = "kip-169"
"""equilag's own."""
TWINS: Final = frozenset(("cooperative-sticky", "franz-go-cooperative-sticky"))
"""Much like the assignors of the same name without "cooperative"."""
PARTLY: Final = TWINS | {HEURISTIC}
"""Run on the cases of a short run alone."""
SLOW_MS: Final = 1_000.0
"""Milliseconds of a call above which a peer is not run on larger cases, so that a full run takes
less than an hour."""
COMPILED: Final = ("uniform",)
"""Peers that the JVM compiles only after some large calls, so that they need a longer warm-up."""
COMPILED_S: Final = 5.0
"""Seconds of that warm-up."""
MANY: Final = 100_000
"""Partitions from which that warm-up is used; below, the usual one has calls enough."""


class Peer(Protocol):
    """An assignor that reads case files and writes results, see `peers`."""

    @property
    def name(self) -> str: ...

    def missing(self) -> str | None:
        """Return why it cannot be called on this machine, or None."""

    def run(self, case_file: Path, out: Path, budget: CallBudget) -> None:
        """Write a result to `out`. Raises TimeoutExpired."""


class Earlier(NamedTuple):
    """A slow result: peer, case and seconds of a call, or None if the call timed out."""

    peer: str
    case: Case
    seconds: float | None

    def covers(self, peer: str, case: Case) -> bool:
        """True if `case` is of the same kind for the same peer, and at least as large."""
        return (
            self.peer == peer
            and self.case.family == case.family
            and self.case.kind == case.kind
            and self.case.n_members <= case.n_members
            and self.case.n_partitions <= case.n_partitions
            and len(self.case.topics) <= len(case.topics)
        )


@dataclass
class Slow:
    """The slow results so far; a slow peer is not run on larger cases of the same kind."""

    seen: list[Earlier] = field(default_factory=list)

    def note(self, peer: str, case: Case, answer: dict[str, Any]) -> None:
        if "timeout" in answer:
            self.seen.append(Earlier(peer, case, None))
        elif answer.get("assign_ms", 0.0) > SLOW_MS:
            self.seen.append(Earlier(peer, case, answer["assign_ms"] / 1e3))

    def instead(self, peer: str, case: Case, limit_s: float) -> dict[str, Any] | None:
        """Return the entry that replaces a result if the peer is not to be run, or None."""
        earlier = [e for e in self.seen if e.covers(peer, case)]
        for e in earlier:
            if e.seconds is None:
                return {"timeout": limit_s, "inferred_from": e.case.name}
        for e in earlier:
            return {"skipped": f"a call took {e.seconds:.0f} s in {e.case.name}"}
        return None


def cell(
    case: Case, peers: Sequence[Peer], budget: CallBudget, slow: Slow, folder: Path
) -> dict[str, Any]:
    """Run all peers on a case and return its cell; `folder` is for the files of the runners."""
    if case.family in ALONE:
        return {**describe(case), **alone(case)}
    proof, figures = proved(case)
    answers: dict[str, Any] = {}
    case_file = folder / "case.json"
    write_case(case, case_file)
    for peer in peers:
        found = slow.instead(peer.name, case, budget.limit_s)
        if found is None:
            found = answer(case, proof, peer, warmed(budget, peer, case), case_file)
            slow.note(peer.name, case, found)
        answers[peer.name] = found
    return {**describe(case), "proved": proof.to_dict(figures.mean), "answers": answers}


def warmed(budget: CallBudget, peer: Peer, case: Case) -> CallBudget:
    """Extend the warm-up of peers that are compiled late, on large cases."""
    if peer.name in COMPILED and case.n_partitions >= MANY:
        return replace(budget, warm_s=max(budget.warm_s, COMPILED_S))
    return budget


def describe(case: Case) -> dict[str, Any]:
    return {
        "case": case.name,
        "family": case.family,
        "kind": case.kind,
        "members": case.n_members,
        "partitions": case.n_partitions,
        "topics": len(case.topics),
        "subscriptions": len(case.subscriptions),
        "owned": case.owned,
        "lags": case.lags,
    }


def alone(case: Case) -> dict[str, Any]:
    """Run equilag's default policy within the case's time limit, in a separate process."""
    limit = str(case.time_limit)
    found = ask(case.name, "--limits", limit, "--times", "0", "--prove", limit=PATIENCE)
    if "error" in found:
        nothing = {"findings": [found["error"]]}
        return {"proved": nothing, "answers": {OWN: {"error": found["error"]}}}
    own = {
        "assign_ms": 1000.0 * found["wall"],
        "calls": 1,
        "limit_s": case.time_limit,
        "peak_mib": found["peak_mib"],
        **{key: found[key] for key in ("status", "algorithm", "evidence", "notes")},
        **found["figures"],
    }
    return {"proved": found["proved"], "answers": {OWN: own}}


def answer(
    case: Case, proof: Proved, peer: Peer, budget: CallBudget, case_file: Path
) -> dict[str, Any]:
    """Run one peer on a case; return its times and figures, or why there are none."""
    if why := peer.missing():
        return {"skipped": why}
    out = case_file.with_name("answer.json")
    out.unlink(missing_ok=True)
    try:
        peer.run(case_file, out, budget)
    except subprocess.TimeoutExpired:
        return {"timeout": budget.limit_s}
    if not out.exists():
        return {"error": "wrote no result"}
    try:
        return measured(case, proof, read_answer(out))
    except BadAnswer as error:
        return {"error": str(error)}


def measured(case: Case, proof: Proved, found: PeerAnswer | PeerFailure) -> dict[str, Any]:
    """Return the times and the evaluated figures of a runner's result."""
    if isinstance(found, PeerFailure):
        return {"error": found.problem, "version": found.version}
    return {
        "assign_ms": found.milliseconds,
        "fastest_ms": min(found.assign_ms),
        "names_ms": found.names_milliseconds,
        "calls": len(found.assign_ms),
        "warm_up": found.warm_up,
        "peak_mib": found.peak_mib,
        "version": found.version,
        "extra": dict(found.extra),
        **evaluate(case, found.assignment).beside(proof),
    }
