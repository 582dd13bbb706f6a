"""A page as text: what it may load, and that no name leaves its place."""

from __future__ import annotations

import json

import pytest
from equilag.report.page.render_page import content_policy, json_in_html


def test_json_cannot_end_its_element() -> None:
    document = {"<!--": "</script><script>alert(1)</script>", "line": "\u2028 &amp;"}
    text = json_in_html(document)
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == document


def test_json_has_no_numbers_of_its_own() -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_in_html({"spread": float("inf")})


def test_a_page_may_run_its_own_scripts_only() -> None:
    policy = content_policy(["'sha256-a'", "'sha256-b'"])
    assert policy.startswith("default-src 'none'; script-src 'sha256-a' 'sha256-b'; ")
    assert "http" not in policy
    assert "connect-src" not in policy
