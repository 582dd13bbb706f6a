"""The output `json`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from equilag.report.report_blocks import Report

MAX_INDENTED: Final = 2_000
"""Partitions below which JSON is indented. Larger documents are for programs: indenting them takes
as long as making them."""


def to_json(document: Any, n_partitions: int = 0) -> str:
    """JSON in ASCII, so that every name can be written everywhere.

    Raises ValueError for NaN and infinity, which JSON does not have.
    """
    if n_partitions < MAX_INDENTED:
        return json.dumps(document, indent=1, allow_nan=False) + "\n"
    return to_line(document)


def to_line(document: Any) -> str:
    """The same on one line."""
    return json.dumps(document, separators=(",", ":"), allow_nan=False) + "\n"


def json_output(report: Report) -> str:
    """The document of the report."""
    return to_json(report.document(), report.size)
