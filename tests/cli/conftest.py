"""Every test of a command may run it."""

from support.commands import process_environment, run, spawn, write

__all__ = ["process_environment", "run", "spawn", "write"]
