"""The rooms of the house: who may import whom, without circles, and what `import equilag` costs.

The modules are parsed, not imported, so an import counts wherever it stands: in a function, under
`TYPE_CHECKING`, or as a name given to `import_module`.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import networkx as nx
import pytest
from support.paths import CHECKOUT
from support.syntax import parsed

pytestmark = pytest.mark.xdist_group("house")

ROOT: Final = "__init__"
"""The public surface, which names anything lazily: to import from it may load anything."""

_BELOW_PLANNER: Final = {"domain", "heuristics", "certificate", "solver"}
_BELOW_LIVE: Final = {*_BELOW_PLANNER, "planner", "report", "adapters"}

ALLOWED: Final[dict[str, set[str]]] = {
    "domain": {"domain"},
    "heuristics": {"domain", "heuristics"},
    "certificate": {"domain", "certificate"},
    "solver": {"domain", "certificate", "solver"},
    "planner": {*_BELOW_PLANNER, "planner"},
    "report": {*_BELOW_PLANNER, "planner", "report"},
    "adapters": {"domain", "adapters"},
    "live": {*_BELOW_LIVE, "live", ROOT},
    "pipeline": {*_BELOW_LIVE, "pipeline", ROOT},
    "cli": {*_BELOW_LIVE, "live", "pipeline", "cli", ROOT},
    ROOT: {*_BELOW_LIVE, "pipeline", ROOT},
    "__main__": {"cli", "__main__"},
}
"""Room to the rooms that its modules may import; `planner` is the one way in to solving."""

REPORT_WINGS: Final[dict[str, set[str]]] = {
    "words": {"words"},
    "reports": {"words", "reports"},
    "text": {"text"},
    "page": {"page"},
}
"""Wing of `report` to the wings that it may import: no output knows a report."""

MAX_MODULES: Final = 20
"""Modules beside each other in one folder, from the project's rules for what a reader can hold."""

OUTSIDE: Final[dict[str, set[str]]] = {
    "jinja2": {"report"},
    "ortools": {"solver"},
    "networkx": {"heuristics"},
    "matplotlib": {"report"},
    "rich": {"report", "cli"},
    "confluent_kafka": {"adapters", "live"},
    "kafka": {"adapters", "live"},
    "aiokafka": {"live"},
    "pyspark": {"pipeline"},
    "pandas": {"pipeline"},
    "pyarrow": {"pipeline"},
}
"""Package to the rooms that may import it; a package that is not named here is free to all."""


def room_of(module: str) -> str:
    """The room of a module of equilag."""
    return module.split(".")[1] if "." in module else ROOT


def wing_of(module: str) -> str:
    """The wing of a module of `report`; empty for others."""
    return (*module.split("."), "", "")[2] if module.startswith("equilag.report.") else ""


def module_of(path: Path) -> str:
    parts = path.relative_to(CHECKOUT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES: Final = {module_of(path): path for path in sorted((CHECKOUT / "equilag").rglob("*.py"))}
"""Module -> file."""


def imports() -> Iterator[tuple[str, str, int, set[str]]]:
    """Module, file and line of every import, and the modules that it takes something from."""
    for module, path in SOURCES.items():
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        file = path.relative_to(CHECKOUT).as_posix()
        for found in parsed(path.read_text("utf-8")).imports:
            above = package.split(".")[: package.count(".") + 2 - found.level]
            base = ".".join([*above, found.module]).rstrip(".") if found.level else found.module
            inside = {f"{base}.{name}" for name in found.names}
            submodules = inside & SOURCES.keys()
            # `from equilag import group` takes a module; `from equilag import solve` a lazy name.
            all_modules = inside and submodules == inside
            yield module, file, found.line, submodules if all_modules else submodules | {base}


def test_every_import_points_down() -> None:
    wrong, lazy = list[str](), set[str]()
    for module, file, line, targets in imports():
        room = room_of(module)
        lazy |= {module} if "equilag.pipeline.job" in targets else set()
        tops = {target.partition(".")[0] for target in targets} - {"equilag"}
        wrong += [
            f"{file}:{line}: {top} belongs in {' and '.join(sorted(OUTSIDE[top]))}, not in {room}"
            for top in tops
            if room not in OUTSIDE.get(top, {room})
        ]
        own = {room_of(target) for target in targets if target.partition(".")[0] == "equilag"}
        wrong += [
            f"{file}:{line}: {room} may not import {target}"
            for target in sorted(own - ALLOWED[room])
        ]
        wing = wing_of(module)
        wings = {wing_of(target) for target in targets} & REPORT_WINGS.keys()
        wrong += [
            f"{file}:{line}: {wing} may not import {other}"
            for other in sorted(wings - REPORT_WINGS.get(wing, wings))
        ]
    assert wrong == []
    assert "equilag.cli.commands.fleet" in lazy  # what only a function imports is seen


def test_no_module_imports_itself_through_others() -> None:
    """The public surface is left out: it is lazy."""
    modules = SOURCES.keys() - {"equilag"}
    graph = nx.DiGraph(
        (module, target)
        for module, _, _, targets in imports()
        for target in targets & modules
        if module in modules
    )
    circles = [sorted(part) for part in nx.strongly_connected_components(graph)]
    assert [part for part in circles if len(part) > 1] == []


def test_no_folder_is_crowded() -> None:
    """With more modules than a reader keeps in mind."""
    folders = Counter(path.parent for path in SOURCES.values())
    assert {folder: n for folder, n in folders.items() if n > MAX_MODULES} == {}


def test_all_rooms_are_there() -> None:
    assert {room_of(module) for module in SOURCES} == set(ALLOWED)


def test_import_equilag_loads_nothing_heavy() -> None:
    code = f"import equilag, sys; print(*{ {'numpy', *OUTSIDE} } & sys.modules.keys())"
    command = [sys.executable, "-c", code]
    assert subprocess.check_output(command, cwd=CHECKOUT, text=True) == "\n"
