"""`--from-describe` in place of SNAPSHOT, and `equilag snapshot`: from a pasted text to a plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.paths import SAMPLES

from equilag.adapters.snapshot.read_input import load_snapshot

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
def test_two_texts(run, tmp_path: Path, later: str, between: str, cause: str, action: str) -> None:
    paths = [tmp_path / name for name in ("before.txt", "after.txt")]
    for path, text in zip(paths, (EARLIER, later), strict=True):
        path.write_text(text, "utf-8")
    texts = [word for path in paths for word in ("--from-describe", str(path))]
    done = run("plan", *texts, "--between", between, "--check", "--effort", 0.01, "--json")
    if not action:
        assert (done.status, cause in done.err) == (2, True)
        return
    verdict = json.loads(done.out)["verdict"]
    assert (verdict["action"], done.status) == (action, 10 * (action != "leave"))
    assert not cause or verdict["causes"][0]["cause"].startswith(cause)
    assert run("plan", *texts, "--check").status == 2  # without --between


STATS = SAMPLES / "stats.describe.txt"


def test_out(run, tmp_path) -> None:
    path = tmp_path / "group.json"
    status, out, err = run("snapshot", "--from-describe", STATS, "--out", path)
    assert (status, out) == (0, "")
    assert len(err.splitlines()) >= 3
    assert all(line.startswith("equilag: assumed: ") for line in err.splitlines())
    assert load_snapshot(str(path)).name == "stats"
    again = run("snapshot", "--from-describe", STATS, "--out", path, "--json")
    assert again.out == path.read_text("utf-8")


def test_options_reach_the_snapshot(run) -> None:
    plain = json.loads(run("snapshot", "--from-describe", STATS).out)
    ids = [member["id"] for member in plain["members"]]
    assert plain["auto_offset_reset"] == "latest"

    argv = ["snapshot", "--from-describe", STATS, "--as-owned", "--auto-offset-reset", "NONE"]
    owned = json.loads(run(*argv).out)
    assert owned["auto_offset_reset"] == "none"
    shared = owned["subscriptions"]
    assert [shared.get(str(m["subscription"]), m["subscription"]) for m in owned["members"]] == [
        sorted(m["owned"]) for m in owned["members"]
    ]

    choice = [f"{ids[0]}=tokens, files", f"{ids[1]}=lines"]
    words = [word for text in choice for word in ("--subscribe", text)]
    chosen = json.loads(run("snapshot", "--from-describe", STATS, *words).out)
    assert [m["subscription"] for m in chosen["members"][:2]] == [["files", "tokens"], ["lines"]]


def test_topics_that_belong_together_are_written_once_for_all(run, refused, tmp_path) -> None:
    path = tmp_path / "d.txt"
    columns = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID"
    rows = [f"g {topic} {n} 1 2 1 c-{n} /h c" for topic in ("a", "b") for n in range(2)]
    path.write_text("\n".join([columns, *rows, "g c 0 1 2 1 c-0 /h c"]), "utf-8")
    argv = ["snapshot", "--from-describe", path]
    document = json.loads(run(*argv, "--co-partition", "b,a").out)
    assert document["co_partitioned"] == [["b", "a"]]
    assert "co_partitioned" not in json.loads(run(*argv, "--co-partition", "none").out)
    said = refused(*argv, "--co-partition", "a,c")
    assert said.startswith('--co-partition: "c" has 1 partition, "a" 2')


def test_a_member_that_is_not_there(refused, tmp_path) -> None:
    out = tmp_path / "out.json"
    argv = ["snapshot", "--from-describe", STATS, "--subscribe", "nobody=lines", "--out", out]
    assert refused(*argv).startswith("--subscribe: ")
    assert not out.exists()


@pytest.mark.parametrize("which", ["--from-describe", "--members"])
def test_text_of_another_kind_names_its_file(refused, tmp_path, which) -> None:
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("GROUP TOPIC\nstats\n", "utf-8")
    files = {"--from-describe": STATS, which: wrong}
    words = [word for pair in files.items() for word in pair]
    assert refused("snapshot", *words).startswith(f"{wrong}: ")
