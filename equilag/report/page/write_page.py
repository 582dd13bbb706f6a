"""The page of a report: one file of HTML that loads nothing."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from equilag.domain.figures import BEFORE_UNIT, number
from equilag.report.page.block_views import Views, packed
from equilag.report.report_blocks import Headline, Report, Section, Title
from equilag.report.short_names import member_names

if TYPE_CHECKING:
    from jinja2 import Template

LABEL_WIDTH: Final = 24
"""Characters of a member's name: a third of a phone's screen."""
KINDS: Final = {"group-report": "group report", "fleet": "fleet", "steward": "steward"}
STYLES: Final = ("page.css", "blocks.css", "pictures.css", "print.css")
SCRIPTS: Final = ("core.js", "copy.js", "table.js", "pictures.js")
LIVE: Final = "live.js"
"""The script of a page that follows its server."""


def page_of(
    report: Report,
    *,
    made_at: str | None = None,
    refresh_s: float | None = None,
    is_embedded: bool = False,
) -> str:
    """The page as HTML.

    made_at: the time that it names as that of its making.
    refresh_s: for pages that are served live: how often they read what is new from their server.
        Without JavaScript they load themselves again instead.
    is_embedded: without the frame of a page, and without its data.
    """
    live = refresh_s is not None
    scripts = [inline_file(name) for name in (*SCRIPTS, *((LIVE,) if live else ()))]
    found = _parts(report)
    return _template("page.html").render(
        **found,
        kind=KINDS.get(report.kind, report.kind),
        made_at=made_at,
        refresh_s=refresh_s,
        is_embedded=is_embedded,
        document=None if live or is_embedded else packed(report.document()),
        scripts=scripts,
        styles=Markup("\n").join(inline_file(name) for name in STYLES),
        policy=content_policy(scripts, is_live=live),
    )


def cards_of(report: Report) -> str:
    """What changes of a page that is served live, as HTML without a frame."""
    return _template("cards.html").render(**_parts(report))


def _parts(report: Report) -> dict[str, Any]:
    """What the templates see of a report: its title, the first card, and one for each section."""
    views = Views(member_names(report.names, LABEL_WIDTH))
    blocks = report.blocks()
    title = next((one for one in blocks if isinstance(one, Title)), Title(report.kind, ()))
    headline = next((one for one in blocks if isinstance(one, Headline)), Headline(""))
    return {
        "title": title,
        "headline": headline.words,
        "tone": headline.tone,
        "first": [views.view(one) for one in blocks if not isinstance(one, (Section, Title))],
        "cards": [views.view(one) for one in blocks if isinstance(one, Section)],
        "prose": views.prose,
    }


@cache
def inline_file(name: str) -> Markup:
    """A style or script as it stands in a page.

    A parser of HTML must not see the end of its element, so there is no ``</`` before ``script`` or
    ``style`` in these files; a test checks that.
    """
    return Markup((files(__package__) / "static" / name).read_text("utf-8"))


def content_policy(scripts: Sequence[str], is_live: bool = False) -> str:
    """What the page may do: run its own scripts and look as it does; load nothing. One that is
    live may ask its own server. Styles are free, since elements have the sizes of bars."""
    digests = (b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts)
    own = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {own}; style-src 'unsafe-inline'; img-src data:;"
        " base-uri 'none'; form-action 'none'" + ("; connect-src 'self'" if is_live else "")
    )


def _prose(words: str, named: Callable[[str], str]) -> str:
    """Words with short names, in which no line ends between a figure and its unit."""
    return BEFORE_UNIT.sub("\u00a0", named(words))


@cache
def _template(name: str) -> Template:
    environment = Environment(
        loader=PackageLoader("equilag.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(prose=_prose, number=number)
    return environment.get_template(name)
