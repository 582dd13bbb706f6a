"""JSON documents: their places, other values there, and what the schemas of docs/schemas say."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from support.paths import CHECKOUT

SCHEMAS: Final = CHECKOUT / "docs" / "schemas"
NAMES: Final = tuple(
    sorted(path.name.removesuffix(".schema.json") for path in SCHEMAS.glob("*.schema.json"))
)


@cache
def schema(name: str) -> dict[str, Any]:
    """The schema of a format, as it is published. Not to be changed."""
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))


@cache
def validator(name: str, *, strict: bool = False) -> Draft202012Validator:
    """Of a published schema, which may refer to those beside it; a strict one refuses fields that
    it does not describe."""

    def published(uri: str) -> Resource[Any]:
        found = schema(uri.removesuffix(".schema.json"))
        return Resource.from_contents(_strict(found) if strict else found)

    found = _strict(schema(name)) if strict else schema(name)
    return Draft202012Validator(found, registry=Registry(retrieve=published))


def accepts(name: str, document: Any) -> bool:
    """True if the published schema accepts the document."""
    return validator(name).is_valid(document)


def findings(document: Any) -> list[str]:
    """What is wrong with a document by the schema of its format, which here refuses fields that it
    does not describe."""
    # As a reader gets it: no tuples, no numbers that JSON does not have.
    document = json.loads(json.dumps(document, allow_nan=False))
    name = document["format"].removeprefix("equilag/").removesuffix("/1")
    errors = validator(name, strict=True).iter_errors(document)
    return [f"{error.json_path}: {error.message[:200]}" for error in errors]


def _strict(part: Any) -> Any:
    """The schema without room for fields that it does not describe."""
    if isinstance(part, list):
        return [_strict(one) for one in part]
    if not isinstance(part, dict):
        return part
    found = {key: _strict(value) for key, value in part.items()}
    if "properties" in found and isinstance(found.get("required"), list):
        found.setdefault("additionalProperties", False)
    return found


def part_at(name: str, path: Path) -> dict[str, Any]:
    """The part of a schema that describes what is at the path of a document."""
    part = _resolved(name, schema(name))
    for key in path:
        if isinstance(key, int):
            part = part["items"]
        else:
            part = part.get("properties", {}).get(key) or part["additionalProperties"]
        part = _resolved(name, part)
    return part


def _resolved(name: str, part: dict[str, Any]) -> dict[str, Any]:
    """What a reference leads to; of several choices the first."""
    while "$ref" in part or "anyOf" in part:
        if "anyOf" in part:
            part = part["anyOf"][0]
        else:
            part = schema(name)["$defs"][part["$ref"].removeprefix("#/$defs/")]
    return part


Path = tuple[Any, ...]


def places(document: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of all values of a document, the document itself first."""
    yield path
    if isinstance(document, dict):
        for key, value in document.items():
            yield from places(value, (*path, key))
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from places(value, (*path, index))


def value_at(document: Any, path: Path) -> Any:
    for key in path:
        document = document[key]
    return document


def replaced(document: Any, path: Path, value: Any) -> Any:
    """The document with another value at the path; it shares what lies beside the path."""
    if not path:
        return value
    key, *rest = path
    found = copy.copy(document)
    found[key] = replaced(document[key], (*rest,), value) if rest else value
    return found


def without(document: Any, path: Path) -> Any:
    """The document without the value at the path, which is not the whole of it."""
    rest = copy.copy(value_at(document, path[:-1]))
    del rest[path[-1]]
    return replaced(document, path[:-1], rest)
