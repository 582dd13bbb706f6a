"""The exhaustive search for small groups: repeatable, without a solver."""
