"""The warnings about racks that are not known, or that look misspelt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.groups import snapshot_of

UNKNOWN = "--rack-aware changes nothing: "


def written(folder: Path, racks: list[str], replicas: list[list[str]] | None) -> Path:
    """Two members with these racks, and a topic of four partitions with replicas there."""
    snapshot: dict[str, Any] = snapshot_of([4], [[0]] * len(racks))
    for member, rack in zip(snapshot["members"], racks, strict=True):
        member.update({"rack": rack} if rack else {})
    if replicas is not None:
        snapshot["racks"] = {"t00": replicas}
    path = folder / "snapshot.json"
    path.write_text(json.dumps(snapshot))
    return path


@pytest.mark.parametrize("command", ["plan", "compare", "frontier"])
@pytest.mark.parametrize(
    ("option", "racks", "replicas", "line"),
    [
        (["--rack-aware"], ["", ""], [["x"]] * 4, UNKNOWN + "no member's rack is known"),
        (["--rack-aware"], ["x", ""], None, UNKNOWN + "no partition's racks are known"),
        (
            ["--max-cross-rack", "3"],
            ["", ""],
            None,
            "--max-cross-rack changes nothing: no member's rack is known",
        ),
    ],
)
def test_settings_that_change_nothing(
    run, tmp_path: Path, command: str, option, racks, replicas, line
) -> None:
    path = written(tmp_path, racks, replicas)
    status, _, err = run(command, path, *option, "--effort", 0.01, "--json")
    assert (status, err) == (0, f"equilag: {line}\n")
    assert run(command, path, "--effort", 0.01, "--json").err == ""


def test_a_rack_without_replicas_is_named_with_a_guess(run, tmp_path: Path) -> None:
    path = written(tmp_path, ["eu-1a", "eu-1x", "eu-1x", "eu-1x", ""], [["eu-1a"], ["eu-1b"]] * 2)
    err = run("plan", path, "--rack-aware", "--effort", 0.01, "--json").err
    line = 'no partition has a replica in "eu-1x", the rack of "m01", "m02" and 1 more'
    assert err.startswith(f'equilag: {line}, did you mean "eu-1')
    assert err.count("\n") == 1
    path = written(tmp_path, ["eu-1a", "eu-1b"], [["eu-1a"], ["eu-1b"]] * 2)
    assert run("plan", path, "--rack-aware", "--effort", 0.01, "--json").err == ""


def test_many_racks_without_replicas_stay_one_line(run, tmp_path: Path) -> None:
    path = written(tmp_path, ["a", *"bcdef"], [["a"]] * 4)
    err = run("plan", path, "--max-cross-rack", 4, "--effort", 0.01, "--json").err
    assert '"b", the rack of "m01"; nor in "c", the rack of "m02"; nor in "d"' in err
    assert err.endswith("; nor in 2 more\n")
    assert err.count("\n") == 1
