"""What brokers and groups are ready for, out of what was read of them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from equilag.adapters.kafka.group_kinds import CONSUMER, STEWARDS, described_kind
from equilag.adapters.kafka.reading import Reading, Readings
from equilag.domain.figures import natural_key, printable
from equilag.live.carrier.carriers import ASSIGNOR
from equilag.live.carrier.plan_form import MAX_PIECES
from equilag.live.carrier.plug_in import ASSIGNORS, HEARTBEAT, PLAN_KEY, PLUG_IN, assignors
from equilag.live.rebalance.assignments import BUILT_IN
from equilag.live.steward.election_loop import election_group
from equilag.report.reports.readiness import BrokerReadiness, GroupReadiness, Leads, NextStep

_BUILD: Final = NextStep("Build the plug-in's jar", "make broker-plugin")
_SET_KEY: Final = NextStep("Set the key of the other brokers, and restart", f"{PLAN_KEY}=SECRET")


def broker_readiness(
    settings: Mapping[int, Mapping[str, str]], found: Readings
) -> list[BrokerReadiness]:
    """Return what brokers with these settings are ready for. They need the plug-in if one has it,
    if a group is one of KIP-848, or if there is no other group."""
    kinds = {one.kind for one in found.groups}
    needed = CONSUMER in kinds or not kinds
    needed = needed or any(PLUG_IN in assignors(one) for one in settings.values())
    keyed = {PLAN_KEY in one for one in settings.values()}
    rows = []
    for node, one in settings.items():
        names, step = assignors(one), None
        if needed and PLUG_IN not in names[1:]:
            others = [name for name in names if name != PLUG_IN] or ["uniform", "range"]
            words = "Broker by broker, put the jar into libs/, set this, and restart"
            step = NextStep(words, printable(f"{ASSIGNORS}={','.join([*others, PLUG_IN])}"))
        elif len(keyed) > 1 and PLAN_KEY not in one:
            step = _SET_KEY
        shortest = int(one[HEARTBEAT]) if HEARTBEAT in one else None
        at = names.index(PLUG_IN) if PLUG_IN in names else None
        rows.append(BrokerReadiness(node, one.get(ASSIGNORS), shortest, at, PLAN_KEY in one, step))
    return rows


def group_readiness(
    found: Readings, brokers: Sequence[BrokerReadiness], source: Sequence[str]
) -> list[GroupReadiness]:
    """Return how each group can be led, those that need something first; `source` are the words
    that name the cluster in a command."""
    running = {name for name, one in found.others.items() if one.state != "Empty"}
    others = {name: kind for name, kind in found.unplannable.items() if kind != STEWARDS}
    rows = [
        _group(one, brokers, election_group(one.group) in running, source)
        for one in found.groups
        if one.group not in others
    ]
    for name, kind in others.items():
        what = ": ".join(described_kind(kind))
        rows.append(GroupReadiness(name, kind, None, None, "never", what))
    return sorted(rows, key=lambda one: (one.leads != "not yet", natural_key(one.group)))


def _group(
    one: Reading, brokers: Sequence[BrokerReadiness], led: bool, source: Sequence[str]
) -> GroupReadiness:
    without = _ids(brokers, lambda broker: broker.plug_in is None)
    words = ["equilag", "steward", *source, "--group", one.group]
    lost: str | None = None
    first: NextStep | None = None
    if one.kind == CONSUMER:
        if any(broker.plan_key for broker in brokers):
            words += ["--plan-key", "FILE"]
        what, lost, first = _by_carriers(one, brokers, without)
    else:
        what = "A steward joins as a member; it leads once the present leader has left"
        if without:
            lost = "Once its members speak KIP-848 (Java's default from Kafka 5.0 on), it is not"
            lost += f" led: no plug-in at broker {without}"
        if one.protocol not in ("", *BUILT_IN):
            words += ["--protocol", one.protocol]
    leads: Leads = "now" if led else "possible"
    step = None if led else NextStep("Lead it", printable(shlex.join(words)))
    if first is not None:
        leads, step = "not yet", first
    elif led:
        what = "A steward runs for it"
    elif not one.members:
        what = "It has no members; a steward leads them once they come"
    assignor, members = one.protocol or None, len(one.members)
    return GroupReadiness(one.group, one.kind, assignor, members, leads, what, lost, step)


def _by_carriers(
    one: Reading, brokers: Sequence[BrokerReadiness], without: str
) -> tuple[str, str, NextStep | None]:
    """Return what a KIP-848 group is ready for, what would be lost, and what has to be done before
    carriers can lead it; `without` names the brokers that lack the plug-in."""
    if without and one.protocol == ASSIGNOR:
        what = f"Stop its stewards until broker {without} has the plug-in"
        return what, "If such a broker becomes its coordinator, all its consumers end", _BUILD
    default = (brokers[0].assignors or "the brokers").partition(",")[0].strip()
    until = f"Until then {one.protocol or default} assigns, by count alone"
    if without:
        return f"Carriers are refused: no plug-in at broker {without}", until, _BUILD
    keyless = _ids(brokers, lambda broker: not broker.plan_key)
    if keyless and any(broker.plan_key for broker in brokers):
        return f"Carriers are refused: no {PLAN_KEY} at broker {keyless}", until, _SET_KEY
    by_class = default.rpartition(".")[2].removesuffix("Assignor").lower()
    if one.protocol not in ("", ASSIGNOR, default, by_class):
        more, what = len(one.members) + 1, f"Its members name the assignor {one.protocol!r}"
        if more <= MAX_PIECES:
            what += f"; --outvote leads with {more} carriers"
        change = f"group.remote.assignor={one.protocol}"
        step = NextStep("Take this out of its members' settings", change)
        return what, f"{one.protocol} assigns, by count alone", step
    lost = f"When all stewards are gone for good, {default} makes its own moves after 45 s"
    return "Carriers bring it a steward's plans", lost, None


def _ids(brokers: Sequence[BrokerReadiness], lacking: Callable[[BrokerReadiness], bool]) -> str:
    return ", ".join(str(one.broker) for one in brokers if lacking(one))
