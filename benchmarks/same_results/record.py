"""Records what every offline command and the library say about samples/, to be compared later.

    python -m benchmarks.same_results.record --out FOLDER [--checkout FOLDER] [--command COMMAND]

Work is counted (--effort) and seeded, so two recordings of the same code are the same but for
times. Only the command line and the public names of the package are used, so --checkout may have
another layout. The inputs are always the samples of the checkout that this file is in.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
COUNTED = ["--effort", "0.02", "--time-limit", "60", "--seed", "7"]
COMMANDS = ["plan", "assign", "compare", "verify", "frontier", "explain", "size", "simulate"]
COMMANDS += ["report", "groups", "snapshot", "steward", "collect", "completion"]
HELPS = [[], *([name] for name in COMMANDS)]
HELPS += [["fleet", *part] for part in ([], ["show"], ["report"], ["export"])]
ASSIGNORS = ["range", "round-robin", "fair", "sticky", "lag-aware", "constrained-sticky"]
ASSIGNORS += ["uniform", "broker-range"]
SETTINGS = [
    *(f"--policy {name}" for name in ("kip-169", "fair-yet-sticky", "sticky-yet-fair")),
    *(f"--balance {name}" for name in ("per-topic", "both", "none", "total-then-topics")),
    "--tolerance 0",
    "--tolerance 20",
    "--max-moves 3",
    "--max-moves 1000",
    "--move-cost 1000",
    "--move-weight lag",
    "--move-weight lag --max-move-weight 50000",
    "--fresh",
    "--weight rate",
    "--weight work --horizon 5m",
    "--weight given",
    "--capacity *=1000",
    "--capacity {member}=2 --capacity *=1",
    "--max-partitions 60",
    "--max-partitions {member}=2",
    "--max-partitions 1",
    "--instances host",
    "--instances client-id",
    "--instances none",
    "--rack-aware",
    "--rack-aware --policy fair-yet-sticky --balance total-then-topics",
    "--max-cross-rack 2",
    "--co-partition {topics}",
    "--pin {topic}-0={member}",
    "--keep {topic}",
    "--add-members 2",
    "--add-members 1 --capacity new-*=500",
]
# On one sample only, as they do not depend on the group.
INVALID = [
    "--policy none",
    "--balance odd",
    "--tolerance -1",
    "--tolerance x",
    "--max-moves -1",
    "--max-moves 0 --add-members 3",
    "--move-cost -5",
    "--weight size",
    "--horizon 5",
    "--weight work --horizon x",
    "--capacity a=0",
    "--capacity nobody=5",
    "--max-partitions -1",
    "--instances odd",
    "--max-cross-rack -1",
    "--co-partition one",
    "--co-partition no,topic",
    "--pin nothing",
    "--pin no-0=nobody",
    "--keep no-topic",
    "--add-members 0",
    "--seed x",
    "--effort -1",
    "--unknown",
    "--max-move-weight 0",
    "--deterministic --effort 1",
]
# Settings that the other commands are tried with, besides none.
OTHERS = ["--policy fair-yet-sticky", "--max-moves 3", "--fresh", "--weight work --horizon 5m"]
OTHERS += ["--capacity *=1000", "--rack-aware"]
LIBRARY = """
import json, sys
import equilag
group = equilag.load_snapshot(sys.argv[1])
kept = dict(effort=0.02, time_limit=60.0, seed=7)
said = {"snapshot": equilag.snapshot_document(group)}
def say(name, call):
    try:
        said[name] = call()
    except equilag.EquilagError as problem:
        said[name] = {"error": type(problem).__name__, "sentence": str(problem)}
plan = equilag.solve(group, **kept)
say("solve", plan.to_dict)
say("compare", lambda: equilag.compare(group, **kept).to_dict())
say("frontier", lambda: [point.to_dict() for point in equilag.frontier(group, **kept)])
say("size", lambda: equilag.size(group, **kept).to_dict())
say("simulate", lambda: equilag.simulate(group, plan).to_dict())
say("explain", lambda: equilag.explanation_document(equilag.explain(group, **kept)))
say("findings", lambda: [str(finding) for finding in equilag.verify(group, plan)])
for name in ("fair", "uniform", "lag-aware"):
    say(name, lambda: equilag.assign(group, name).to_dict())
