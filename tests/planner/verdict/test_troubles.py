"""Groups with one known trouble, and groups in which nothing is wrong: the first cause, what to do,
and the exit status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from support.troubled_texts import Case, healthy_cases, troubled_cases

from equilag.adapters.describe.describe_text import read_describe
from equilag.adapters.describe.printed_text import PrintedText
from equilag.adapters.describe.two_texts import add_earlier
from equilag.cli import main
from equilag.domain.group.group import Group
from equilag.domain.plan.verdict import VerdictFacts
from equilag.planner.verdict.quick_verdict import quick_verdict


def verdict_on(case: Case) -> VerdictFacts:
    given = read_describe(PrintedText(case.after)).given
    if case.before is not None:
        add_earlier(given, read_describe(PrintedText(case.before)).given, case.between)
    return quick_verdict(Group.build(**given))


def wrong_of(cases: Iterable[Case]) -> Counter[tuple[str, str | None, str]]:
    """Verdicts that are not right, by case, cause and action."""
    found: Counter[tuple[str, str | None, str]] = Counter()
    for case in cases:
        verdict = verdict_on(case)
        assert verdict.worth_it == (verdict.action != "leave")
        if not {(verdict.cause, verdict.action), ("*", verdict.action)} & case.right:
            found[case.name, verdict.cause, verdict.action] += 1
    return found


def sure_of_stuck(case: Case) -> bool:
    return any(one.sure and one.cause.startswith("stuck") for one in verdict_on(case).causes)


def test_the_trouble_is_found() -> None:
    assert not wrong_of(troubled_cases(54, 11))


def test_what_is_cut_is_no_reason_to_act() -> None:
    assert not wrong_of(troubled_cases(96, 12, are_cut=True))


def test_healthy_groups_are_left_alone() -> None:
    assert not wrong_of(healthy_cases(75, 13))
    assert not any(map(sure_of_stuck, healthy_cases(50, 13)))


@pytest.mark.parametrize("case", [*troubled_cases(18, 14)], ids=lambda case: case.name)
def test_the_exit_status(case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of what a person would type."""
    argv = []
    for name, text in (("before", case.before), ("after", case.after)):
        if text is not None:
            (tmp_path / name).write_text(text, "utf-8")
            argv += ["--from-describe", str(tmp_path / name)]
    argv += [] if case.before is None else ["--between", f"{case.between:g}s"]
    status = 0 if {action for _, action in case.right} == {"leave"} else 10
    assert main(["plan", "--check", "--effort", "0.02", *argv]) == status
    assert main(["groups", *argv]) == status
    assert capsys.readouterr().out


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_no_trouble_is_overlooked(seed: int) -> None:
    """Of 500 troubles, one may be taken for another; none is left alone."""
    wrong = wrong_of(troubled_cases(500, 100 + seed))
    assert wrong.total() <= 1, wrong
    assert "leave" not in {action for _, _, action in wrong}
    assert not wrong_of(troubled_cases(500, 200 + seed, are_cut=True))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_of_many_healthy_groups_few_are_a_false_alarm(seed: int) -> None:
    assert wrong_of(healthy_cases(1_000, seed)).total() <= 10
    assert not any(map(sure_of_stuck, healthy_cases(300, seed)))
