"""Sizes and names in equilag/: files, functions, parameters; one name for one thing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
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

Sources = dict[str, str]
"""Path below the package -> source."""


def long_files(sources: Sources) -> list[str]:
    lengths = {path: len(source.splitlines()) for path, source in sources.items()}
    found = [f"{path}: {n} lines" for path, n in lengths.items() if n > MAX_LINES]
    if lengths and median(lengths.values()) > MAX_MEDIAN_LINES:
        found.append(f"the median file has {median(lengths.values()):g} lines")
    return found


def functions(sources: Sources) -> Iterator[tuple[str, int, int]]:
    """`path name`, lines and parameters of every function."""
    for path, source in sources.items():
        yield from ((f"{path} {name}", *sizes) for name, *sizes in parsed(source).functions)


def long_functions(sources: Sources) -> list[str]:
    return [f"{name}: {n} lines" for name, n, _ in functions(sources) if n > MAX_FUNCTION_LINES]


def wide_functions(sources: Sources) -> list[str]:
    return [name for name, _, width in functions(sources) if width > MAX_PARAMETERS]


def repeated_classes(sources: Sources) -> list[str]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path, source in sources.items():
        for name in parsed(source).classes:
            found[name].append(path)
    return [f"{name}: {', '.join(paths)}" for name, paths in found.items() if len(paths) > 1]


def repeated_modules(sources: Sources, named_after_others: set[str]) -> list[str]:
    """Names that stand more than once outside of these folders."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in sources:
        folder, _, file = path.rpartition("/")
        if not file.startswith("__") and not folder.startswith(tuple(named_after_others)):
            found[file].append(path)
    return [", ".join(paths) for paths in found.values() if len(paths) > 1]


SOURCES: Final[Sources] = {
    path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8")
    for path in sorted(PACKAGE.rglob("*.py"))
}


def test_files_are_short() -> None:
    assert long_files(SOURCES) == []


def test_functions_are_short() -> None:
    assert long_functions(SOURCES) == []


def test_functions_have_few_parameters() -> None:
    assert set(wide_functions(SOURCES)) == WIDE_FUNCTIONS.keys()


def test_a_class_name_means_one_thing() -> None:
    assert {line.partition(":")[0] for line in repeated_classes(SOURCES)} == SAME_CLASSES.keys()


def test_a_module_name_stands_once() -> None:
    assert repeated_modules(SOURCES, set(NAMED_AFTER_OTHERS)) == []


def test_every_exception_for_module_names_is_needed() -> None:
    for folder in NAMED_AFTER_OTHERS:
        assert repeated_modules(SOURCES, NAMED_AFTER_OTHERS.keys() - {folder}), folder
