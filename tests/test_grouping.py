"""The suite fails if tests that share a Kafka or a Spark do not run on one worker."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.small_suites import make_suite, run_suite


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return make_suite(tmp_path, "broker", "spark")


def grouped_tests(suite: Path) -> None:
    """Ten tests of one group, in two modules."""
    for name in ("test_one", "test_other"):
        (suite / f"{name}.py").write_text(
            "import time\n"
            "import pytest\n"
            "pytestmark = [pytest.mark.broker, pytest.mark.xdist_group('broker')]\n"
            "@pytest.mark.parametrize('number', range(5))\n"
            "def test(number):\n"
            "    time.sleep(0.05)\n",
            "utf-8",
        )


def test_a_group_runs_on_one_worker(suite: Path) -> None:
    """With the versions that are installed here."""
    grouped_tests(suite)
    status, output = run_suite(suite, "-n2", "--dist=loadgroup")
    assert status == 0, output
    assert "10 passed" in output
    lines = [line for line in output.splitlines() if "PASSED" in line]
    assert len({line.split("]")[0] for line in lines}) == 1, output


def test_a_group_on_two_workers_fails(suite: Path) -> None:
    grouped_tests(suite)
    status, output = run_suite(suite, "-n2", "--dist=load")
    assert status == 1
    assert "tests of the group 'broker' run on gw" in output
    assert "passed" in output


def test_without_workers_nothing_is_claimed(suite: Path) -> None:
    grouped_tests(suite)
    status, output = run_suite(suite)
    assert status == 0, output
    assert "10 passed" in output


def test_tests_without_their_group_are_an_error(suite: Path) -> None:
    """By their marker or by a fixture, their own or another one's; and in another group."""
    fixtures = "import pytest\n@pytest.fixture\ndef broker(): pass\n"
    fixtures += "@pytest.fixture\ndef admin(broker): pass\n"
    (suite / "conftest.py").write_text(fixtures, "utf-8")
    codes = {
        "marker": "@pytest.mark.spark\ndef test(): pass\n",
        "fixture": "def test(broker): pass\n",
        "other": "@pytest.mark.xdist_group('other')\ndef test(admin): pass\n",
        "both": (
            "@pytest.mark.spark\n@pytest.mark.broker\n@pytest.mark.xdist_group('broker')\n"
            "def test(): pass\n"
        ),
        "right": "@pytest.mark.xdist_group('broker')\ndef test(admin): pass\n",
        "without": "def test(): pass\n",
    }
    for name, code in codes.items():
        (suite / f"test_{name}.py").write_text(f"import pytest\n{code}", "utf-8")
    status, output = run_suite(suite, "--collect-only")
    assert status == pytest.ExitCode.USAGE_ERROR
    must = "so it must be marked xdist_group"
    for problem in (
        f"test_marker.py::test: needs spark, {must}('spark'); it is in no group",
        f"test_fixture.py::test: needs broker, {must}('broker'); it is in no group",
        f"test_other.py::test: needs broker, {must}('broker'); it is in ['other']",
        f"test_both.py::test: needs spark and broker, {must}('spark'); it is in ['broker']",
    ):
        assert problem in output
    assert output.count(must) == 4


def test_a_test_without_its_group_fails_on_a_worker(suite: Path) -> None:
    code = "import pytest\n@pytest.mark.spark\ndef test(): pass\n"
    (suite / "test_it.py").write_text(code, "utf-8")
    status, output = run_suite(suite, "-n1", "--dist=loadgroup")
    assert status == pytest.ExitCode.TESTS_FAILED, output
    assert "test_it.py::test: needs spark, so it must be marked xdist_group('spark')" in output


@pytest.mark.parametrize("workers", ["-n1", "-n2"])
def test_a_test_that_ends_its_worker_is_not_run_again(suite: Path, workers: str) -> None:
    """And the tests that its worker had left are run."""
    (suite / "test_it.py").write_text(
        "import os, pytest\n"
        "@pytest.mark.parametrize('number', range(6))\n"
        "def test(number):\n"
        "    if number in (1, 5):\n"
        "        os._exit(1)\n"
        "@pytest.mark.xdist_group('some')\n"
        "@pytest.mark.parametrize('number', range(4))\n"
        "def test_group(number):\n"
        "    if number == 1:\n"
        "        os._exit(1)\n",
        "utf-8",
    )
    status, output = run_suite(suite, workers, "--dist=loadgroup")
    assert status == pytest.ExitCode.TESTS_FAILED, output
    assert "3 failed, 7 passed" in output
