"""Mutation testing: evidence that tests do not get weaker while files and tests move."""

import sys


def say(text: str) -> None:
    """Write a line to whoever runs this."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
