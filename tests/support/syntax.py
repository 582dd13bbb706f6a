"""What tests of the package's structure have to know of a module, from one look at its syntax."""

from __future__ import annotations

import ast
import gc
from functools import cache
from typing import NamedTuple


class Import(NamedTuple):
    line: int
    module: str
    names: tuple[str, ...] = ()
    """What a `from … import` takes out of the module; each may be a module itself."""
    level: int = 0
    """Dots before the module."""


class Parsed(NamedTuple):
    imports: list[Import]
    functions: list[tuple[str, int, int]]
    """Name, lines and parameters, without self and cls; of methods and inner ones too."""
    classes: list[str]


@cache
def parsed(source: str) -> Parsed:
    gc.disable()  # a tree has no garbage, and looking for it takes twice as long as parsing
    tree = ast.parse(source)
    gc.enable()
    found = Parsed([], [], [])
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found.imports.extend(Import(node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                taken = tuple(alias.name for alias in names)
                found.imports.append(Import(node.lineno, module or "", taken, level))
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__")
                | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                found.imports.append(Import(node.lineno, name))
            case ast.ClassDef(name=name):
                found.classes.append(name)
            case ast.FunctionDef(name=name, args=of) | ast.AsyncFunctionDef(name=name, args=of):
                names = [one.arg for one in of.posonlyargs + of.args + of.kwonlyargs]
                n = len(names) - (names[:1] in (["self"], ["cls"])) + bool(of.vararg)
                lines = (node.end_lineno or 0) - node.lineno + 1
                found.functions.append((name, lines, n + bool(of.kwarg)))
    return found
