"""A copy that is cut does not say who reads what, and is not taken for a group without members."""

from __future__ import annotations

from typing import Any

import pytest
from support.paths import SAMPLES

import equilag
from equilag.adapters.describe.describe_text import read_describe
from equilag.adapters.describe.printed_text import PrintedText
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.adapters.snapshot.write import snapshot_document
from equilag.domain.group.group import Group

LINES = (SAMPLES / "token-indexer.describe.txt").read_text("utf-8").splitlines()
WHOLE = LINES[2].index(" /127") + 1
"""Columns from which on the ids of members, all of one length, are whole."""


def reasons(text: str) -> tuple[str, ...]:
    return read_describe(PrintedText(text)).given.get("incomplete", ())


@pytest.mark.parametrize("width", [75, 80, *range(90, WHOLE - 1, 9), WHOLE - 2, WHOLE - 1])
def test_a_screen_cuts_its_lines(width: int) -> None:
    text = "".join(f"{line[:width].rstrip()}\n" for line in LINES)
    given = read_describe(PrintedText(text)).given
    assert ("incomplete" in given) == (width < WHOLE - 1)
    group = load_snapshot(snapshot_document(Group.build(**given)))  # kept in a saved group
    assert group.incomplete == given.get("incomplete", ())
    if group.incomplete:
        verdict = equilag.solve(group, time_limit=0).verdict
        assert verdict is not None
        assert (verdict.action, verdict.causes[0].cause) == ("cannot-tell", "incomplete-input")
        assert verdict.plan_helps is False


def test_what_else_is_missing() -> None:
    whole = "\n".join(LINES) + "\n"
    assert reasons(whole) == ()
    assert "not in the text" in reasons("\n".join([*LINES[:5], *LINES[9:]]))[0]
    assert "cut off" in reasons("\n".join(LINES)[:-100])[0]
    nobody = "".join(f"{line[:80]}\n" for line in LINES)
    assert reasons(f"Consumer group 'token-indexer' has no active members.\n{nobody}") == ()
    no_host = "\n".join(" ".join(line.split()[:7]) for line in LINES)
    assert reasons(no_host) == ()  # the ids are whole
    assert reasons(no_host.replace("-9bc2-", "-")) != ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("orders 0 5 9 4\n", "The text has no header line, and its rows name no member."),
        (
            "TOPIC,PARTITION,CURRENT-OFFSET,LOG-END-OFFSET,LAG\norders,0,5,9,4\n",
            "The header in line 1 has no column of the members.",
        ),
    ],
)
def test_a_table_without_a_column_of_the_members(text: str, reason: str) -> None:
    assert reasons(text) == (reason,)


ONE = "stats-3-7d3b7fa4-a1f3-4766-a5c5-74e4fe621933"


@pytest.mark.parametrize(
    ("name", "options", "guessed"),
    [
        ("stats", {}, 6), ("stats", {"as_owned": True}, 0),
        ("stats", {"subscribe": {ONE: ["lines"]}}, 5), ("audit", {}, 0),
    ],
)  # fmt: skip
def test_subscriptions_that_are_a_guess(name: str, options: Any, guessed: int) -> None:
    text = (SAMPLES / f"{name}.describe.txt").read_text("utf-8")
    group = Group.build(**read_describe(PrintedText(text), **options).given)
    assert len(group.assumed_subscribers) == guessed
    saved = load_snapshot(snapshot_document(group))
    assert saved.assumed_subscribers == group.assumed_subscribers
