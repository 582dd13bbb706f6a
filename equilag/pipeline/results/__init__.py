"""The tables of a run, and what is read from them."""
