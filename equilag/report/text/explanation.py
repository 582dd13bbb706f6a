"""The page of an explanation: why the group is uneven, what bounds the plan, looser settings, and
what the moves are for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rich.console import RenderableType

from equilag.domain.plan.move import Move
from equilag.report.facts.explanation import EvennessFacts, ExplanationFacts, LooserFacts
from equilag.report.facts.plans.move_chains import ChainFacts, ServedFacts
from equilag.report.terminal import Screen
from equilag.report.text.group import group_block
from equilag.report.text.tables.fitted import PART, Write, fitted_table
from equilag.report.text.tables.layout import Block, Column, indented, title
from equilag.report.text.tables.short_names import member_names, with_short_names
from equilag.report.text.verdict import verdict_line
from equilag.report.wording.explanation_words import LoadWords, evidence_lines
from equilag.report.wording.reason_words import partition_words
from equilag.report.wording.unevenness_words import unevenness_heading
from equilag.report.wording.words import form, number, plural, printable

MAX_SERVED: Final = 12
"""Members whose moves are listed: with a few moves each they fill one screen."""
MAX_CHAINS: Final = 4
"""Chains that are listed for a member, those that relieve it most."""
HEADINGS: Final = {
    "restriction": "owners that may not keep them",
    "join": "brought together with the other partitions of their unit",
    "racks": "end a read across racks",
    "exchange": "exchanges of equal weight",
    "other": "part of the plan as a whole",
    "fresh": "planned as if nobody owned anything",
    "assignor": "the assignor's own choice",
}
"""Of kinds that serve no member's load."""


def explanation_blocks(facts: ExplanationFacts, screen: Screen) -> Iterator[Block]:
    ids = [member.id for member in facts.plan.group.members]
    names = member_names(ids, screen.width // PART, screen.dots)
    yield group_block(facts.group, screen)
    yield verdict_line(with_short_names(facts.verdict.headline, names), screen)
    yield _now(facts, names, screen)
    yield _why(facts, names, screen)
    yield _looser(facts, screen)
    yield from _moves(facts, names, screen)


def _now(facts: ExplanationFacts, names: Mapping[str, str], screen: Screen) -> Block:
    lines = facts.why_now_with(names.__getitem__)
    heading = title(unevenness_heading(facts.now))
    return [heading, *(indented(screen.signs(line)) for line in lines)]


def _why(facts: ExplanationFacts, names: Mapping[str, str], screen: Screen) -> Block:
    lines = facts.why_with(names.__getitem__)
    what = "What bounds the plan" if facts.causes else "How even the plan is"
    return [title(what), *(indented(screen.signs(line)) for line in lines)]


def _looser(facts: ExplanationFacts, screen: Screen) -> Block:
    if not facts.looser:
        return []
    helping = [row for row in facts.looser if row.helps]
    block: list[RenderableType] = [title("What looser settings would bring", ", one at a time")]
    if helping:
        block.append(indented(_table(facts, helping, screen)))
        block += [indented(line) for line in evidence_lines({row.evidence for row in helping})]
    others = [row for row in facts.looser if not row.helps]
    for evidence, words in (
        ("proved", "would not help (proved)"),
        ("found", "did not help within the time limit"),
        ("not tried", "not tried for lack of time"),
    ):
        named = [row.words for row in others if row.evidence == evidence and not row.refused]
        if named:
            block.append(indented(f"{words}: {', '.join(named)}"))
    block += [
        indented(f"not possible: {row.words} ({printable(row.refused)})")
        for row in others
        if row.refused
    ]
    return block


def _table(facts: ExplanationFacts, rows: list[LooserFacts], screen: Screen) -> RenderableType:
    columns = [
        Column("with", is_name=True), Column("heaviest"), Column("spread"),
        Column("excess", is_optional=True), Column("moves"), Column("evidence", is_name=True),
    ]  # fmt: skip

    def figures(write: Write) -> list[list[RenderableType]]:
        made: list[list[RenderableType]] = [["this plan", *_cells(facts.reached, write), ""]]
        made += [
            [row.words, *_cells(row.reached, write), row.evidence]
            for row in rows
            if row.reached is not None
        ]
        return made

    return fitted_table(columns, figures, screen, indent=2)


def _cells(reached: EvennessFacts, write: Write) -> list[RenderableType]:
    excess = round(reached.excess) if reached.excess >= 100 else reached.excess
    return [write(reached.heaviest), write(reached.spread), write(excess), number(reached.moves)]


def _moves(facts: ExplanationFacts, names: Mapping[str, str], screen: Screen) -> Iterator[Block]:
    total, owned = facts.reached.moves, facts.group.owned
    if not owned:
        return
    if not total:
        yield [title("No moves:", " every partition stays where it is.")]
        return
    of = f" ({number(total)} of {plural(owned, 'owned partition')}), by what they serve"
    block: list[RenderableType] = [title("Moves", of)]
    for served in facts.served[:MAX_SERVED]:
        block += _served(served, facts.words, names, screen)
    rest = facts.served[MAX_SERVED:]
    if rest:
        moves = plural(sum(one.moves for one in rest), "more move")
        block.append(indented(f"{screen.dots} and {moves} for {_others(rest)} (--json lists all)"))
    yield block


def _others(rest: tuple[ServedFacts, ...]) -> str:
    members = sum(1 for one in rest if one.member)
    return plural(members, "more member") if members else "other reasons"


def _served(
    served: ServedFacts, words: LoadWords, names: Mapping[str, str], screen: Screen
) -> Block:
    block: list[RenderableType] = [indented(screen.signs(_heading(served, names)))]
    block += [
        indented(screen.signs(_chain(chain, names)), 4) for chain in served.chains[:MAX_CHAINS]
    ]
    rest = served.chains[MAX_CHAINS:]
    if rest:
        moves = sum(len(chain.moves) + chain.along for chain in rest)
        block.append(indented(f"{screen.dots} and {plural(moves, 'more move')}", 4))
    return block


def _heading(served: ServedFacts, names: Mapping[str, str]) -> str:
    if not served.member:
        moves = plural(served.moves, "partition")
        return f"{moves}: {HEADINGS.get(served.kind, served.kind)}"
    name = names[served.member]
    loads = f"{number(served.before)} → {number(served.after)}"
    counts = f"{number(served.partitions_before)} → {number(served.partitions_after)} partitions"
    match served.kind:
        case "counts":
            return f"even counts: {name} {counts}"
        case "room":
            return f"limit of partitions: {name} {counts}"
        case "makes-room":
            return f"{name} makes room for what it takes ({loads})"
        case _:
            changed = served.partitions_before != served.partitions_after
            return f"relieve {name}: {loads}{f', {counts}' if changed else ''}"


def _chain(chain: ChainFacts, names: Mapping[str, str]) -> str:
    first, *others = chain.moves
    text = f"{_named(first)} to {names[first.target]}"
    if first.reason.kind == "restriction" or not first.reason.member:
        text += f" from {names[first.source]}"
    if chain.along:
        text += f" with {plural(chain.along, 'partition')} of its unit"
    if not others:
        return text
    last = others[-1]
    if last.target != first.source:
        passing = form(len(others), "passes", "pass")
        return f"{text}, and {plural(len(others), 'move')} that {passing} a partition on"
    between = len(others) - 1
    text += f" for {_named(last)}"
    if not between:
        return text
    return f"{text} from {names[last.source]}, with {plural(between, 'move')} in between"


def _named(move: Move) -> str:
    return f"{partition_words((move.topic, move.partition))} ({number(move.lag)})"
