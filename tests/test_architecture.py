"""The rooms of the house: who may import whom, without circles, and what `import equilag` costs.

The modules are parsed, not imported, so an import counts wherever it stands: in a function, under
`TYPE_CHECKING`, or as a name given to `import_module`.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import networkx as nx
import pytest
from support.paths import CHECKOUT
from support.syntax import syntax

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
    ROOT: {*_BELOW_LIVE, ROOT},
    "__main__": {"cli", "__main__"},
}
"""Room to the rooms that its modules may import; `planner` is the one way in to solving."""

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

HEAVY: Final = (
    "numpy", "networkx", "ortools", "pandas", "confluent_kafka", "pyspark", "rich", "matplotlib",
    "jinja2",
)  # fmt: skip


class Import(NamedTuple):
    line: int
    module: str
    names: tuple[str, ...] = ()
    """What a `from … import` takes out of the module; each may be a module itself."""


def imports(tree: ast.Module, package: str) -> Iterator[Import]:
    """Everything that a module of `package` imports, by absolute name."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (Import(node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                above = package.split(".")[: len(package.split(".")) + 1 - level] if level else []
                target = ".".join([*above, *([module] if module else [])])
                yield Import(node.lineno, target, tuple(alias.name for alias in names))
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__")
                | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield Import(node.lineno, name)


def room_of(module: str) -> str:
    """The room of a module of equilag."""
    return module.split(".")[1] if "." in module else ROOT


def reached(found: Import, modules: set[str]) -> set[str]:
    """The modules of equilag that an import takes something from."""
    inside = {f"{found.module}.{name}" for name in found.names}
    submodules = inside & modules
    # `from equilag import group` takes a module; `from equilag import solve` takes a lazy name.
    return submodules if submodules == inside and inside else submodules | {found.module}


def sources(checkout: Path) -> dict[str, Path]:
    """Module -> file, of the package `equilag` of a checkout."""
    files: dict[str, Path] = {}
    for path in sorted((checkout / "equilag").rglob("*.py")):
        parts = path.relative_to(checkout).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return files


def imports_of(module: str, path: Path) -> Iterator[Import]:
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return imports(syntax(path.read_text("utf-8")), package)


def findings(checkout: Path) -> list[str]:
    """Every module without a room, and every import that the rules forbid."""
    files = sources(checkout)
    modules = set(files)
    wrong = []
    for module, path in files.items():
        room = room_of(module)
        file = path.relative_to(checkout).as_posix()
        if room not in ALLOWED:
            wrong.append(f"{file}: {room} is none of the rooms, which are {', '.join(ALLOWED)}")
            continue
        for found in imports_of(module, path):
            place = f"{file}:{found.line}"
            top = found.module.partition(".")[0]
            if top != "equilag":
                if room not in OUTSIDE.get(top, {room}):
                    rooms = " and ".join(sorted(OUTSIDE[top]))
                    wrong.append(f"{place}: {top} belongs in {rooms}, not in {room}")
                continue
            targets = {room_of(target) for target in reached(found, modules)}
            wrong += [
                f"{place}: {room} may not import {target}"
                for target in sorted(targets - ALLOWED[room])
            ]
    return wrong


def circles(checkout: Path) -> list[list[str]]:
    """Modules that import each other in a circle. The public surface is left out: it is lazy."""
    files = sources(checkout)
    modules = set(files)
    graph = nx.DiGraph()
    for module, path in files.items():
        for found in imports_of(module, path):
            for target in reached(found, modules) & modules:
                graph.add_edge(module, target)
    graph.remove_nodes_from(["equilag"])
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


@pytest.mark.parametrize("package", HEAVY)
def test_import_equilag_loads_nothing_heavy(package: str) -> None:
    code = f"import equilag, sys; sys.exit({package!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, check=False).returncode == 0


# The rules themselves, on made-up trees: each must be able to fail.


def tree(folder: Path, files: dict[str, str]) -> Path:
    """A checkout with an empty module `one` in every room, and these files."""
    given = {f"{room}/one.py": "" for room in ALLOWED if not room.startswith("__")} | files
    for name, source in {"__init__.py": "", "__main__.py": "", **given}.items():
        path = folder / "equilag" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(source, "utf-8")
    return folder


def file_of(room: str) -> str:
    return f"{room}.py" if room.startswith("__") else f"{room}/one.py"


@pytest.mark.parametrize("room", ALLOWED)
def test_what_each_room_may_import(tmp_path: Path, room: str) -> None:
    names = {target: f"equilag.{target}.one" for target in ALLOWED}
    names |= {ROOT: "equilag", "__main__": "equilag.__main__"}
    source = "".join(f"from {name} import thing\n" for name in names.values())
    found = findings(tree(tmp_path, {file_of(room): source}))
    assert found == [
        f"equilag/{file_of(room)}:{line}: {room} may not import {target}"
        for line, target in enumerate(names, 1)
        if target not in ALLOWED[room]
    ]


@pytest.mark.parametrize("package", OUTSIDE)
def test_who_may_import_each_package(tmp_path: Path, package: str) -> None:
    files = {file_of(room): f"import {package}.deep as it\n" for room in ALLOWED}
    belongs = f"{package} belongs in {' and '.join(sorted(OUTSIDE[package]))}"
    assert set(findings(tree(tmp_path, files))) == {
        f"equilag/{file_of(room)}:1: {belongs}, not in {room}"
        for room in ALLOWED.keys() - OUTSIDE[package]
    }


@pytest.mark.parametrize(
    "source",
    [
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
    ],
)
def test_each_way_to_import(tmp_path: Path, source: str) -> None:
    (line,) = findings(tree(tmp_path, {"domain/one.py": source + "\n"}))
    assert line.startswith("equilag/domain/one.py:")
    assert line.endswith("domain may not import solver")


def test_a_module_beside_the_rooms_is_found(tmp_path: Path) -> None:
    (line,) = findings(tree(tmp_path, {"newcomer.py": "import ortools\n"}))
    assert line.startswith("equilag/newcomer.py: newcomer is none of the rooms, which are domain, ")


def test_a_circle_is_found(tmp_path: Path) -> None:
    files = {
        "domain/a.py": "from equilag.domain import b\n",
        "domain/b.py": "def f():\n    from equilag.domain.c import x\n",
        "domain/c.py": "from equilag.domain.a import x\nfrom equilag.domain.one import x\n",
    }
    assert circles(tree(tmp_path, files)) == [[f"equilag.domain.{name}" for name in "abc"]]
    files["domain/c.py"] = ""
    assert circles(tree(tmp_path, files)) == []


def test_a_crowded_folder_is_found(tmp_path: Path) -> None:
    files = {f"domain/m{n}.py": "" for n in range(MAX_MODULES - 2)}
    assert crowded(tree(tmp_path, files)) == []
    files["domain/more.py"] = ""
    assert crowded(tree(tmp_path, files)) == [f"equilag/domain: {MAX_MODULES + 1} modules"]
