"""Where two JSON values differ, one line per place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

MAX_WIDTH: Final = 60
"""Characters of a value in a message, so that a finding stays on about one line."""
TOLERANCE: Final = 1e-9
"""For means and percentages, relative and absolute: JSON writers round the last digits."""
LARGEST: Final = 2**80
"""`math.isclose` cannot take whole numbers beyond floats; no true figure comes near this one."""


def differences(want: Any, got: Any, place: str) -> Iterator[str]:
    """One line for each place where `got` is not `want`."""
    if isinstance(want, dict):
        if not isinstance(got, Mapping):
            yield f"{place}: {shortened(got)} is not an object"
            return
        for key in [k for k in want if k not in got]:
            yield f"{place}.{key}: missing"
        for key in [k for k in got if k not in want]:
            yield f"{place}.{key}: unexpected"
        for key in want:
            if key in got:
                yield from differences(want[key], got[key], f"{place}.{key}")
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        # Equal lists of numbers need no second look; in anything else true may stand for 1.
        if want != got or any(type(item) is not int for item in got):
            for number, (one, other) in enumerate(zip(want, got, strict=True)):
                yield from differences(one, other, f"{place}[{number}]")
    elif isinstance(want, float) and type(got) in (int, float):
        close = abs(got) <= LARGEST and math.isclose(
            want, got, rel_tol=TOLERANCE, abs_tol=TOLERANCE
        )
        if not close:
            yield f"{place}: {got}, should be {want}"
    elif type(want) is not type(got) or want != got:
        yield f"{place}: {shortened(got)}, should be {shortened(want)}"


def shortened(value: Any) -> str:
    """A value as text of at most MAX_WIDTH characters."""
    text = repr(value)
    return text if len(text) <= MAX_WIDTH else text[: MAX_WIDTH - 3] + "..."
