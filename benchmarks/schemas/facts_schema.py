"""JSON Schemas (draft 2020-12) of what `facts_json` makes of facts, from their dataclasses.

Descriptions are the texts below the fields, and those of properties.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

from equilag.domain.document import field_texts

ANYTHING: Final[dict[str, Any]] = {}
"""The schema of a value that writes itself (`to_dict`), whatever that is."""
_PLAIN: Final[Mapping[object, dict[str, Any]]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    float: {"type": ["number", "null"]},  # null where it is not finite
    NoneType: {"type": "null"},
    Any: ANYTHING,
    object: ANYTHING,
}


def definitions_of(*classes: type) -> dict[str, Any]:
    """Class name -> schema, of `classes` and of every class that their fields lead to, by name."""
    made: dict[str, Any] = {}
    waiting = [*classes]
    while waiting:
        current = waiting.pop()
        if current.__name__ not in made:
            made[current.__name__] = _object_schema(current, waiting.append)
    return dict(sorted(made.items()))


def _object_schema(cls: type, found: Callable[[type], None]) -> dict[str, Any]:
    """The schema of one class; `found` is called with each class that a field leads to."""
    texts, names = field_texts(cls), _namespace(cls)
    properties = {}
    for name, annotation in _members(cls):
        # A type itself where the module does not put annotations off.
        kind = eval(annotation, names) if isinstance(annotation, str) else annotation
        schema = _schema(kind, found)
        properties[name] = {"description": texts[name], **schema} if name in texts else schema
    about = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
    return {
        **({} if about.startswith(f"{cls.__name__}(") else {"description": about}),
        "type": "object",
        "required": list(properties),
        "properties": properties,
    }


def _members(cls: type) -> Iterator[tuple[str, str | type]]:
    """Fields and properties that `facts_json` writes, with their annotations as text."""
    if is_dataclass(cls):
        named: dict[str, Any] = {field.name: field.type for field in fields(cls)}
    else:
        named = dict(cls.__annotations__)
    for name, value in vars(cls).items():
        if isinstance(value, property):
            named[name] = inspect.get_annotations(value.fget or _members)["return"]
    for name, annotation in named.items():
        if not name.startswith("_"):
            # A named tuple keeps its annotations wrapped.
            yield name, getattr(annotation, "__forward_arg__", annotation)


def _schema(kind: Any, found: Callable[[type], None]) -> dict[str, Any]:
    """The schema of a value of a type."""
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    origin, args = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (Union, UnionType):
        return _any_of([_schema(one, found) for one in args])
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(args[1], found)}
    if origin is tuple and args[-1] is not Ellipsis:
        items = [_schema(one, found) for one in args]
        return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
    if origin is not None and issubclass(origin, Sequence):
        return {"type": "array", "items": _schema(args[0], found)}
    if hasattr(kind, "to_dict"):
        return dict(ANYTHING)
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        found(kind)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    raise TypeError(f"{kind!r} is no fact")


def _any_of(choices: list[dict[str, Any]]) -> dict[str, Any]:
    """One of several schemas; simple types are written as a list of types."""
    if ANYTHING in choices:
        return dict(ANYTHING)
    if all(one.keys() == {"type"} for one in choices):
        types = [one["type"] for one in choices]
        flat = [name for one in types for name in (one if isinstance(one, list) else [one])]
        return {"type": list(dict.fromkeys(flat))}
    return {"anyOf": choices}


def _namespace(cls: type) -> dict[str, Any]:
    """The names that annotations of a class use, those of `if TYPE_CHECKING:` included."""
    module = import_module(cls.__module__)
    names = dict(vars(module))
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if alias.name not in names:
                    names[alias.name] = getattr(import_module(node.module), alias.name)
    return names
