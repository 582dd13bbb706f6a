"""Where a snapshot may come from, and what a broken file is called."""

from __future__ import annotations

import gc
import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard

from equilag.adapters import files
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.errors import InputError

TEXT = '{"format": "equilag/snapshot/1", "group": "gé", "topics": {"t": 2}, "members": []}'
RAW = TEXT.encode()


class Stdin:
    """Stands for standard input as a process has it: text, with bytes below."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def refused(source: files.Source) -> InputError:
    with pytest.raises(InputError) as caught:
        load_snapshot(source)
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "s.json"


PACKINGS = {
    "plain": RAW,
    "bom": b"\xef\xbb\xbf" + RAW,
    "UTF-16": TEXT.encode("utf-16"),
    "UTF-16 big": b"\xfe\xff" + TEXT.encode("utf-16-be"),
    "gzip": gzip.compress(RAW, mtime=0),
    "gzip twice": gzip.compress(RAW[:20], mtime=0) + gzip.compress(RAW[20:], mtime=0),
    "gzip padded": gzip.compress(RAW, mtime=0) + bytes(99),
    "zstd": zstandard.compress(RAW),
    "zstd twice": zstandard.compress(RAW[:20]) + zstandard.compress(RAW[20:]),
    "zstd skippable": b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc" + zstandard.compress(RAW),
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_by_content_from_anywhere(
    packing: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = PACKINGS[packing]
    file.write_bytes(data)
    for source in (file, str(file), io.BytesIO(data)):
        assert load_snapshot(source).name == "gé"
    with file.open("rb") as opened:
        assert load_snapshot(opened).name == "gé"
        assert not opened.closed
    monkeypatch.setattr(sys, "stdin", Stdin(data))
    assert load_snapshot("-").name == "gé"


def test_large_compressed_files(file: Path) -> None:
    lags = list(range(400_000))
    snapshot = json.loads(TEXT) | {"topics": {"t": len(lags)}, "lags": {"t": lags}}
    raw = json.dumps(snapshot).encode()
    for data in (gzip.compress(raw, 1, mtime=0), zstandard.compress(raw)):
        file.write_bytes(data)
        assert load_snapshot(file).lag.tolist() == lags


def test_text_files(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_snapshot(io.StringIO("\ufeff" + TEXT)).name == "gé"
    monkeypatch.setattr(sys, "stdin", io.StringIO(TEXT))
    assert load_snapshot("-").name == "gé"


def test_the_source_is_named_as_it_was_given(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('{"group": 1}')
    assert refused(file).source == str(file)
    monkeypatch.chdir(file.parent)
    error = refused("./s.json")
    assert error.source == "./s.json"
    assert str(error) == "./s.json: format: missing, but required"
    with file.open() as opened:
        assert refused(opened).source == str(file)
    assert refused(io.StringIO("{}")).source is None
    monkeypatch.setattr(sys, "stdin", Stdin(b"{}"))
    assert refused("-").source == "<stdin>"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "No such file" in refused(tmp_path / "none.json").problem
    assert "directory" in refused(tmp_path).problem
    assert refused("a\0b").problem.startswith("cannot be read")


def test_what_is_not_open_for_reading(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert str(refused("-")) == "<stdin>: cannot be read: standard input is closed"
    file.write_bytes(RAW)
    opened = file.open("rb")
    opened.close()
    assert "closed" in refused(opened).problem
    file.write_bytes(b'{"\xff": 1}')
    with file.open(encoding="utf-8") as text:
        assert refused(text).problem.startswith("cannot be read")
    with file.open("ab") as writing:
        assert refused(writing).problem.startswith("cannot be read")

    # The tests may run as a user to whom permissions do not apply.
    def deny(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", deny)
    assert str(refused(file)) == f"{file}: cannot be read: Permission denied"


def test_open_files_that_have_nothing_yet() -> None:
    class NotReady(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            nothing: Any = None  # what a file without blocking returns
            return nothing  # type: ignore[no-any-return]

    assert "neither text nor bytes" in refused(NotReady()).problem


@pytest.mark.parametrize("source", [5, None, b"{}", ["x"]])
def test_what_is_no_source_at_all(source: object) -> None:
    with pytest.raises(TypeError, match="neither a path"):
        load_snapshot(source)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "place", "problem"),
    [
        (b"", "", "empty"),
        (b" \n\t", "", "empty"),
        (b"{", "line 1 column 2", "not valid JSON"),
        (b'{"a": 1,\n "b" 2}', "line 2 column 6", "not valid JSON"),
        (RAW + b"\n{}", "line 2 column 1", "not valid JSON"),
        (RAW[:-4], "line 1 column 79", "not valid JSON"),
        (b"[1]", "", "a list, not an object"),
        (b'"x"', "", "not an object"),
        (b"NaN", "", "NaN is a float, not an object"),
        (b"[" * 100_000, "", "nested too deeply"),
        (b'{"a":' * 100_000, "", "nested too deeply"),
        (b'{"generation": ' + b"1" * 5000 + b"}", "", "thousands of digits"),
        (b'{"a": "\xff"}', "line 1", "not UTF-8: byte 0xff"),
        (b'{\n"a": "\xc3"}', "line 2", "not UTF-8: byte 0xc3"),
        (TEXT.encode("utf-16")[:-1], "line 1", "not UTF-16: byte 0x"),
        (gzip.compress(RAW, mtime=0)[:-9], "", "broken gzip data"),
        (gzip.compress(RAW, mtime=0)[:6], "", "broken gzip data"),
        (gzip.compress(RAW, mtime=0)[:-8] + b"\0" * 8, "", "broken gzip data"),
        (gzip.compress(RAW, mtime=0) + b"junk", "", "broken gzip data"),
        (b"\x1f\x8b" + b"\0" * 40, "", "broken gzip data"),
        (zstandard.compress(RAW)[:-4], "", "broken zstd data"),
        (zstandard.compress(RAW)[:5], "", "broken zstd data"),
        (b"\x28\xb5\x2f\xfd" + b"\xff" * 40, "", "broken zstd data"),
        (zstandard.compress(RAW) + b"junk", "", "broken zstd data"),
    ],
)
def test_broken_files(data: bytes, place: str, problem: str, file: Path) -> None:
    file.write_bytes(data)
    error = refused(file)
    assert error.source == str(file)
    assert error.place == place
    assert problem in error.problem
    assert gc.isenabled()


@pytest.mark.parametrize(
    ("text", "place", "key"),
    [
        ('{"group": "a", "group": "b"}', "", '"group"'),
        ('{"topics": {"t": 1, "t": 2}}', "topics", '"t"'),
        ('{"lags": {"t": [1], "u": [2], "t": [3]}}', "lags", '"t"'),
        ('{"members": [{}, {"owned": {"a b": [1], "a b": [2]}}]}', "members[1].owned", '"a b"'),
        ('{"a": {"b": 1, "b": 2}, "a": 3}', "", '"b"'),
    ],
)
def test_duplicate_keys(text: str, place: str, key: str) -> None:
    error = refused(io.StringIO(text))
    assert error.place == place
    assert error.problem == f"duplicate key {key}"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_files_that_unpack_to_too_much(
    pack: object, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(pack)
    file.write_bytes(pack(b" " * 5000))
    monkeypatch.setattr(files, "MAX_BYTES", 4999)
    assert "unpacks to more than 4999 bytes" in refused(file).problem


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        load_snapshot(io.StringIO(TEXT))
        assert not gc.isenabled()
    finally:
        gc.enable()
    load_snapshot(io.StringIO(TEXT))
    assert gc.isenabled()
