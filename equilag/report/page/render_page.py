"""A page: a template filled with a document, all that it needs within one file."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from equilag.report.page.page_filters import FILTERS

if TYPE_CHECKING:
    from jinja2 import Template

CHARTS: Final = "assets/charts.min.js"
"""Apache ECharts, made by ``make page-assets``."""
STYLES: Final = ("static/page.css", "static/parts.css", "static/print.css")
COMMON: Final = ("static/core.js", "static/copy.js", "static/table.js")
"""Scripts of every page."""
CHARTING: Final = (CHARTS, "static/chart.js")
"""Scripts of pages with charts."""
MAX_STATIC_ROWS: Final = 100
"""Rows that a table has without JavaScript: what people read, and a fifth of what 5,000 rows of a
fleet would add to the page."""
NO_WORDS: Final[Mapping[str, Any]] = {}
ESCAPES: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
"""What JSON in HTML must not hold as it is: a name could end the element that it stands in."""


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


def render_page(
    template: str,
    document: Mapping[str, Any],
    *,
    words: Mapping[str, Any] = NO_WORDS,
    scripts: Sequence[str] = (),
    styles: Sequence[str] = (),
    charts: bool = True,
    refresh_s: int | None = None,
) -> str:
    """The page: one file of HTML that loads nothing.

    template: a file in ``templates/`` that extends ``base.html``. It sees the document as ``doc``,
        the words as ``words``, and nothing else of the report.
    document: JSON; the page carries it, and its scripts read it.
    words: sentences that other outputs write as well. Its ``labels``, if any, are short names, and
        ``narrow_labels`` shorter ones for charts on a phone: what is not among them is cut in its
        middle.
    scripts: the page's own ones, below this package, run in this order after those of every page.
    styles: the page's own ones, likewise.
    charts: True if the page draws any.
    refresh_s: for pages that are served live: how often they read what is new from their server.
        Without JavaScript they load themselves again instead.
    """
    names = [*COMMON, *(CHARTING if charts else ()), *scripts]
    inline = [inline_file(name) for name in names]
    return _template(template).render(
        doc=document,
        words=words,
        labels=words.get("labels", NO_WORDS),
        narrow_labels=words.get("narrow_labels", NO_WORDS),
        data=json_in_html(document),
        scripts=[one.text for one in inline],
        styles=[inline_file(name).text for name in (*STYLES, *styles)],
        policy=content_policy([one.digest for one in inline], is_live=refresh_s is not None),
        refresh_s=refresh_s,
        max_static_rows=MAX_STATIC_ROWS,
    )


def render_part(template: str, document: Mapping[str, Any]) -> str:
    """A part of a page that is served live: HTML without a frame."""
    return _template(template).render(doc=document)


def json_in_html(document: Mapping[str, Any]) -> Markup:
    """The document as JSON that may stand in an element ``script``. Raises ValueError for numbers
    that JSON does not have."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    return Markup(text.translate(ESCAPES))


def content_policy(digests: Sequence[str], is_live: bool = False) -> str:
    """What the page may do: run its own scripts and look as it does; load nothing. One that is
    live may ask its own server.

    Styles are free since the charts set some on single elements; nothing can be loaded by one.
    """
    scripts = " ".join(digests)
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data:;"
        " base-uri 'none'; form-action 'none'" + ("; connect-src 'self'" if is_live else "")
    )


@cache
def _template(name: str) -> Template:
    environment = Environment(
        loader=PackageLoader("equilag.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FILTERS, in_script=json_in_html)
    return environment.get_template(name)
