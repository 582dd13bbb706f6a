"""Files that were given in place of others: what they are, and the command that takes them."""

from __future__ import annotations

import json
import re
from typing import Final

SNAPSHOT_KIND: Final = "snapshot"
PLAN_KIND: Final = "plan"
TEXT_KIND: Final = "text"

_WANTED: Final = {
    SNAPSHOT_KIND: "a snapshot is required: equilag snapshot makes one",
    PLAN_KIND: "a plan is required: equilag plan --out makes one",
    TEXT_KIND: "a text of kafka-consumer-groups --describe is required; JSON is read without"
    " --from-describe",
}
_DESCRIBE: Final = (
    "the output of kafka-consumer-groups: use --from-describe, as in equilag snapshot"
    " --from-describe TEXT --out group.json"
)
_DOCUMENTS: Final = {
    "snapshot": "a snapshot",
    "plan": "a plan; give it after the snapshot, as in equilag verify SNAPSHOT PLAN",
    "comparison": "what equilag compare --json prints",
    "explanation": "what equilag explain --json prints",
    "frontier": "what equilag frontier --json prints",
    "size": "what equilag size --json prints",
    "simulation": "what equilag simulate --json prints",
    "verification": "what equilag verify --json prints",
    "groups": "what equilag groups --json prints",
    "collection": "what equilag collect --json prints",
    "fleet": "the summary of a fleet run; equilag fleet show takes its directory",
    "fleet-report": "what equilag fleet show --json prints",
    "fleet-export": "what equilag fleet export --json prints",
    "steward-state": "the state that a steward keeps",
    "steward-status": "the status of a steward",
    "steward-history": "the history of a steward",
}
"""Kind in the field `format` of a document -> what the document is."""
_FORMAT: Final = re.compile(r"equilag/([a-z-]{1,30})/\d{1,3}")
_HTML: Final = re.compile(r"\s*(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html)\b", re.I | re.S)
_FAILED: Final = re.compile(r"^Error\b.{0,40}\bexecuting consumer group command", re.I | re.M)
"""What kafka-consumer-groups prints in place of a table."""
_MAX_PASTED: Final = 1_000_000
"""Characters in which the table of a pasted text is looked for."""


def mistaken_text(text: str, wanted: str) -> str | None:
    """Return what a file is that was given for one of the kind `wanted`; None if that is unknown.

    Only for a file that could not be read: the whole of it is looked at again.
    """
    if not text.strip():
        return f"empty; {_WANTED[wanted]}"
    if _HTML.match(text):
        return f"an HTML page; {_WANTED[wanted]}"
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        if wanted == TEXT_KIND or text.lstrip()[:1] in ("{", "["):
            return None
        if _is_described(text[:_MAX_PASTED]):
            return _DESCRIBE if wanted == SNAPSHOT_KIND else f"{_DESCRIBE}; {_WANTED[wanted]}"
        return f"not JSON; {_WANTED[wanted]}"
    return mistaken_format(value.get("format"), wanted) if isinstance(value, dict) else None


def mistaken_format(kind: object, wanted: str) -> str | None:
    """Return what a document is by its field `format`; None if it is of the kind `wanted`."""
    match = _FORMAT.fullmatch(kind) if isinstance(kind, str) else None
    if match is None or match[1] == wanted or match[1] not in _DOCUMENTS:
        return None
    return f"{_DOCUMENTS[match[1]]}; {_WANTED[wanted]}"


def _is_described(text: str) -> bool:
    """True if a tool printed tables about a group in the text, or why it could not."""
    if _FAILED.search(text):
        return True
    from equilag.adapters.describe.cut_lines import headless_table
    from equilag.adapters.describe.find_tables import find_tables

    found = find_tables(text)
    return bool(found.tables) or headless_table(text, found) is not None
