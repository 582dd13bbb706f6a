"""Every test of a command may run it."""

from support.commands import load, process_environment, run, spawn, write

__all__ = ["load", "process_environment", "run", "spawn", "write"]
