"""The parts of `equilag.builder`: what describes a group, and the checks of it."""
