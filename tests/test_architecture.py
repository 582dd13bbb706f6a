"""The rooms of the house: who may import whom, and what `import equilag` costs.

The modules are parsed, not imported, so an import counts wherever it stands: in a function, under
`TYPE_CHECKING`, or as a name given to `import_module`.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from support.paths import CHECKOUT

DOMAIN: Final = "domain"
"""Every module that no other room claims: a new one starts with the fewest rights."""

ROOT: Final = "__init__"
"""The public surface, which names anything lazily: to import from it may load anything."""

_BELOW_PLANNER: Final = {
    DOMAIN, "exhaustive", "certificate", "heuristics", "solver", "simulation", "worth",
}  # fmt: skip
_BELOW_LIVE: Final = {*_BELOW_PLANNER, "planner", "measuring", "adapters"}

ALLOWED: Final[dict[str, set[str]]] = {
    DOMAIN: {DOMAIN},
    "exhaustive": {DOMAIN, "exhaustive"},
    "certificate": {DOMAIN, "exhaustive", "certificate"},
    "heuristics": {DOMAIN, "heuristics"},
    "solver": {DOMAIN, "exhaustive", "certificate", "solver"},
    "planner": {*_BELOW_PLANNER, "planner"},
    "report": {*_BELOW_PLANNER, "planner", "report"},
    "measuring": {DOMAIN, "measuring"},
    "simulation": {DOMAIN, "simulation"},
    "worth": {DOMAIN, "worth"},
    "adapters": {DOMAIN, "measuring", "adapters", ROOT},
    "live": {*_BELOW_LIVE, "report", "live", ROOT},
    "pipeline": {*_BELOW_LIVE, "report", "pipeline", ROOT},
    "cli": {*_BELOW_LIVE, "report", "live", "pipeline", "cli", ROOT},
    ROOT: {*_BELOW_LIVE, "report", ROOT},
    "__main__": {*_BELOW_LIVE, "report", "live", "pipeline", "cli", ROOT, "__main__"},
}
"""Room to the rooms that its modules may import; `planner` is the one way in to solving."""

OUTSIDE: Final[dict[str, set[str]]] = {
    "jinja2": {"report"},
    "ortools": {"solver"},
    "networkx": {"heuristics", "solver"},
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


FORWARDS: Final = "equilag.adapters.consumers"
"""The old import paths of `equilag.live.consumers`: they count as part of `live`."""


def room_of(module: str) -> str:
    """The room of a module of equilag."""
    if module == FORWARDS or module.startswith(f"{FORWARDS}."):
        return "live"
    top = module.split(".")[1] if "." in module else ROOT
    return top if top in ALLOWED else DOMAIN


def reached(found: Import, modules: set[str]) -> set[str]:
    """The modules of equilag that an import takes something from."""
    inside = {f"{found.module}.{name}" for name in found.names}
    submodules = inside & modules
    # `from equilag import group` takes a module; `from equilag import solve` takes a lazy name.
    return submodules if submodules == inside and inside else submodules | {found.module}


def findings(checkout: Path) -> list[str]:
    """Every import in the package `equilag` of a checkout that the rules forbid."""
    files: dict[str, Path] = {}
    for path in sorted((checkout / "equilag").rglob("*.py")):
        parts = path.relative_to(checkout).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    wrong = []
    for module, path in files.items():
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        room = room_of(module)
        for found in imports(ast.parse(path.read_text("utf-8"), str(path)), package):
            place = f"{path.relative_to(checkout).as_posix()}:{found.line}"
            top = found.module.partition(".")[0]
            if top != "equilag":
                if room not in OUTSIDE.get(top, {room}):
                    rooms = " and ".join(sorted(OUTSIDE[top]))
                    wrong.append(f"{place}: {top} belongs in {rooms}, not in {room}")
                continue
            targets = {room_of(target) for target in reached(found, set(files))}
            wrong += [
                f"{place}: {room} may not import {target}"
                for target in sorted(targets - ALLOWED[room])
            ]
    return wrong


def test_every_import_points_down() -> None:
    assert findings(CHECKOUT) == []


def test_there_is_something_to_check() -> None:
    rooms = {room_of(f"equilag.{path.stem}") for path in (CHECKOUT / "equilag").iterdir()}
    assert rooms == set(ALLOWED)


@pytest.mark.parametrize("package", HEAVY)
def test_import_equilag_loads_nothing_heavy(package: str) -> None:
    code = f"import equilag, sys; sys.exit({package!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, check=False).returncode == 0


# The rules themselves, on made-up trees: each must be able to fail.

MODULE_IN: Final = {
    DOMAIN: "group.py",
    "exhaustive": "exhaustive/search.py",
    "certificate": "certificate/verify.py",
    "heuristics": "heuristics/range.py",
    "solver": "solver/balance.py",
    "planner": "planner/run.py",
    "report": "report/outputs.py",
    "worth": "worth/gain.py",
    "measuring": "measuring/rates.py",
    "simulation": "simulation/fluid_state.py",
    "adapters": "adapters/snapshot.py",
    "live": "live/trigger.py",
    "pipeline": "pipeline/job.py",
    "cli": "cli/plan.py",
    ROOT: "__init__.py",
    "__main__": "__main__.py",
}


def tree(folder: Path, sources: dict[str, str]) -> Path:
    """A checkout with an empty module in every room, and `sources` in place of some."""
    for name in MODULE_IN.values():
        path = folder / "equilag" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.touch()
    for name, source in sources.items():
        (folder / "equilag" / name).write_text(source, "utf-8")
    return folder


def name_of(room: str) -> str:
    """The made-up module of a room as an import names it."""
    if room == ROOT:
        return "equilag"
    return "equilag." + MODULE_IN[room].removesuffix(".py").replace("/", ".")


def test_a_tree_without_imports_has_no_findings(tmp_path: Path) -> None:
    assert findings(tree(tmp_path, {})) == []


@pytest.mark.parametrize("target", ALLOWED)
@pytest.mark.parametrize("room", ALLOWED)
def test_each_pair_of_rooms(tmp_path: Path, room: str, target: str) -> None:
    found = findings(tree(tmp_path, {MODULE_IN[room]: f"from {name_of(target)} import thing\n"}))
    forbidden = f"equilag/{MODULE_IN[room]}:1: {room} may not import {target}"
    assert found == ([] if target in ALLOWED[room] else [forbidden])


@pytest.mark.parametrize("room", ALLOWED)
@pytest.mark.parametrize("package", OUTSIDE)
def test_each_package_from_outside(tmp_path: Path, package: str, room: str) -> None:
    found = findings(tree(tmp_path, {MODULE_IN[room]: f"import {package}.deep as it\n"}))
    assert len(found) == (room not in OUTSIDE[package])
    assert all(f"{MODULE_IN[room]}:1: {package} belongs in" in line for line in found)


@pytest.mark.parametrize(
    "source",
    [
        "import equilag.solver.counts.even_counts",
        "import json, equilag.solver as s",
        "from equilag import solver",
        "from equilag.solver import balance",
        "from equilag.solver.counts.even_counts import *",
        "from . import solver",
        "from .solver.balance import x",
        "def f():\n    from equilag.solver import balance",
        "class C:\n    def f(self):\n        import equilag.solver",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import equilag.solver",
        "try:\n    import equilag.solver\nexcept ImportError:\n    pass",
        "import importlib\nimportlib.import_module('equilag.solver.counts.even_counts')",
        "from importlib import import_module\nimport_module('equilag.solver')",
        "__import__('equilag.solver')",
    ],
)
def test_each_way_to_import(tmp_path: Path, source: str) -> None:
    (line,) = findings(tree(tmp_path, {"group.py": source + "\n"}))
    assert line.startswith("equilag/group.py:")
    assert line.endswith("domain may not import solver")


def test_old_import_paths_forward_to_live_and_nobody_below_uses_them(tmp_path: Path) -> None:
    checkout = tree(tmp_path, {})
    old = checkout / "equilag" / "adapters" / "consumers"
    old.mkdir()
    (old / "listener.py").write_text("from equilag.live.trigger import thing\n", "utf-8")
    assert findings(checkout) == []
    (checkout / "equilag" / "adapters" / "snapshot.py").write_text(
        "from equilag.adapters.consumers.listener import thing\n", "utf-8"
    )
    assert findings(checkout) == ["equilag/adapters/snapshot.py:1: adapters may not import live"]


@pytest.mark.parametrize("dots", ["..", "..."])
def test_relative_imports_further_down(tmp_path: Path, dots: str) -> None:
    checkout = tree(tmp_path, {})
    deep = checkout / "equilag" / "solver" / "cpsat"
    deep.mkdir()
    (deep / "model.py").write_text(f"from {dots}heuristics import range\n", "utf-8")
    wrong = ["equilag/solver/cpsat/model.py:1: solver may not import heuristics"]
    assert findings(checkout) == (wrong if dots == "..." else [])


def test_modules_that_no_room_claims_are_domain(tmp_path: Path) -> None:
    found = findings(tree(tmp_path, {"newcomer.py": "import ortools\nimport equilag.cli\n"}))
    assert found == [
        "equilag/newcomer.py:1: ortools belongs in solver, not in domain",
        "equilag/newcomer.py:2: domain may not import cli",
    ]
