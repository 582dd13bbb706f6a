"""The exact methods: counts, moves, lag spread and bounds. OR-Tools is imported only in here."""
