"""What a stream can show: its width, colours, and signs beyond ASCII."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import IO, Final

from equilag.domain.figures import in_ascii

DEFAULT_WIDTH: Final = 100
"""Columns of a report that no terminal shows: piped output does not depend on where it runs."""
MAX_PROSE: Final = 120
"""Columns of prose at most: longer lines are hard to read. Tables take what the screen has."""
MIN_WIDTH: Final = 50
"""Columns below which no table of figures fits."""
MAX_WIDTH: Final = 1000
"""Columns of the widest screen: more than any terminal or printer has."""
COLORS: Final = ("auto", "always", "never")
"""When a report has colours; auto: on a terminal, unless the environment says otherwise."""
FORCING: Final = ("FORCE_COLOR", "CLICOLOR_FORCE")
"""Variables that ask for colours where no terminal is (force-color.org, bixense.com/clicolors)."""
SIGNS: Final = "█▏…→─"


@dataclass(frozen=True, slots=True)
class Screen:
    """How text looks: its width, whether in colours, whether in ASCII only."""

    width: int = DEFAULT_WIDTH
    colour: bool = False
    ascii: bool = False

    @staticmethod
    def of(stream: IO[str] | None, width: int | None = None, color: str = "auto") -> Screen:
        """The screen that a stream shows, `width` columns wide, else as wide as the terminal.

        `color` is one of `COLORS`. Only signs that the stream can encode are used.
        """
        if width is None:
            width = shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns
        width = max(MIN_WIDTH, min(MAX_WIDTH, width))
        colour = color == "always" or (color == "auto" and _has_colours(stream))
        return Screen(width, colour, not _encodes_signs(stream))

    @property
    def prose(self) -> int:
        """Columns of prose at most."""
        return min(self.width, MAX_PROSE)

    @property
    def dots(self) -> str:
        return "..." if self.ascii else "…"

    def signs(self, text: str) -> str:
        """The text in the signs of the screen."""
        if not self.ascii:
            return text
        return in_ascii(text.replace("→", "->").replace("×", "x").replace("…", self.dots))


def is_terminal(stream: IO[str] | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def wants_control_codes() -> bool:
    """False if the user asked for plain text (no-color.org), or the terminal is a dumb one."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _has_colours(stream: IO[str] | None) -> bool:
    """What the environment asks for, NO_COLOR first; else whether the stream is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if any(os.environ.get(name, "0") not in ("", "0") for name in FORCING):
        return True
    return is_terminal(stream) and wants_control_codes() and os.environ.get("CLICOLOR") != "0"


def _encodes_signs(stream: IO[str] | None) -> bool:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        SIGNS.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
