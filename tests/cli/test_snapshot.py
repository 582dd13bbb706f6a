"""`equilag snapshot`: from Kafka's own output to a snapshot that the other commands read."""

from __future__ import annotations

import json

import pytest
from support.paths import SAMPLES

from equilag.adapters.snapshot.read_input import load_snapshot

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
