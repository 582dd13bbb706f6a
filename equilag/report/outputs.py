"""Outputs by name: the built-in ones, installed ones, and ``module:function``.

An output is a function that takes a report (`equilag.report.report_blocks.Report`) and returns text
or bytes. To add one to equilag: a module beside this one, and a line in `BUILT_IN`. A package of
its own offers outputs as entry points of the group ``equilag.outputs``. Nothing is imported before
it is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from equilag.domain.errors import InputError
from equilag.domain.plugins import Extensions, guarded

if TYPE_CHECKING:
    from equilag.report.report_blocks import Report
    from equilag.report.terminal import Screen

Output = Callable[..., str | bytes]
"""Gets the report; the built-in `text` a screen as well."""
TEXT: Final = "text"
JSON: Final = "json"

BUILT_IN: Final = {
    TEXT: "equilag.report.text.write_text:text_output",
    JSON: "equilag.report.outputs:json_output",
}


OUTPUTS: Final = Extensions("output", "equilag.outputs", "FUNCTION", BUILT_IN)
output_names: Final = OUTPUTS.names


def check_output(name: str) -> None:
    """Raises InputError if there is no such output. A built-in one is not imported for that."""
    if name not in BUILT_IN:
        get_output(name)


def get_output(name: str) -> Output:
    """The output called `name`, or the one at ``module:function``. Raises InputError."""
    output: Output = OUTPUTS.get(name)
    if not callable(output):
        raise InputError(f"output {name!r} is no function of a report", "output")
    return output


def write_report(name: str, made: Report, screen: Screen | None = None) -> str | bytes:
    """What the output makes of the report, text for the screen. Raises InputError if it fails or
    returns neither text nor bytes."""
    output = get_output(name)
    if name == TEXT:
        return output(made, screen)
    if name in BUILT_IN:
        return output(made)
    report: Any = guarded("output", f"output {name!r} failed", lambda: output(made))
    if not isinstance(report, (str, bytes)):
        problem = f"output {name!r} returned {type(report).__name__}, not str or bytes"
        raise InputError(problem, "output")
    return report


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
