"""Syntax trees of the package, parsed once for all tests of its structure."""

from __future__ import annotations

import ast
from functools import cache


@cache
def syntax(source: str) -> ast.Module:
    return ast.parse(source)
