"""Whether a refactoring changed a result: record before and after it, compare, time in pairs."""
