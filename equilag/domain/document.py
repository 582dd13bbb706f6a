"""What programs, prompts and notebooks get of results and figures.

JSON has the fields of dataclasses and named tuples, and their properties.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

from equilag.domain.plugins import load


def to_document(value: Any, without_none: bool = False) -> Any:
    """JSON of a value, with names as they are, of dataclasses `without_none` those that have a
    value. An object with `to_dict` decides for itself; a figure that is no finite number becomes
    null."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "to_dict"):
        return to_document(value.to_dict())
    if is_dataclass(value) or hasattr(value, "_fields"):
        given = (row for row in _named(value) if not without_none or row[1] is not None)
        return {name: to_document(own, without_none) for name, own in given}
    if isinstance(value, Mapping):
        return {str(key): to_document(own) for key, own in value.items()}
    if isinstance(value, Sequence):
        return [to_document(own) for own in value]
    raise TypeError(f"{type(value).__name__} has no JSON")


def _named(value: Any) -> Iterator[tuple[str, Any]]:
    cls = type(value)
    names = [field.name for field in fields(value)] if is_dataclass(value) else value._fields
    properties = (name for name in vars(cls) if isinstance(vars(cls)[name], property))
    for name in (*names, *properties):
        if not name.startswith("_"):
            yield name, getattr(value, name)


def field_texts(cls: type) -> dict[str, str]:
    """Name -> the text below a field of a class, or that of a property, as its source has it."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(tree, ast.ClassDef)
    texts = {}
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(node, ast.FunctionDef):
            texts[node.name] = ast.get_docstring(node) or ""
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            match after:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    texts[node.target.id] = inspect.cleandoc(text)
    return {name: text.replace("\n", " ") for name, text in texts.items() if text}


RESULTS: Final = "equilag.report.results"
"""By name, as outputs are: results know no report."""


class Shown:
    """A result that a prompt shows by the first lines of its report, and a notebook by its page."""

    __slots__ = ()

    def __repr__(self) -> str:
        text: str = load("output", "prompt", f"{RESULTS}:prompt_text")(self)
        return text

    def _repr_html_(self) -> str:
        html: str = load("output", "notebook", f"{RESULTS}:notebook_html")(self)
        return html
