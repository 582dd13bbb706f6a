"""What a stream can show: its width, colours, and signs beyond ASCII."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import IO, Final

DEFAULT_WIDTH: Final = 100
"""Columns of a report that no terminal shows: piped output does not depend on where it runs."""
MAX_WIDTH: Final = 120
"""Lines of prose that are longer are hard to read."""
MIN_WIDTH: Final = 50
"""Columns below which no table of figures fits."""
SIGNS: Final = "█▏…→─"


@dataclass(frozen=True, slots=True)
class Screen:
    """How text looks: its width, whether in colours, whether in ASCII only."""

    width: int = DEFAULT_WIDTH
    colour: bool = False
    ascii: bool = False

    @staticmethod
    def of(stream: IO[str] | None) -> Screen:
        """Colours only on a terminal that wants them, and only signs that the stream can encode."""
        columns = shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns
        width = max(MIN_WIDTH, min(MAX_WIDTH, columns))
        colour = is_terminal(stream) and wants_control_codes()
        return Screen(width, colour, not _encodes_signs(stream))

    @property
    def arrow(self) -> str:
        return "->" if self.ascii else "→"

    @property
    def dots(self) -> str:
        return "..." if self.ascii else "…"


def is_terminal(stream: IO[str] | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def wants_control_codes() -> bool:
    """False if the user asked for plain text (no-color.org), or the terminal is a dumb one."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _encodes_signs(stream: IO[str] | None) -> bool:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        SIGNS.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
