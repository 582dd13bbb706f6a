"""How `make docs` builds the site: the Markdown pages of the checkout as they are, with a menu.

The source folder is the top of the checkout, so that a link between two pages is the same link on
a code-hosting site and here. Needs no network.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from pathlib import Path
from typing import Any, Final

CHECKOUT: Final = Path(__file__).parents[2]

project = "equilag"
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "docs/**/*.md", "samples/README.md"]
exclude_patterns = [".*", "build", "dist", "equilag", "benchmarks", "tests", "requirements"]
myst_heading_anchors = 4
"""As deep as the headings that pages link to."""
suppress_warnings = ["misc.highlighting_failure"]
"""Examples of JSON have places that stand for more (`"…"`), which no lexer takes."""
html_theme = "furo"
html_title = "equilag"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False


def menu() -> dict[str, list[str]]:
    """Each heading of the index of pages with the pages that it links to."""
    found: dict[str, list[str]] = {}
    pages = list[str]()
    for line in (CHECKOUT / "docs/README.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            found[line.removeprefix("## ")] = pages = []
        targets = re.findall(r"\]\(([\w./-]+)\.md\)", line)
        pages.extend(posixpath.normpath(f"docs/{target}") for target in targets)
    return found


def with_menu(_app: Any, name: str, source: list[str]) -> None:
    """Add the menu to the first page; a code-hosting site would show it as a block of code."""
    if name == root_doc:
        source[0] += "".join(
            f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"
            for caption, pages in {"Overview": ["docs/README"], **menu()}.items()
        )


def complete(app: Any, failed: Exception | None) -> None:
    """Add what the builder does not see: a start page, and files that pages name in raw HTML."""
    if failed is None and app.builder.name == "html":
        out = Path(app.outdir)
        start = '<!doctype html><meta http-equiv="refresh" content="0; url=README.html">\n'
        (out / "index.html").write_text(start, "utf-8")
        shutil.copytree(CHECKOUT / "docs/pictures", out / "docs/pictures", dirs_exist_ok=True)


def setup(app: Any) -> None:
    """Register both steps with Sphinx."""
    app.connect("source-read", with_menu)
    app.connect("build-finished", complete)
