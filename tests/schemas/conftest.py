"""Every test of a document may run the command that writes it."""

from support.commands import document, run, write

__all__ = ["document", "run", "write"]
