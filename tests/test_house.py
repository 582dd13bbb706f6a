"""Sizes and names in equilag/: files, functions, parameters; one name for one thing."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import Final

import pytest
from support.paths import CHECKOUT
from support.syntax import parsed

pytestmark = pytest.mark.xdist_group("house")

PACKAGE: Final = CHECKOUT / "equilag"

MAX_LINES: Final = 300
MAX_MEDIAN_LINES: Final = 150
MAX_FUNCTION_LINES: Final = 60
MAX_PARAMETERS: Final = 7
"""Without self and cls. These four come from the project's rules for what a reader can hold."""

WIDE_FUNCTIONS: Final = dict.fromkeys(
    ("planner/solve.py solve", "planner/simulate.py simulate"),
    "its keyword arguments are the public contract",
)
"""Functions that may have more parameters than MAX_PARAMETERS."""
SAME_CLASSES: Final = {"EquilagAssignor": "the assignor of each Kafka client has this name in use"}
"""Class names that may stand more than once."""
NAMED_AFTER_OTHERS: Final = {
    "cli/arguments": "options, named after what they choose",
    "cli/commands": "a command, named after what it runs",
    "planner/facts": "what is known, named after what it is about",
    "report/reports": "reports, named after the results that they are on",
    "report/words": "the words of these reports",
}
"""Folders, with those below them, whose modules may have the name of one module elsewhere."""

SOURCES: Final = {
    path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8")
    for path in sorted(PACKAGE.rglob("*.py"))
}
"""Path below the package -> source."""
FUNCTIONS: Final = [
    (f"{path} {name}", lines, width)
    for path, source in SOURCES.items()
    for name, lines, width in parsed(source).functions
]


def test_files_are_short() -> None:
    lengths = {path: len(source.splitlines()) for path, source in SOURCES.items()}
    assert {path: n for path, n in lengths.items() if n > MAX_LINES} == {}
    assert median(lengths.values()) <= MAX_MEDIAN_LINES


def test_functions_are_short() -> None:
    assert {name: n for name, n, _ in FUNCTIONS if n > MAX_FUNCTION_LINES} == {}


def test_functions_have_few_parameters() -> None:
    assert {name for name, _, width in FUNCTIONS if width > MAX_PARAMETERS} == WIDE_FUNCTIONS.keys()


def test_a_class_name_means_one_thing() -> None:
    names = Counter(name for source in SOURCES.values() for name in parsed(source).classes)
    assert {name for name, n in names.items() if n > 1} == SAME_CLASSES.keys()


def repeated_modules(named_after_others: set[str]) -> list[str]:
    """Names that stand more than once outside of these folders."""
    places = [path.rpartition("/") for path in SOURCES]
    names = Counter(
        file for folder, _, file in places if not folder.startswith(tuple(named_after_others))
    )
    return [name for name, n in names.items() if n > 1 and not name.startswith("__")]


def test_a_module_name_stands_once() -> None:
    assert repeated_modules({*NAMED_AFTER_OTHERS}) == []
    for folder in NAMED_AFTER_OTHERS:  # each is needed
        assert repeated_modules(NAMED_AFTER_OTHERS.keys() - {folder}), folder
