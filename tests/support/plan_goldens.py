"""Plans that Python writes and Java reads: python -m tests.support.plan_goldens renews the file.

Of each case: `case NAME KEY` (`-`: no key), `topic ID PARTITIONS` by line, `member ID TOPICS`
with the numbers of the topics above that it is subscribed to, `owners` with the number of each
partition's member in the order of both (`hold` for a plan that is to be refused), `piece RACK`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Final
from uuid import UUID

from equilag.live.carrier.plan_form import plan_pieces

FILE: Final = (
    Path(__file__).parents[2] / "broker-plugin" / "src" / "test" / "resources" / "plans.txt"
)
ODD_IDS: Final = ("Zoë", "zoe", "￮", "😀", "a")
"""UTF-16, in which Java compares, has another order than UTF-8 for two of them."""


MADE_WITH: Final = {"many": "a-secret", "forged": "another-secret"}
"""Case -> the key with which its plan was made."""


def goldens() -> str:
    """The content of FILE."""
    random = Random(1)
    topics = [UUID(int=random.getrandbits(128)) for _ in range(6)]
    many = [f"member-{number}" for number in range(300)]
    return "\n".join(
        [
            *case("few", "", ODD_IDS, {UUID(int=2**127 + 5): 3, UUID(int=7): 4}, 1),
            *case("many", "a-secret", many, dict.fromkeys(topics, 100), 3),
            *case("forged", "a-secret", ODD_IDS, {topics[0]: 5}, 2),
            "",
        ]
    )


def case(
    name: str, key: str, members: Sequence[str], sizes: Mapping[UUID, int], pieces: int
) -> Iterator[str]:
    random = Random(name)
    topics = list(sizes)
    # The first member reads everything, the others the topics of even numbers.
    may = [[at for at in range(len(topics)) if not at % 2 or not n] for n in range(len(members))]
    takers = [[n for n in range(len(members)) if at in may[n]] for at in range(len(topics))]
    owners = [
        [random.choice(takers[at]) for _ in range(sizes[topics[at]])] for at in range(len(may[0]))
    ]
    assigned = {
        member: {
            topics[at]: [p for p, owner in enumerate(owners[at]) if owner == n] for at in may[n]
        }
        for n, member in enumerate(members)
    }
    made_with = MADE_WITH.get(name, "")
    yield f"case {name} {key or '-'}"
    yield from (f"topic {topic.hex} {size}" for topic, size in sizes.items())
    for member, listed in zip(members, may, strict=True):
        yield f"member {member} {','.join(map(str, listed))}"
    shown = ",".join(str(owner) for row in owners for owner in row)
    yield f"owners {shown if made_with == key else 'hold'}"
    for piece in plan_pieces(assigned, sizes, 42, made_with.encode(), pieces):
        yield f"piece {piece}"


if __name__ == "__main__":
    FILE.write_text(goldens(), "utf-8")
    sys.stdout.write(f"{FILE}\n")
