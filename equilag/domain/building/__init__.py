"""The parts of `equilag.domain.building.builder`: what describes a group, and the checks of it."""
