"""The scripts and styles of the pages, which each page carries in full."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from markupsafe import Markup

CHARTS: Final = "assets/charts.min.js"
"""Apache ECharts, made by ``make page-assets``."""


class Inline(NamedTuple):
    """A file of this package as it stands in a page."""

    text: Markup
    digest: str
    """Its SHA-256, as a Content-Security-Policy names it."""


@cache
def inline_file(name: str) -> Inline:
    """The file, by its path below this package.

    A parser of HTML must not see the end of its element, so there is no ``</`` before ``script`` or
    ``style`` in these files; a test checks that.
    """
    text = (files(__package__) / name).read_text("utf-8")
    found = hashlib.sha256(text.encode()).digest()
    return Inline(Markup(text), f"'sha256-{b64encode(found).decode()}'")
