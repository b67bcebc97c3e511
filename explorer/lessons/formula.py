"""A small language of formulas, so that a teacher can write one without Python, and a lesson of unknown origin can do no harm.

    softmax(Q @ T(K) / sqrt(2))[0]

Decision: expressions are parsed by `ast` and walked over a list of what is allowed. Rejected: `eval`, and libraries
that let an expression reach the methods of an array, of which some write files.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.errors import BadFormula

Value = NDArray[np.float64]
Scope = Mapping[str, Any]
"""Names that a formula may use: numbers, arrays and functions."""

_LONGEST = 600
_KEYWORDS = frozenset({"axis", "base", "power", "eps", "shift", "unbiased", "value", "places"})
_LARGEST = 2**22  # cells of any result

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow, ast.MatMult: operator.matmul, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}


def parse(text: str) -> ast.expr:
    """The formula taken apart. Raises BadFormula."""
    if len(text) > _LONGEST:
        raise BadFormula(formula=f"{text[:40]}…", reason=f"> {_LONGEST}")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadFormula(formula=text, reason=getattr(error, "msg", None) or str(error)) from error


def names(text: str) -> frozenset[str]:
    """Every name a formula uses. Raises BadFormula."""
    return frozenset(node.id for node in ast.walk(parse(text)) if isinstance(node, ast.Name))


def evaluate(text: str, scope: Scope) -> Value:
    """The value of a formula, as float64 of any number of axes. Raises BadFormula."""
    tree = parse(text)
    try:
        with np.errstate(all="ignore"):
            value = np.asarray(_Walker(scope).value(tree), dtype=np.float64)
    except BadFormula as error:
        raise BadFormula(formula=text, reason=error.values["reason"]) from error
    except (ArithmeticError, AttributeError, IndexError, KeyError, MemoryError, TypeError, ValueError, RecursionError) as error:
        raise BadFormula(formula=text, reason=str(error)) from error
    return value


class _Walker:
    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def value(self, node: ast.expr) -> Any:
        """The value of one node."""
        match node:
            case ast.Constant(value=str() as text):
                return text
            case ast.Constant(value=bool() | int() | float() as number):
                return np.float64(number)
            case ast.Name():
                return self._named(node.id)
            case ast.List() | ast.Tuple():
                return np.array([self.value(each) for each in node.elts], dtype=np.float64)
            case ast.UnaryOp(op=ast.USub()):
                return -self.value(node.operand)
            case ast.BinOp() if type(node.op) in _BINARY:
                return self._combined(type(node.op), self._array(node.left), self._array(node.right))
            case ast.Subscript():
                return self.value(node.value)[self._index(node.slice)]
            case ast.Call(func=ast.Name()):
                return self._small(self._called(node))
        raise _refused(ast.unparse(node))

    def _named(self, name: str) -> Any:
        if name not in self._scope:
            raise _refused(name)
        return self._scope[name]

    def _array(self, node: ast.expr) -> Any:
        """A number or an array; text cannot be reckoned with."""
        value = self.value(node)
        if isinstance(value, str) or callable(value):
            raise _refused(ast.unparse(node))
        return np.asarray(value, dtype=np.float64)

    def _combined(self, kind: type[ast.operator], left: Any, right: Any) -> Any:
        """Two values; how large the result will be is known before any memory is taken."""
        if kind is ast.MatMult:
            cells = left.size // max(1, left.shape[-1]) * (right.shape[-1] if right.ndim > 1 else 1)
        else:
            cells = math.prod(np.broadcast_shapes(left.shape, right.shape))
        if cells > _LARGEST:
            raise _refused(f"> {_LARGEST}")
        return _BINARY[kind](left, right)

    def _called(self, node: ast.Call) -> Any:
        assert isinstance(node.func, ast.Name)  # matched above
        function = self._named(node.func.id)
        if not callable(function):
            raise _refused(node.func.id)
        arguments = {str(each.arg): self.value(each.value) for each in node.keywords}
        if not arguments.keys() <= _KEYWORDS:
            raise _refused(", ".join(arguments))
        return function(*(self.value(each) for each in node.args), **arguments)

    def _index(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Tuple):
            return tuple(self._index(each) for each in node.elts)
        if isinstance(node, ast.Slice):
            return slice(*(None if each is None else int(self.value(each)) for each in (node.lower, node.upper, node.step)))
        return int(self.value(node))

    def _small(self, value: Any) -> Any:
        if np.size(value) > _LARGEST:
            raise _refused(f"> {_LARGEST}")
        return value


def _refused(what: str) -> BadFormula:
    return BadFormula(formula="", reason=what)
