"""One check per kind of claim."""
