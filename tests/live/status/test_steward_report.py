"""The report of a steward, from facts that went through JSON."""

from __future__ import annotations

import json

import pytest
from support.reports import text_of, words_of
from support.steward_fakes import made_steward

from equilag.domain.errors import InputError
from equilag.live.status.steward_facts import read_steward_facts
from equilag.live.status.steward_report import StewardReport


def test_facts_come_back_from_their_json() -> None:
    facts = made_steward().facts
    assert read_steward_facts(json.loads(json.dumps(facts.document()))) == facts


def test_many_members_and_a_dry_run() -> None:
    text = text_of(StewardReport(made_steward(members=40, dry_run=True).facts), 80)
    assert "… and 20 more rows (--json lists all)" in text
    assert "with the plans of the dry run" in text


def test_a_steward_that_has_not_read_its_group() -> None:
    from equilag.live.status.status import StewardStatus

    text = words_of(StewardReport(StewardStatus(5.0, 10.0).facts))
    assert text.startswith("Starting: the group has not been read yet")
    assert "Last plan None so far." in text


def test_a_status_of_another_version() -> None:
    with pytest.raises(InputError, match="format: is None, not 'equilag/steward-status/1'"):
        read_steward_facts({"role": "leader"})
    broken = {**made_steward().facts.document(), "events": [{"what": 1}]}
    with pytest.raises(InputError, match="status: cannot be read"):
        read_steward_facts(broken)
