"""A pytest plugin: tests that share one Kafka or one Spark run on one worker, or the run fails; and
a test that ends its worker is not run again.

pytest-xdist groups tests by `xdist_group` only under `--dist loadgroup`, and some pairs of
versions of pytest and pytest-xdist ignore the group without a word (pytest-xdist issue 1386).
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

import pytest

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadGroupScheduling
    from xdist.workermanage import WorkerController

GROUPS: Final = ("spark", "broker")
"""Names of markers, of session fixtures and of groups; a test of both belongs to the first."""

_CLAIMS: Final = pytest.StashKey[dict[str, TextIO]]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Raise UsageError if a test needs a group that it is not in.

    pytest-xdist hides what a worker raises here; in a worker such a test fails when it is set up.
    """
    if "PYTEST_XDIST_WORKER" in os.environ:
        return
    problems = [problem for item in items if (problem := _problem(item)) is not None]
    if problems:
        raise pytest.UsageError("\n".join(problems))


def _problem(item: pytest.Item) -> str | None:
    needed = [
        name
        for name in GROUPS
        if item.get_closest_marker(name) or name in getattr(item, "fixturenames", ())
    ]
    found = _groups(item)
    if not needed or found == needed[:1]:
        return None
    return (
        f"{item.nodeid}: needs {' and '.join(needed)}, so it must be marked "
        f"xdist_group({needed[0]!r}); it is in {found or 'no group'}"
    )


def _groups(item: pytest.Item) -> list[str]:
    marks = item.iter_markers("xdist_group")
    return [mark.args[0] if mark.args else mark.kwargs["name"] for mark in marks]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test without its group, or whose group already has a test on another worker."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        return
    if problem := _problem(item):
        pytest.fail(problem, pytrace=False)
    claims = item.config.stash.setdefault(_CLAIMS, {})
    for group in _groups(item):
        if group not in claims:
            claims[group] = _claim(_shared_folder(item.config), group, worker)


def _claim(folder: Path, group: str, worker: str) -> TextIO:
    """A file that this process holds locked to its end: a worker that crashed holds none."""
    claim = (folder / f"xdist-group-{group}").open("a+", encoding="utf-8")
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        claim.seek(0)
        other = claim.read()
        claim.close()
        pytest.fail(
            f"tests of the group {group!r} run on {other} and on {worker}: "
            "they need one worker, by --dist loadgroup (see make test)",
            pytrace=False,
        )
    claim.truncate(0)
    claim.write(worker)
    claim.flush()
    return claim


def _shared_folder(config: pytest.Config) -> Path:
    """The folder for temporary files of this run, above those of each worker."""
    factory: pytest.TempPathFactory = config._tmp_path_factory  # type: ignore[attr-defined]
    return factory.getbasetemp().parent


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadGroupScheduling | None:
    """pytest-xdist 3.8 gives a test that ended its worker to the next worker, which it ends too,
    and gives a new worker one test, which that one holds until it knows the test after it."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class Scheduling(LoadGroupScheduling):
        def remove_node(self, node: WorkerController) -> str | None:
            """Return the test that ended the worker; the others it had are for the next one."""
            units = self.assigned_work.pop(node)
            pending = [(unit, t) for unit in units.values() for t, done in unit.items() if not done]
            if not pending:
                return None
            unit, ended = pending[0]
            unit[ended] = True
            self.workqueue.update({
                scope: unit for scope, unit in units.items() if not all(unit.values())
            })  # fmt: skip
            for other in self.assigned_work:
                self._reschedule(other)
            return ended

        def _reschedule(self, node: WorkerController) -> None:
            """Keep a worker supplied with more than the two tests that it holds back."""
            if node.shutting_down:
                return
            while self.workqueue and self._pending_of(self.assigned_work[node]) <= 2:
                self._assign_work_unit(node)
            if not self.workqueue:
                node.shutdown()

    return Scheduling(config, log)
