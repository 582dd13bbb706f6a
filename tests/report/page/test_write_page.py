"""Pages as text: what they carry and may load, how long they are, and that names stay text."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from base64 import b64decode, b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from support.fleet_rows import FAILED, fleet_gaps, fleet_report, many_groups
from support.group_pages import SCRIPT, hostile_group, large_group, page_of_sample, report_of
from support.orders_service import orders_snapshot
from support.paths import SAMPLES

from equilag.report.page import write_page
from equilag.report.page.write_page import content_policy, inline_file, page_of
from equilag.report.reports.fleet import FleetReport

MAX_BYTES: Final = 1_500_000
"""What a mail takes, and a browser opens at once."""
STATIC: Final = Path(write_page.__file__).parent / "static"
FILES: Final = sorted(path.name for path in STATIC.iterdir())
SLOW = str(SAMPLES / "slow-member.snapshot.json")
TOKENS = str(SAMPLES / "token-indexer.snapshot.json")


def parts(page: str) -> set[str]:
    return set(re.findall(r'<section class="card" id="([^"]+)"', page))


def packed(page: str, attribute: str) -> Any:
    """What a page carries for its scripts."""
    found = re.search(rf'<script type="text/plain" {attribute}>([^<]*)<', page)
    return json.loads(gzip.decompress(b64decode(found[1])))


def test_parts_that_nothing_is_known_of_are_left_out() -> None:
    all_parts = {
        "next", "members", "moves", "why-now", "why", "looser", "front", "over-time", "sizes",
        "assignors", "proof", "settings",
    }  # fmt: skip
    assert parts(page_of_sample(SLOW)) == all_parts
    assert parts(page_of_sample(TOKENS)) == all_parts - {"over-time", "sizes"}
    nobody = page_of(report_of(orders_snapshot(members=[])))
    assert parts(nobody) == {"reading", "proof", "settings"}
    assert "Nobody reads it: the group has no members" in nobody
    both = ["orders", "payments"]
    fresh = [{"id": name, "subscription": both} for name in "ab"]
    page = page_of(report_of(orders_snapshot(members=fresh)))
    assert parts(page) == {
        "next", "members", "why-now", "why", "looser", "assignors", "proof", "settings",
    }  # fmt: skip
    assert "that nobody owned" in page


def test_it_carries_its_document() -> None:
    report = report_of(orders_snapshot())
    document = json.loads(json.dumps(report.document()))
    assert packed(page_of(report), 'id="document"') == document


def test_names_are_text() -> None:
    page = page_of(report_of(hostile_group()))
    assert SCRIPT not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\u202e" not in page
    # The scripts of the page, and what is packed, and nothing else ends an element.
    assert page.count("</script>") == page.count("<script")
    fleet = page_of(FleetReport(fleet_report(*many_groups(8)), 20))
    assert not re.search(r"<script>alert|<img|\u202e", fleet)


@pytest.mark.long
def test_pages_of_large_groups_and_fleets_can_be_mailed() -> None:
    assert len(page_of(report_of(large_group(), effort=0.02)).encode()) <= MAX_BYTES
    failures = tuple(FAILED._replace(group=f"team-payments.settlement-{n}") for n in range(500))
    run = replace(fleet_report(*many_groups(5000), failures=failures), gaps=fleet_gaps())
    page = page_of(FleetReport(run, 20, every_group=True))
    assert 500_000 < len(page.encode()) <= MAX_BYTES


def test_rows_that_are_packed_are_those_of_the_document() -> None:
    made = FleetReport(fleet_report(*many_groups(160)), 20, every_group=True)
    page, groups = page_of(made), made.document()["groups"]
    rest, details = packed(page, 'class="rest"'), packed(page, 'class="details"')
    assert (len(rest), len(details)) == (60, 160)
    for (words, keys), group in zip(rest, groups[100:], strict=True):
        assert words[0] == group["group"]
        assert keys[5] == group["moves"]
        assert keys[3] == pytest.approx(group["saved"], rel=1e-6)
    for (words, _, commands), group in zip(details, groups, strict=True):
        assert words == group["headline"]
        assert commands == [*group["commands"].values()]


def test_a_page_may_run_its_own_scripts_only() -> None:
    page = page_of_sample(SLOW)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
    for script in scripts:
        digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"sha256-{digest}" in policy
    assert policy.count("sha256-") == len(scripts) > 3
    assert policy.startswith("default-src &#39;none&#39;; script-src &#39;sha256-")
    assert "connect-src" not in policy
    assert "connect-src 'self'" in content_policy(scripts, is_live=True)
    assert "://" not in page


@pytest.mark.parametrize("name", FILES)
def test_no_file_ends_its_element(name: str) -> None:
    found = inline_file(name)
    assert not re.search(r"</script|</style|<!--", found, re.I)
