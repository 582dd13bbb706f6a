"""What every report's facts have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


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
