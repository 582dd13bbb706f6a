"""`equilag collect`: command lines that make no sense, and its JSON."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.json_schemas import findings

from equilag.cli.commands.collect import document
from equilag.cli.parser import build_parser
from equilag.cli.stop_signals import Stop
from equilag.pipeline.results.rounds import Rounds

B = ["--bootstrap-server", "127.0.0.1:9"]


def test_nobody_answers(refused, tmp_path, monkeypatch) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("confluent_kafka")
    monkeypatch.setattr("equilag.adapters.kafka.group_reader.WAIT_S", 1.0)
    said = refused("collect", *B, "--out", tmp_path / "history")
    assert said.startswith("127.0.0.1:9: no broker answers")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("package", "extra"), [("pyarrow", "collect"), ("kafka", "kafka")])
def test_a_package_is_missing(tmp_path, process_environment, package, extra) -> None:
    # In a process of its own: a module loaded twice would be two modules in later tests.
    code = (
        f"import sys; sys.modules[{package!r}] = None; import equilag.cli as c; sys.exit(c.main())"
    )
    command = [sys.executable, "-c", code, "collect", *B, "--out", str(tmp_path / "history")]
    done = subprocess.run(command, capture_output=True, text=True, env=process_environment)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"pip install 'equilag[{extra}]'" in done.stderr
    assert not list(tmp_path.iterdir())


def test_spark_is_not_needed(tmp_path, process_environment) -> None:
    """Everything that a recording imports, with a round written and an hour merged."""
    code = """
import sys
from pathlib import Path
class Without:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in ("pyspark", "pandas"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Without)
from equilag.pipeline.results.rounds import Rounds
from equilag.adapters.kafka.sample import ClusterSampler
from equilag.adapters.kafka.sample import MEMBERS, OFFSETS
from equilag.pipeline.results.record import Recorder
members = dict(zip(MEMBERS, [[0], ["g"], ["m"], [["t"]], [[("t", [0])]], *[[None]] * 8]))
offsets = dict(zip(OFFSETS, [[0], ["g"], ["t"], [0], [0], [9], [3], [None]]))
recorder = Recorder("history")
recorder.add(0, offsets, members)
recorder.compact(2 * 3_600_000)
assert not list(Path("history", "offsets").glob("part-*"))
"""
    pytest.importorskip("pyarrow")
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, env=process_environment, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    folders = {path.parent.name for path in (tmp_path / "history").rglob("*.parquet")}
    assert folders == {"offsets", "members"}


def test_what_was_recorded_as_json() -> None:
    recording = ["collect", *B, "--out", "history", "--every", "5s", "--rounds", "2", "--json"]
    args = build_parser().parse_args([*recording, "--groups", "g.*"])
    found = document(args, Rounds(args.every, Stop().held, print))
    assert findings(found) == []
    assert found["settings"] == {
        "bootstrap_server": "127.0.0.1:9", "groups": "g.*", "every_s": 5.0, "rounds": 2,
    }  # fmt: skip