print(json.dumps(said))
"""


def group_cases(sample: str, every_setting: bool) -> list[str]:
    """The command lines for one snapshot; PLAN stands for its plan, which is made before."""
    document: dict[str, Any] = json.loads((ROOT / sample).read_text())
    topics = list(document["topics"])
    names = {"topic": topics[0], "topics": ",".join(topics[:2])}
    names["member"] = document["members"][0]["id"]
    cases = [f"assign {sample} --assignor {name} --json" for name in ASSIGNORS]
    cases += [f"verify {sample} PLAN --json", f"explain {sample} PLAN --json"]
    cases += [f"simulate {sample} PLAN --for 10m --json", f"report {sample} PLAN --json"]
    chosen = SETTINGS if every_setting else SETTINGS[::4]
    settings = ["", *(text.format(**names) for text in chosen)]
    cases += [f"plan {sample} {text} --json" for text in settings]
    cases += [f"plan {sample} --check", f"plan {sample} --output text --width 100"]
    for command in ("compare", "frontier", "explain", "size", "simulate", "report"):
        others = ["", *OTHERS] if every_setting else [""]
        cases += [f"{command} {sample} {text} --json" for text in others]
    return cases


def cases() -> list[str]:
    """Every command line that is recorded."""
    samples = sorted(path.relative_to(ROOT) for path in ROOT.glob("samples/*.snapshot.json"))
    full = ("real-group", "slow-member")
    found: list[str] = []
    for sample in samples:
        found += group_cases(str(sample), sample.name.startswith(full))
    found += [f"plan {samples[-1]} {text} --json" for text in INVALID]
    found += [f"size {samples[-1]} {text} --json" for text in ("--members 2..5", "--members 5..2")]
    found += ["plan samples/none.json", "plan samples/README.md", "assign", "verify", "nothing"]
    for text in sorted(ROOT.glob("samples/*.describe.txt")):
        name = f"samples/{text.name}"
        members = name.replace(".describe.", ".members.")
        found += [f"snapshot --from-describe {name} {more}" for more in ("", "--as-owned")]
        found += [f"snapshot --from-describe {name} --members {members}"]
        found += [f"plan --from-describe {name} {more} --json" for more in ("", "--as-owned")]
        found += [f"explain --from-describe {name} --as-owned --json"]
    found += [f"completion {shell}" for shell in ("bash", "zsh", "fish", "odd")]
    found += ["fleet show samples/fleet-run --json", "fleet report samples/fleet-run --json"]
    found += ["fleet show samples/fleet-run --top 3 --width 100", "fleet show samples"]
    found += ["fleet export samples/fleet-run no-such-group", "groups", "fleet check"]
    found += [shlex.join([*command, "--help"]) for command in HELPS]
    return found


def counted(case: str) -> list[str]:
    """The case's arguments, with the counted effort and the seed where a command takes them."""
    words = shlex.split(case)
    plans = words[0] in {"plan", "compare", "frontier", "explain", "size", "simulate", "report"}
    if not plans or "--help" in words:
        return words
    return [words[0], *COUNTED, *words[1:]]


def run(command: list[str], checkout: Path) -> dict[str, Any]:
    """Exit code, error output, and standard output: as JSON where it is that."""
    # A width of its own and no color: what is printed must not depend on the terminal.
    surroundings = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONHASHSEED": "0"}
    # Without the safe path, the package beside the samples would be taken, whatever is asked for.
    surroundings |= {"PYTHONPATH": str(checkout), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True)
    try:
        output = json.loads(done.stdout)
    except ValueError:
        output = done.stdout
    return {"exit": done.returncode, "stderr": done.stderr, "output": output}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, required=True, help="a folder for the recording")
    parser.add_argument("--checkout", type=Path, default=ROOT, help="whose package is recorded")
    parser.add_argument("--command", default=f"{sys.executable} -m equilag")
    parser.add_argument("--python", default=sys.executable, help="the one that has the library")
    parser.add_argument("--only", default="", help="only cases that hold this text")
    arguments = parser.parse_args()
    out: Path = arguments.out.resolve()
    checkout: Path = arguments.checkout.resolve()
    out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()

    def recorded(case: str) -> dict[str, Any]:
        words = counted(case)
        if "PLAN" in words:
            words[words.index("PLAN")] = str(plans[case.split()[1]])
        return run([*shlex.split(arguments.command), *words], checkout)

    plans: dict[str, Path] = {}
    with ThreadPoolExecutor(2) as two:
        samples = [f"samples/{path.name}" for path in sorted(ROOT.glob("samples/*.snapshot.json"))]
        made = two.map(recorded, (f"plan {sample} --json" for sample in samples))
        for sample, plan in zip(samples, made, strict=True):
            plans[sample] = out / f"plan-of-{Path(sample).name}"
            plans[sample].write_text(json.dumps(plan["output"]))
        todo = list(dict.fromkeys(case for case in cases() if arguments.only in case))
        found = dict(zip(todo, two.map(recorded, todo), strict=True))
        commands = ([arguments.python, "-c", LIBRARY, sample] for sample in samples)
        for sample, said in zip(samples, two.map(run, commands, repeat(checkout)), strict=True):
            found[f"library {sample}"] = said
    text = json.dumps(found, indent=1).replace(str(out), "OUT")
    (out / "results.json").write_text(text)
    print(f"{len(found)} cases in {time.monotonic() - began:.0f} s")  # noqa: T201


if __name__ == "__main__":
    main()
