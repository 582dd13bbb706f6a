"""The page of `steward --status`, from facts that went through JSON."""

from __future__ import annotations

import json

import pytest
from support.made_stewards import made_steward

from equilag.domain.errors import InputError
from equilag.report.facts.stewards.steward import read_steward_facts
from equilag.report.terminal import Screen
from equilag.report.text.tables.pages import text_for


def test_facts_come_back_from_their_json() -> None:
    facts = made_steward().facts
    assert read_steward_facts(json.loads(json.dumps(facts.document()))) == facts


def test_the_page() -> None:
    text = text_for(made_steward().facts, Screen(100))
    assert text.startswith(
        "Uneven: waiting for the end of the cooldown; the heaviest member has 148 % of a fair share"
    )
    assert "orders-0" in text
    assert "~1,200" in text
    assert "worth-it: 2 moves, heaviest member 148 % to 109 % of a fair share" in text
    assert "handouts:sticky 1" in text
    assert "rebalance (warning): moves: orders-1 a to b" in text
    assert max(map(len, text.splitlines())) <= 100


def test_many_members_and_a_dry_run() -> None:
    text = text_for(made_steward(members=40, dry_run=True).facts, Screen(80))
    assert "and 20 members more" in text
    assert "with the plans of the dry run" in text


def test_a_steward_that_has_not_read_its_group() -> None:
    from equilag.live.status.status import StewardStatus

    text = text_for(StewardStatus(5.0, 10.0).facts, Screen(80))
    assert text.startswith("Starting: the group has not been read yet")
    assert "last plan" not in text


def test_a_status_of_another_version() -> None:
    with pytest.raises(InputError, match="format: is None, not 'equilag/steward-status/1'"):
        read_steward_facts({"role": "leader"})
    broken = {**made_steward().facts.document(), "events": [{"what": 1}]}
    with pytest.raises(InputError, match="status: cannot be read"):
        read_steward_facts(broken)
