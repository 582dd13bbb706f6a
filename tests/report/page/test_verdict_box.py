"""The box of a verdict: a sign for every action, and how good the plan is, in plain words."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from equilag.report.page.group_page import group_page
from equilag.report.page.verdict_box import OTHER, SIGNS, sign_of, standing_words
from equilag.report.wording.verdict_words import Action
from support.group_pages import report_of
from support.paths import SAMPLES

TOKENS = str(SAMPLES / "token-indexer.snapshot.json")


def test_every_action_has_a_sign() -> None:
    assert set(SIGNS) == set(get_args(Action))
    assert {action for action, sign in SIGNS.items() if sign.tone == "good"} == {"leave"}
    assert sign_of("repartition", True).tone == "bad"
    assert sign_of("repartition", False).tone == "warn"
    assert sign_of("new-word", True) == OTHER


def test_the_page_shows_the_sign_of_every_action() -> None:
    facts = report_of(TOKENS)
    for action in (*get_args(Action), "new-word"):
        verdict = replace(facts.plan.verdict, action=action)
        page = group_page(replace(facts, plan=replace(facts.plan, verdict=verdict)))
        sign = sign_of(action, verdict.worth_it)
        assert f'<section class="card verdict {sign.tone}"' in page
        assert f'<p class="what">{sign.words}</p>' in page


def test_how_good_the_plan_is() -> None:
    plan = report_of(TOKENS).plan

    def words(**changes: object) -> tuple[str, str]:
        return standing_words(replace(plan, proof=replace(plan.proof, **changes)))

    assert words(standing="feasible", gap=1234)[0] == "at most 1,234 records from the best"
    assert words(standing="tolerance", gap=5)[1].endswith("; the tolerance allows that")
    assert words(standing="spread", evidence="checked")[0] == "proved to be the best"
    assert words(standing="spread", evidence="solver")[1] == "on the solver's word"
    assert words(standing="fallback")[0] == "only a first try"
    assert words(policy=None)[0].startswith("of ")
