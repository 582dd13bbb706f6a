"""600 mutants by seed, stratified by file, and the search for their places after files have moved.

    python -m benchmarks.mutation.draw

writes benchmarks/mutation/mutants.jsonl from the rooms below, as they were at commit a6ca433.
"""

from __future__ import annotations

import ast
import json
import random
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

from benchmarks.mutation import say
from benchmarks.mutation.operators import Site, mutated, sites

MUTANTS = Path("benchmarks/mutation/mutants.jsonl")
BASE = "a6ca433"
ROOMS = ("certificate", "constraint", "objective.py", "reduction", "planner")
COUNT, SEED = 600, 24
_CONTEXT = 3  # lines on each side


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mutation, kept so that it is found again in another file."""

    id: int
    path: str
    line: int
    qualname: str
    operator: str
    # Whole lines, as they are and as they become.
    old: list[str]
    new: list[str]
    # The lines around them.
    before: list[str]
    after: list[str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a mutant is now: the file's mutated text and the lines that it changes."""

    path: str
    text: str
    first: int
    last: int


def draw(root: Path = Path()) -> list[Mutant]:
    """The mutants, a share for each file in proportion to its sites, at least one."""
    by_path: dict[str, list[Site]] = {}
    for room in ROOMS:
        top = root / "equilag" / room
        for file in sorted(top.rglob("*.py")) if top.is_dir() else [top]:
            if found := sites(file.read_text(encoding="utf-8")):
                by_path[str(file.relative_to(root))] = found
    generator = random.Random(SEED)
    drawn = []
    for path, number in _shares({path: len(found) for path, found in by_path.items()}).items():
        text = (root / path).read_text(encoding="utf-8")
        chosen = sorted(generator.sample(range(len(by_path[path])), number))
        drawn += [(path, text, by_path[path][position]) for position in chosen]
    return [_mutant(number, *one) for number, one in enumerate(drawn)]


def _shares(counts: dict[str, int]) -> dict[str, int]:
    """How many mutants each file gets: one, and the largest remainders of what is left."""
    left, total = COUNT - len(counts), sum(counts.values())
    exact = {path: left * count / total for path, count in counts.items()}
    shares = {path: min(counts[path], 1 + int(value)) for path, value in exact.items()}
    by_remainder = sorted(exact, key=lambda path: (int(exact[path]) - exact[path], path))
    while (missing := COUNT - sum(shares.values())) > 0:
        open_paths = [path for path in by_remainder if shares[path] < counts[path]]
        for path in open_paths[:missing]:
            shares[path] += 1
    return shares


def _mutant(number: int, path: str, text: str, site: Site) -> Mutant:
    lines, changed = text.splitlines(), mutated(text, site).splitlines()
    first = text.count("\n", 0, site.start)
    last = text.count("\n", 0, site.end)
    return Mutant(
        id=number,
        path=path,
        line=first + 1,
        qualname=site.qualname,
        operator=site.operator,
        old=lines[first : last + 1],
        new=changed[first : last + 1 + len(changed) - len(lines)],
        before=lines[max(0, first - _CONTEXT) : first],
        after=lines[last + 1 : last + 1 + _CONTEXT],
    )


def load(path: Path = MUTANTS) -> list[Mutant]:
    """The mutants of the file."""
    return [Mutant(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def renames(base: str = BASE) -> dict[str, str]:
    """By path at the base: the path of the same file now, as git detects it."""
    command = ["git", "diff", "-M30%", "-l0", "--name-status", "--diff-filter=R", base]
    listed = subprocess.run([*command, "--", "equilag"], capture_output=True, text=True, check=True)
    rows = [line.split("\t") for line in listed.stdout.splitlines()]
    return {old: new for _, old, new in rows}


class Tree:
    """The modules of a checkout, searched for the places of mutants."""

    def __init__(self, root: Path, moved: dict[str, str]) -> None:
        self._moved = moved
        self._texts = {
            str(path.relative_to(root)): path.read_text(encoding="utf-8")
            for path in sorted((root / "equilag").rglob("*.py"))
        }
        self._stripped = {path: _stripped(text.splitlines()) for path, text in self._texts.items()}

    def find(self, mutant: Mutant) -> Place | None:
        """Where the mutant's lines are now, None if they are gone.

        Among several places, the file that it moved to, the function's name and the lines around
        decide.
        """
        found = sorted(self._places(mutant), key=lambda one: (-one[0], one[1:]))
        return self._mutated(mutant, *found[0][1:]) if found else None

    def _places(self, mutant: Mutant) -> Iterator[tuple[float, str, int]]:
        home = self._moved.get(mutant.path, mutant.path)
        wanted = _stripped(mutant.old)
        for path, lines in self._stripped.items():
            for first, line in enumerate(lines):
                if line != wanted[0] or lines[first : first + len(wanted)] != wanted:
                    continue
                named = _qualname(self._texts[path], first + 1) == mutant.qualname
                around = _around(mutant, lines, first)
                # A line alone says little: elsewhere and under another name, its neighbours decide.
                if named or path == home or around >= 0.5:
                    yield (path == home) + 2 * named + 2 * around, path, first

    def _mutated(self, mutant: Mutant, path: str, first: int) -> Place:
        lines = self._texts[path].splitlines()
        last = first + len(mutant.old)
        was, now = _indent(mutant.old[0]), _indent(lines[first])
        new = [now + line.removeprefix(was) for line in mutant.new]
        text = "\n".join([*lines[:first], *new, *lines[last:]]) + "\n"
        return Place(path, text, first + 1, last)


def _stripped(lines: list[str]) -> list[str]:
    return [line.strip() for line in lines]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _around(mutant: Mutant, lines: list[str], first: int) -> float:
    """How much of the lines around it is as it was."""
    last = first + len(mutant.old)
    there = lines[max(0, first - len(mutant.before)) : first]
    there += lines[last : last + len(mutant.after)]
    wanted = _stripped(mutant.before + mutant.after)
    return SequenceMatcher(None, there, wanted, autojunk=False).ratio()


@cache
def _spans(text: str) -> list[tuple[int, int, str]]:
    """First line, last line and qualified name of all functions and classes, outer ones first."""
    spans: list[tuple[int, int, str]] = []

    def walk(node: ast.AST, outer: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = outer
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{outer}.{child.name}".lstrip(".")
                spans.append((child.lineno, child.end_lineno or child.lineno, name))
            walk(child, name)

    walk(ast.parse(text), "")
    return spans


def _qualname(text: str, line: int) -> str:
    inside = [name for first, last, name in _spans(text) if first <= line <= last]
    return inside[-1] if inside else ""


if __name__ == "__main__":
    mutants = draw()
    rows = [json.dumps(asdict(mutant), ensure_ascii=False) + "\n" for mutant in mutants]
    MUTANTS.write_text("".join(rows), encoding="utf-8")
    say(f"{len(mutants)} mutants of {len({mutant.path for mutant in mutants})} files: {MUTANTS}")
