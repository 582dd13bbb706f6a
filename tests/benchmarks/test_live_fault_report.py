"""The tables on membership changes and faults, from results that are written down here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.live.faults_report import BEGIN, END, main
from benchmarks.live.faults_table import faults_lines


def change(moves: int, unowned: float = 0.0, two: int = 0) -> dict[str, Any]:
    return {
        "moves": moves,
        "unowned_partition_s": unowned,
        "longest_unowned_s": unowned / 2,
        "two_owners": two,
    }


MEMBERSHIP = {
    "strategy": "range",
    "groups": {
        "java, steward": {"one joins": change(2, 4.0), "the steward restarts": change(0)},
        "java, alone": {"one joins": change(3), "the steward restarts": change(0)},
        "librdkafka, steward": {"one joins": change(5), "the steward restarts": change(1, two=2)},
        "librdkafka, alone": {"one joins": change(3), "the steward restarts": change(0)},
    },
}
TAKE_OVER = {
    "case": "take-over-range",
    "leads_after_s": 3.4,
    "settled_after_s": 5.0,
    "two_owners": 2,
    "longest_two_owners_s": 0.25,
    "unowned_partition_s": 7.0,
    "longest_unowned_s": 0.5,
}


def step(kind: str, role_s: float | None, read_s: float | None) -> dict[str, Any]:
    return {"kind": kind, "groups": {"range": {"role_s": role_s, "read_s": read_s}}}


FAULTS = {
    "seconds": 600.0,
    "full": False,
    "seed": 1,
    "steps": [step("outage", 2.0, 3.0), step("outage", 4.0, 9.0), step("hang", None, None)],
    "groups": {
        "range": {
            "records": 1234,
            "records_not_read": 0,
            "processes_lost": [{"what": "steward"}, {"what": "kafka-python-7"}],
            "clients_stuck": [],
            "two_owners": [{"kind": "hang"}, {"kind": "hang"}],
        }
    },
}


def test_faults() -> None:
    lines = faults_lines(FAULTS)
    assert lines[0] == "10 minutes, 3 faults (seed 1)."
    assert lines[1].startswith("Range: 1,234 records, not read 0; partitions with two owners 2 (")
    assert " 2 (hang: 2); processes lost: the steward (1), kafka-python (1); " in lines[1]
    assert lines[1].endswith("clients that hung for good: none.")
    assert lines[-2:] == [
        "| outage | 2 | 4.0; 6.0, 9.0 |",
        "| hang | 1 | late; late, late |",
    ]


def test_full_runs_are_taken_and_shown(tmp_path: Path) -> None:
    source, results, page = tmp_path / "from", tmp_path / "to", tmp_path / "page.md"
    source.mkdir()
    for name, one in (
        ("membership-dynamic-range", MEMBERSHIP),
        ("take-over-range", TAKE_OVER),
        ("faults", FAULTS),
        ("faults-outages", {**FAULTS, "full": True}),
    ):
        (source / f"{name}.json").write_text(json.dumps(one), "utf-8")
    page.write_text(f"# Page\n{BEGIN}\nold\n{END}\nmore\n", "utf-8")
    words = ["--take", str(source), "--results", str(results), "--page", str(page)]
    assert main(words) == 0
    assert sorted(path.stem for path in results.iterdir()) == [
        "faults-outages", "membership-dynamic-range", "take-over-range",
    ]  # fmt: skip
    text = page.read_text("utf-8")
    assert "old" not in text
    assert text.startswith(f"# Page\n{BEGIN}\n\n## Members come and go\n")
    assert text.endswith(f"\n\n{END}\nmore\n")
    assert text.count("10 minutes, 3 faults") == 1
