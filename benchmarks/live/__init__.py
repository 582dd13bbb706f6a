"""Live groups on a real broker, side by side: what is measured for docs/benchmark/live.md."""
