"""The parts of `equilag.domain.group.builder`: what describes a group, and the checks of it."""
