"""Where a module can be mutated, and how: each site is a span of its text and another text for it.

Left alone: docstrings, strings, annotations, decorators, imports, blocks for type checkers,
`__slots__`, `__all__`, assertions, messages of errors, calls of a logger.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}
# The operator, the offsets of the span, its new text.
_Change = tuple[str, int, int, str]
_LOGGERS = ("log", "logger", "logging", "_log", "_logger", "_LOG")
_UNTOUCHED_NAMES = ("__slots__", "__all__")


@dataclass(frozen=True, slots=True)
class Site:
    """One mutation: the text between two offsets becomes another one."""

    operator: str
    qualname: str
    start: int
    end: int
    new: str


class _Source:
    """Offsets in characters of nodes, which carry columns in bytes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = text.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        """The offset of a line (from 1) and a column in bytes."""
        before = self._lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(before)

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The first offset of the node and the one behind it."""
        last = (node.end_lineno or node.lineno, node.end_col_offset or 0)
        return self.offset(node.lineno, node.col_offset), self.offset(*last)

    def of(self, node: ast.expr | ast.stmt) -> str:
        """The text of the node."""
        start, end = self.span(node)
        return self.text[start:end]

    def replaced(self, operator: str, node: ast.expr | ast.stmt, new: str) -> _Change:
        """Another text for the node."""
        return operator, *self.span(node), new

    def between(
        self, operator: str, left: ast.expr, right: ast.expr, old: str, new: str
    ) -> _Change:
        """Another sign between two operands."""
        start, end = self.span(left)[1], self.span(right)[0]
        return operator, start, end, self.text[start:end].replace(old, new, 1)

    def swapped(self, operator: str, left: ast.expr, right: ast.expr) -> _Change:
        """The second argument before the first."""
        (start, left_end), (right_start, end) = self.span(left), self.span(right)
        gap = self.text[left_end:right_start]
        return operator, start, end, self.of(right) + gap + self.of(left)


def sites(text: str) -> list[Site]:
    """All mutations of a module, in the order of its text; each of them parses."""
    source = _Source(text)
    found = {
        site
        for node, qualname in _nodes(ast.parse(text), "")
        for site in _sites_of(node, qualname, source)
        if text[site.start : site.end] != site.new and _parses(mutated(text, site))
    }
    return sorted(found, key=lambda site: (site.start, site.end, site.operator, site.new))


def mutated(text: str, site: Site) -> str:
    """The module with this mutation."""
    return text[: site.start] + site.new + text[site.end :]


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _nodes(node: ast.AST, qualname: str) -> Iterator[tuple[ast.AST, str]]:
    """The nodes that may be mutated, with the qualified name of what they stand in."""
    for child in _children(node):
        inner = qualname
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{qualname}.{child.name}".lstrip(".")
        yield child, inner
        yield from _nodes(child, inner)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_untouched(child):
                yield child


def _is_untouched(node: ast.AST) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.JoinedStr() | ast.Assert():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id=name)]) if name in _UNTOUCHED_NAMES:
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            return name in _LOGGERS
    return False


def _sites_of(node: ast.AST, qualname: str, source: _Source) -> Iterator[Site]:
    """The mutations of one node itself, not of what it consists of."""
    for operator, start, end, new in [*_of_operators(node, source), *_of_others(node, source)]:
        yield Site(operator, qualname, start, end, new)


def _of_operators(node: ast.AST, source: _Source) -> Iterator[_Change]:
    match node:
        case ast.Compare(left=left, ops=ops, comparators=rights):
            for a, op, b in zip([left, *rights], ops, rights, strict=False):
                old, news = _COMPARISONS[type(op)]
                for new in news:
                    yield source.between("comparison", a, b, old, new)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            if not any(isinstance(side, ast.JoinedStr) or _is_text(side) for side in (left, right)):
                yield source.between("arithmetic", left, right, *_ARITHMETIC[type(op)])
        case ast.AugAssign(target=target, op=op, value=value):
            if isinstance(value, ast.JoinedStr) or _is_text(value):
                return
            if type(op) in _ARITHMETIC:
                yield source.between("arithmetic", target, value, *_ARITHMETIC[type(op)])
            yield source.replaced("deleted statement", node, "pass")
        case ast.BoolOp(op=op, values=values):
            words = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
            yield source.between("and/or", values[0], values[1], *words)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield source.replaced("not or sign removed", node, f"({source.of(operand)})")


def _of_others(node: ast.AST, source: _Source) -> Iterator[_Change]:
    match node:
        case ast.Constant(value=bool() as flag):
            yield source.replaced("constant", node, str(not flag))
        case ast.Constant(value=int() | float() as number):
            yield source.replaced("constant", node, repr(number + 1))
            yield source.replaced("constant", node, f"({number - 1!r})")
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            yield source.replaced("return None", value, "None")
            if isinstance(value, ast.Compare | ast.BoolOp):
                yield source.replaced("return negated", value, f"not ({source.of(value)})")
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            if not isinstance(test, ast.Compare | ast.UnaryOp):
                yield source.replaced("condition negated", test, f"(not ({source.of(test)}))")
        case ast.Expr(value=ast.Call()) | ast.Raise() | ast.Continue():
            yield source.replaced("deleted statement", node, "pass")
        case ast.Break():
            yield source.replaced("deleted statement", node, "continue")
        case ast.Call(func=func, args=args):
            if isinstance(func, ast.Name) and func.id in _CALLS:
                yield source.replaced("min/max, any/all", func, _CALLS[func.id])
            if len(args) >= 2 and not any(isinstance(arg, ast.Starred) for arg in args[:2]):
                yield source.swapped("swapped arguments", args[0], args[1])


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
