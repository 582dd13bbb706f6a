"""The suite fails if tests that share a Kafka or a Spark do not run on one worker."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.paths import CHECKOUT


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A folder for a small suite of tests, with the plugin and its markers."""
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = --strict-markers -p xdist -p support.grouping -p no:cacheprovider\n"
        "markers =\n    broker\n    spark\n",
        "utf-8",
    )
    return tmp_path


def run(suite: Path, *options: str) -> tuple[int, str]:
    """The status of pytest on the suite, and what it printed."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "COV_", "COVERAGE_"))
    }
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # they take longer to load than the tests
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", f"--basetemp={suite / 'temporary'}", *options],
        cwd=suite,
        env=environment | {"PYTHONPATH": str(CHECKOUT / "tests")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


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
    status, output = run(suite, "-n2", "--dist=loadgroup")
    assert status == 0, output
    assert "10 passed" in output
    lines = [line for line in output.splitlines() if "PASSED" in line]
    assert len({line.split("]")[0] for line in lines}) == 1, output


def test_a_group_on_two_workers_fails(suite: Path) -> None:
    grouped_tests(suite)
    status, output = run(suite, "-n2", "--dist=load")
    assert status == 1
    assert "tests of the group 'broker' run on gw" in output
    assert "passed" in output


def test_without_workers_nothing_is_claimed(suite: Path) -> None:
    grouped_tests(suite)
    status, output = run(suite)
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
    status, output = run(suite, "--collect-only")
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
    status, output = run(suite, "-n1", "--dist=loadgroup")
    assert status == pytest.ExitCode.TESTS_FAILED
    assert "test_it.py::test: needs spark, so it must be marked xdist_group('spark')" in output
