"""What a prompt and a notebook show of a result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from equilag.domain.plugins import load

NOTEBOOK: Final = "equilag.report.results:notebook_html"
"""By name, as outputs are: results know no report."""


class Shown:
    """A result that a prompt shows in a few lines, and a notebook as its report."""

    __slots__ = ()

    def in_short(self) -> Iterator[str]:
        """Five lines at most, figures with their units."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n  ".join(self.in_short())

    def _repr_html_(self) -> str:
        html: str = load("output", "notebook", NOTEBOOK)(self)
        return html
