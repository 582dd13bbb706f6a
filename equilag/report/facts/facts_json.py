"""What all facts have in common, and facts as JSON: the fields of dataclasses and named tuples, and
their properties, by name."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final, Protocol

NOT_IN_JSON: Final = {"json": False}
"""Metadata of a field that holds the result itself, from which the facts were made."""
_OF_PROTOCOL: Final = frozenset({"kind", "size"})
"""What the facts of a whole report have for outputs alone."""


def facts_json(facts: Any) -> Any:
    """JSON of facts, with names as they are. An object with `to_dict` decides for itself; a figure
    that is no finite number becomes null."""
    if facts is None or isinstance(facts, (str, bool, int)):
        return facts
    if isinstance(facts, float):
        return facts if math.isfinite(facts) else None
    if hasattr(facts, "to_dict"):
        return facts_json(facts.to_dict())
    if is_dataclass(facts) or hasattr(facts, "_fields"):
        return {name: facts_json(value) for name, value in _named(facts)}
    if isinstance(facts, Mapping):
        return {str(key): facts_json(value) for key, value in facts.items()}
    if isinstance(facts, Sequence):
        return [facts_json(value) for value in facts]
    raise TypeError(f"{type(facts).__name__} is no fact")


def hidden_names(cls: type) -> set[str]:
    """Fields and properties of a class of facts that are not in JSON."""
    hidden = set(_OF_PROTOCOL) if hasattr(cls, "document") else set()
    if is_dataclass(cls):
        hidden |= {field.name for field in fields(cls) if not field.metadata.get("json", True)}
    return hidden


def _named(facts: Any) -> Iterator[tuple[str, Any]]:
    cls = type(facts)
    names = [field.name for field in fields(facts)] if is_dataclass(facts) else facts._fields
    hidden = hidden_names(cls)
    properties = (name for name in vars(cls) if isinstance(vars(cls)[name], property))
    for name in (*names, *properties):
        if name not in hidden and not name.startswith("_"):
            yield name, getattr(facts, name)


class Facts(Protocol):
    """The facts of one report. An output gets them as its only argument."""

    @property
    def kind(self) -> str:
        """``plan``, ``comparison``, ``frontier``, ``verification``, ``size``, ``simulation``,
        ``live-groups``, ``steward``, ``fleet``, ``fleet-export``, ``collection``."""
        ...

    @property
    def size(self) -> int:
        """Partitions that the document lists one by one; a large document is written compactly."""
        ...

    def document(self) -> Mapping[str, Any]:
        """The report's JSON."""
        ...
