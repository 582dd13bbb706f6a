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
    "networkx": set(),
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


def sources(checkout: Path) -> dict[str, Path]:
    """Module -> file, of the package `equilag` of a checkout."""
    files: dict[str, Path] = {}
    for path in sorted((checkout / "equilag").rglob("*.py")):
        parts = path.relative_to(checkout).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return files


def imports(checkout: Path) -> Iterator[tuple[str, str, int, set[str]]]:
    """Module, file and line of every import, and the modules that it takes something from."""
    files = sources(checkout)
    for module, path in files.items():
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        file = path.relative_to(checkout).as_posix()
        for found in parsed(path.read_text("utf-8")).imports:
            above = package.split(".")[: package.count(".") + 2 - found.level]
            base = ".".join([*above, found.module]).rstrip(".") if found.level else found.module
            inside = {f"{base}.{name}" for name in found.names}
            submodules = inside & files.keys()
            # `from equilag import group` takes a module; `from equilag import solve` a lazy name.
            all_modules = inside and submodules == inside
            yield module, file, found.line, submodules if all_modules else submodules | {base}


def findings(checkout: Path) -> list[str]:
    """Every module without a room, and every import that the rules forbid."""
    wrong = []
    for module, path in sources(checkout).items():
        if (room := room_of(module)) not in ALLOWED:
            file = path.relative_to(checkout).as_posix()
            wrong.append(f"{file}: {room} is none of the rooms, which are {', '.join(ALLOWED)}")
    for module, file, line, targets in imports(checkout):
        room = room_of(module)
        if room not in ALLOWED:
            continue
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
    return wrong


def circles(checkout: Path) -> list[list[str]]:
    """Modules that import each other in a circle. The public surface is left out: it is lazy."""
    modules = sources(checkout).keys() - {"equilag"}
    graph = nx.DiGraph(
        (module, target)
        for module, _, _, targets in imports(checkout)
        for target in targets & modules
        if module in modules
    )
    found_circles = [sorted(part) for part in nx.strongly_connected_components(graph)]
    return sorted(part for part in found_circles if len(part) > 1)


def crowded(checkout: Path) -> list[str]:
    """Folders that hold more modules than a reader keeps in mind."""
    folders = Counter(path.parent for path in sources(checkout).values())
    return [
        f"{folder.relative_to(checkout).as_posix()}: {n} modules"
        for folder, n in sorted(folders.items())
        if n > MAX_MODULES
    ]


def test_every_import_points_down() -> None:
    assert findings(CHECKOUT) == []


def test_no_module_imports_itself_through_others() -> None:
    assert circles(CHECKOUT) == []


def test_no_folder_is_crowded() -> None:
    assert crowded(CHECKOUT) == []


def test_all_rooms_are_there() -> None:
    assert {room_of(module) for module in sources(CHECKOUT)} == set(ALLOWED)


def test_import_equilag_loads_nothing_heavy() -> None:
    code = f"import equilag, sys; print(*{ {'numpy', *OUTSIDE} } & sys.modules.keys())"
    command = [sys.executable, "-c", code]
    assert subprocess.check_output(command, cwd=CHECKOUT, text=True) == "\n"


# What the package itself does not have: other ways to import, and a circle.


def tree(folder: Path, files: dict[str, str]) -> Path:
    """A checkout with an empty module `one` in every room, and these files."""
    given = {f"{room}/one.py": "" for room in ALLOWED if not room.startswith("__")} | files
    for name, source in {"__init__.py": "", "__main__.py": "", **given}.items():
        path = folder / "equilag" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(source, "utf-8")
    return folder


WAYS: Final = (
    "import json, equilag.solver.counts as s",
    "from equilag import solver",
    "from equilag.solver.one import *",
    "from .. import solver",
    "from ..solver.one import x",
    "class C:\n    def f(self):\n        import equilag.solver",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import equilag.solver",
    "import importlib\nimportlib.import_module('equilag.solver.one')",
    "from importlib import import_module\nimport_module('equilag.solver')",
    "__import__('equilag.solver')",
)


def test_each_way_to_import_is_found(tmp_path: Path) -> None:
    for number, source in enumerate(WAYS):
        (line,) = findings(tree(tmp_path / str(number), {"domain/one.py": source + "\n"}))
        assert line.startswith("equilag/domain/one.py:")
        assert line.endswith("domain may not import solver")


def test_a_circle_is_found(tmp_path: Path) -> None:
    files = {
        "domain/a.py": "from equilag.domain import b\n",
        "domain/b.py": "def f():\n    from equilag.domain.c import x\n",
        "domain/c.py": "from equilag.domain.a import x\nfrom equilag.domain.one import x\n",
    }
    assert circles(tree(tmp_path, files)) == [[f"equilag.domain.{name}" for name in "abc"]]
    files["domain/c.py"] = ""
    assert circles(tree(tmp_path, files)) == []
