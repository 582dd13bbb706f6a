"""Lists what differs between two recordings of record.py; exits with 1 where a result does.

    python -m benchmarks.same_results.compare BEFORE AFTER [--strict]

Keys, numbers, ids, states and exit codes have to be the same. Times are ignored. Sentences
(strings with a space, error output, help) are listed on their own, and fail only with --strict.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TIMES = frozenset({"timing", "wall_s", "wall_ms", "made_at", "planned_at", "time_s", "seconds"})


def differences(before: Any, after: Any, place: str) -> Iterator[tuple[bool, str, Any, Any]]:
    """Whether it is only a sentence, where, and the two values."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            if key not in before or key not in after:
                yield (
                    False,
                    f"{place}.{key}",
                    before.get(key, "(no key)"),
                    after.get(key, "(no key)"),
                )
            elif key not in TIMES:
                yield from differences(before[key], after[key], f"{place}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from differences(one, other, f"{place}[{number}]")
    elif type(before) is not type(after) or before != after:
        yield is_sentence(before) and is_sentence(after), place, before, after


def is_sentence(value: Any) -> bool:
    return isinstance(value, str) and " " in value


def shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 300 else f"{text[:300]}..."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--strict", action="store_true", help="sentences have to be the same too")
    arguments = parser.parse_args()
    before, after = (
        json.loads((folder / "results.json").read_text())
        for folder in (arguments.before, arguments.after)
    )
    found = list(differences(before, after, ""))
    results = [each for each in found if not each[0]]
    sentences = [each for each in found if each[0]]
    for title, listed in (("results", results), ("sentences", sentences)):
        print(f"{len(listed)} different {title} in {len(before)} cases")  # noqa: T201
        for _, place, one, other in listed:
            print(f"{place}\n  - {shown(one)}\n  + {shown(other)}")  # noqa: T201
    sys.exit(1 if results or (arguments.strict and sentences) else 0)


if __name__ == "__main__":
    main()
