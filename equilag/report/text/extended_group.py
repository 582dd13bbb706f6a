"""Instances, reads across racks, units and pins, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import RenderableType

from equilag.report.facts.extended_group import ExtendedFacts, InstanceFacts
from equilag.report.facts.plans.plan import PlanFacts
from equilag.report.terminal import Screen
from equilag.report.text.causes import breaks, causes, no_fewer
from equilag.report.text.tables.fitted import Write, named_table
from equilag.report.text.tables.layout import Block, Column, indented, title
from equilag.report.wording.words import form, listed, number, plural, printable

MAX_INSTANCES: Final = 20
"""Instances that get a row, the heaviest of more: with the members they fill one screen."""
MAX_LISTS: Final = 3
"""Lists of co-partitioned topics that are named."""


def instances_block(facts: PlanFacts, screen: Screen) -> Block:
    """A row per instance; nothing where each member is a process of its own."""
    if facts.extended is None or not facts.extended.instances:
        return []
    instances: Sequence[InstanceFacts] = facts.extended.instances
    left_out = len(instances) - MAX_INSTANCES
    if left_out > 0:
        instances = sorted(instances, key=lambda one: -one.load)[:MAX_INSTANCES]
    what = "load" if facts.proof.per_capacity else "lag"
    owned = bool(facts.group.owned)
    columns = [Column("threads", is_optional=True), Column("partitions")]
    columns += [Column(f"{what} before"), Column(f"{what} after")] if owned else [Column(what)]

    def rows(write: Write) -> list[list[RenderableType]]:
        return [[*_cells(one, owned, write, screen)] for one in instances]

    names = [printable(one.name) for one in instances]
    made = named_table("instance", names, columns, rows, screen, indent=2)
    which = f", the {MAX_INSTANCES} heaviest of {number(len(facts.extended.instances))}"
    return [title("Instances", which if left_out > 0 else ""), indented(made.table)]


def _cells(one: InstanceFacts, owned: bool, write: Write, screen: Screen) -> Sequence[str]:
    if not owned:
        return number(one.threads), number(one.partitions), write(one.load)
    counts = f"{number(one.partitions_before)} {screen.arrow} {number(one.partitions)}"
    return number(one.threads), counts, write(one.load_before), write(one.load)


def extended_rows(facts: PlanFacts) -> list[tuple[str, str]]:
    """What the proof of an extended group has more, one label and its words each."""
    extended = facts.extended
    if extended is None:
        return []
    broken = extended.broken
    return [
        ("breaks rules", "" if broken is None else f"! {breaks(**broken.to_dict())}"),
        ("units", _units(extended)),
        ("across racks", _reads(facts, extended)),
        ("restricted", _restricted(extended)),
        ("room", _room(extended)),
    ]


def _units(extended: ExtendedFacts) -> str:
    if extended.units is None:
        return ""
    low, high = extended.units.by_member.min, extended.units.by_member.max
    each = number(high) if low == high else f"{number(low)} to {number(high)}"
    lists = [" + ".join(map(printable, topics)) for topics in extended.units.lists]
    named = listed(lists, MAX_LISTS)
    count = plural(extended.units.count, "unit")
    return f"{count}, {each} per member; co-partitioned: {named}"


def _reads(facts: PlanFacts, extended: ExtendedFacts) -> str:
    reads = extended.reads
    if reads is None:
        return ""
    text = plural(reads.count, "partition")
    if facts.group.owned:
        text += f"; was {number(reads.before)}"
    if reads.is_fewest and facts.proof.policy is not None:
        text += f"; {no_fewer(causes(facts.proof.policy, extended, of_moves=False))}"
    unknown = []
    if reads.known_partitions < reads.partitions:
        unknown.append(
            f"{number(reads.known_partitions)} of {plural(reads.partitions, 'partition')}"
        )
    if reads.known_members < reads.members:
        unknown.append(f"{number(reads.known_members)} of {plural(reads.members, 'member')}")
    return f"{text}; racks are known of {' and '.join(unknown)}" if unknown else text


def _restricted(extended: ExtendedFacts) -> str:
    if not extended.restricted:
        return ""
    count = plural(extended.restricted, "partition")
    return f"{count}, which only some of the subscribers may read"


def _room(extended: ExtendedFacts) -> str:
    if not extended.limited:
        return ""
    low, high = extended.rooms
    most = number(low) if low == high else f"{number(low)} to {number(high)}"
    what = form(
        high, *(("unit", "units") if extended.rooms_in_units else ("partition", "partitions"))
    )
    takes = form(extended.limited, "takes", "take")
    return f"{plural(extended.limited, 'member')} {takes} at most {most} {what}"
