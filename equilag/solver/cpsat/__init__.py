"""The CP-SAT model: one function per constraint family, put together in `model`."""
