"""`--from-describe` in place of SNAPSHOT: a pasted text, planned in one step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.paths import SAMPLES

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.cli import main

TEXT = SAMPLES / "token-indexer.describe.txt"
QUICK = ("--time-limit", 0.2)


@pytest.mark.parametrize(
    "argv",
    [
        ("plan", *QUICK),
        ("assign", "--assignor", "range"),
        ("compare", *QUICK),
        ("frontier", *QUICK),
        ("size", "--members", "7..8", *QUICK),
        ("simulate", "--capacity", "*=900", "--for", "10s", *QUICK),
    ],
)
def test_every_command_about_a_group_reads_a_text(run, argv) -> None:
    status, out, err = run(*argv, "--from-describe", TEXT, "--json")
    assert status == 0
    assert json.loads(out)
    assert "equilag: assumed: subscriptions are not in the text" in err


def test_the_snapshot_is_kept_for_verify(run, refused, tmp_path) -> None:
    saved, plan = tmp_path / "g.json", tmp_path / "plan.json"
    argv = ("--from-describe", TEXT, "--save-snapshot", saved, "--out", plan, *QUICK)
    status, _, err = run("plan", *argv)
    assert status == 0
    remarks = json.loads(plan.read_text("utf-8"))["remarks"]
    assert [f"equilag: {remark}" for remark in remarks] == err.splitlines()
    assert load_snapshot(str(saved)).name == "token-indexer"
    assert run("verify", saved, plan).status == 0
    assert run("simulate", "--from-describe", TEXT, plan, "--capacity", "*=900").status == 0
    said = refused("plan", "--from-describe", TEXT, "--save-snapshot", TEXT)
    assert "would overwrite the input" in said


def test_the_group_of_several(run, refused, tmp_path) -> None:
    both = tmp_path / "both.txt"
    texts = [(SAMPLES / f"{name}.describe.txt").read_text("utf-8") for name in ("stats", "audit")]
    both.write_text("".join(texts), "utf-8")
    said = refused("compare", "--from-describe", both)
    assert 'pick one with --group: "audit", "stats"' in said
    status, out, _ = run("plan", "--from-describe", both, "--group", "audit", *QUICK)
    assert status == 0
    assert "audit: 4 members" in out


def described(ends: list[int], commits: list[int], owner: str = "001122") -> str:
    rows = zip(owner, ends, commits, strict=True)
    lines = (
        f"g t {n} {commit} {end} {end - commit} m{m}-{UUID} /10.0.0.{m} m{m}"
        for n, (m, end, commit) in enumerate(rows)
    )
    header = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID"
    return "\n".join([header, *lines]) + "\n"


UUID = "e9d00e9f-e0e0-4613-9bc2-97cee50c653a"
EARLIER = described([9_000] * 6, [8_000] * 6)


@pytest.mark.parametrize(
    ("later", "between", "cause", "action"),
    [
        (described([10_000] * 6, [8_000] + [9_990] * 5), "400s", "stuck-partition", "look"),
        (described([10_000] * 6, [8_000] + [9_990] * 5, "101122"), "400s", "one-", "look"),
        (described([9_000] * 6, [8_900] + [8_990] * 5), "60s", "", "leave"),
        (described([9_900] * 6, [8_800] * 6), "60s", "all-behind", "add-members"),
        (described([8_000] * 6, [7_000] * 6), "60s", "are they in order", ""),
        (
            described([9_900] * 6, [8_800] * 6).replace("g ", "h "),
            "60s",
            "of group g, the other",
            "",
        ),
    ],
    ids=["stuck", "another owner", "falls", "grows", "wrong order", "another group"],
)
def test_two_texts(
    later: str, between: str, cause: str, action: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    paths = [tmp_path / name for name in ("before.txt", "after.txt")]
    for path, text in zip(paths, (EARLIER, later), strict=True):
        path.write_text(text, "utf-8")
    texts = [word for path in paths for word in ("--from-describe", str(path))]
    status = main(["plan", *texts, "--between", between, "--check", "--effort", "0.01", "--json"])
    done = capsys.readouterr()
    if not action:
        assert (status, cause in done.err) == (2, True)
        return
    verdict = json.loads(done.out)["verdict"]
    assert (verdict["action"], status) == (action, 10 * (action != "leave"))
    assert not cause or verdict["causes"][0]["cause"].startswith(cause)
    assert main(["plan", *texts, "--check"]) == 2  # without --between
