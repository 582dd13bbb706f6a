"""What users add from outside may fail in any way; errors are one line with their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from equilag.domain.errors import MAX_TEXT, InputError, describe_error
from equilag.domain.plugins import guarded, installed, package_of


def package(path: Path, name: str, entry_points: bytes) -> None:
    folder = path / f"{name}-1.5.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n")
    (folder / "entry_points.txt").write_bytes(entry_points)


def test_what_packages_offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    package(tmp_path, "some-plugin", b"[words.test]\na = m:A\n[other]\nb = m:B\n")
    found = installed("words.test")
    assert found.keys() == {"a"}
    assert package_of(found["a"]) == "some-plugin 1.5"


@pytest.mark.parametrize(
    "broken", [b"[words.test]\nno equals sign\n", b"[words.test\n=\n", b"[words.test]\n\xff=\xfe"]
)
def test_broken_metadata_hides_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: bytes
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    package(tmp_path, "a-broken", broken)
    package(tmp_path, "b-fine", b"[words.test]\na = m:A\n")
    assert "a" in installed("words.test")


def test_a_point_of_no_package() -> None:
    class Point:
        dist = None

    class Odd:
        @property
        def dist(self) -> Any:
            raise OSError

    assert package_of(Point()) is None  # type: ignore[arg-type]
    assert package_of(Odd()) is None  # type: ignore[arg-type]


class Panic(BaseException):
    """What compiled extensions raise: no Exception."""


@pytest.mark.parametrize("error", [ValueError("odd"), SystemExit(3), Panic("odd"), MemoryError()])
def test_whatever_a_plugin_raises_is_bad_input(error: BaseException) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(InputError, match=rf"^what: it failed \({type(error).__name__}"):
        guarded("what", "it failed", fail)


def test_an_interruption_passes() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guarded("what", "it failed", interrupt)


def test_an_input_error_names_its_place_on_one_line() -> None:
    error = InputError("is\nodd\r", "members[3]", "a.json")
    assert str(error) == "a.json: members[3]: is odd "
    assert str(InputError("is odd")) == "is odd"


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_any_error_is_described_in_one_line() -> None:
    assert describe_error(KeyError("a")) == "KeyError: 'a'"
    assert describe_error(ValueError(" two\n\t lines ")) == "ValueError: two lines"
    assert describe_error(ValueError("x" * 2_000)) == f"ValueError: {'x' * MAX_TEXT}"
    assert describe_error(Mute()) == "Mute: (its text cannot be shown)"
    assert describe_error(SystemExit()) == "SystemExit"
