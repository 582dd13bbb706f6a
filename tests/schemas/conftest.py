"""Every test of a document may run the command that writes it."""

from support.commands import run, write

__all__ = ["run", "write"]
