"""Generate the offset history of a fleet: `python -m benchmarks.fleet.history --out DIR`.

Writes the two tables of a history, DIR/offsets/*.parquet and DIR/members/*.parquet, where each file
is a slice of time, as a recorder writes it. DIR/made.json is written last. It has the numbers of
rows, groups and partitions, and of each fault per group (see `faults`). Equal settings give equal
tables.
"""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from benchmarks.fleet.settings import START, HistorySettings
from benchmarks.fleet.shape import make_fleet
from benchmarks.fleet.tables import member_tables, offset_tables, write_tables
from equilag.domain.errors import EquilagError, InputError

ROWS_PER_FILE: Final = 2_000_000
"""Most rows of a file; they fit into memory while the file is written."""


def write_history(out: Path, settings: HistorySettings) -> dict[str, Any]:
    """Generate and write a history; return the content of made.json. Raises InputError, OSError."""
    settings.check()
    for name in ("offsets", "members", "made.json"):
        if (out / name).exists():
            raise InputError("already holds a history, or part of one", "--out", str(out))
    fleet = make_fleet(settings)
    # At least four slices of time, if there are as many rounds.
    per_file = min(ROWS_PER_FILE, settings.partitions * -(-settings.samples // 4) * 11 // 10)
    rows = write_tables(offset_tables(fleet, settings), out / "offsets", per_file)
    member_rows = write_tables(member_tables(fleet, settings), out / "members", ROWS_PER_FILE)
    made = {
        "seed": settings.seed,
        "rows": rows,
        "member_rows": member_rows,
        "groups": settings.groups,
        "partitions": settings.partitions,
        "faults": fleet.faults.counts(fleet.group_names, fleet.group),
    }
    (out / "made.json").write_text(json.dumps(made, indent=1) + "\n", "utf-8")
    return made


def _milliseconds(text: str) -> int:
    """Convert an ISO 8601 time with a zone to milliseconds since 1970. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(text)
    return round(moment.astimezone(UTC).timestamp() * 1000)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status: 0, or 2 if the history cannot be generated."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fleet.history",
        description="Generate the offset history of a fleet.",
    )
    usual = HistorySettings()
    for option, meaning in (
        ("groups", "consumer groups"),
        ("partitions", "partitions with offsets, over all groups"),
        ("samples", "sampling rounds"),
        ("every", "seconds between rounds"),
        ("seed", "seed of the random numbers"),
        ("member-rounds", "rounds in which members are recorded"),
    ):
        value = getattr(usual, option.replace("-", "_"))
        parser.add_argument(
            f"--{option}", type=int, default=value, metavar="N", help=f"{meaning} ({value})"
        )
    parser.add_argument("--faults", action="store_true", help="with every fault in some groups")
    parser.add_argument(
        "--start", default=START, metavar="TIME", help=f"time of the first round ({START})"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="where to write")
    given = vars(parser.parse_args(arguments))
    out, start = given.pop("out"), given.pop("start")
    try:
        try:
            start_ms = _milliseconds(start)
        except ValueError:
            problem = f"{start!r} is not a time with a zone such as {START}"
            raise InputError(problem, "--start") from None
        made = write_history(out, HistorySettings(**given, start_ms=start_ms))
    except (EquilagError, OSError) as error:
        sys.stderr.write(f"{parser.prog}: {error}\n")
        return 2
    sys.stdout.write(json.dumps(made) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
