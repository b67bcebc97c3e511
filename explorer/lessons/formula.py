"""A small language of formulas. Teachers need no Python to write one, and a lesson of unknown origin can do no harm.

    softmax(Q @ T(K) / sqrt(2))[0]

Decision: expressions are parsed by `ast`, and only listed kinds of nodes are computed. Rejected: `eval`, and libraries in
which an expression can reach the methods of an array, some of which write files.

Each step is charged to a budget before it is computed; see `lessons.cost`.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from explorer.errors import BadFormula, NotInSentence, TooDeep
from explorer.lessons.cost import (
    CALL,
    GAPS,
    MOVE,
    NODE,
    POWER,
    PRODUCT,
    REMAINDER,
    ROW,
    Budget,
    Cost,
    Later,
    Priced,
    product,
    quoted,
    refused,
    whole,
)
from explorer.mathematics import Numbers

Scope = Mapping[str, Any]
"""The names that a formula may use: numbers, arrays, Later values and Priced functions."""

_LONGEST, _MOST_BRACKETS, _DEEPEST = 600, 30, 100

_BINARY: dict[type[ast.operator], tuple[Callable[[Any, Any], Any], float]] = {
    ast.Add: (operator.add, MOVE),
    ast.Sub: (operator.sub, MOVE),
    ast.Mult: (operator.mul, PRODUCT),
    ast.Div: (operator.truediv, PRODUCT),
    ast.Pow: (operator.pow, POWER),
    ast.FloorDiv: (operator.floordiv, REMAINDER),
    ast.Mod: (operator.mod, REMAINDER),
}


def parse(text: str) -> ast.expr:
    """The syntax tree of a formula. Raises BadFormula."""
    if len(text) > _LONGEST or _brackets(text) > _MOST_BRACKETS:  # Python's own parser may fail on such text in other ways.
        raise _too_deep(text)
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (RecursionError, MemoryError) as error:
        raise _too_deep(text) from error
    except (SyntaxError, ValueError) as error:
        raise BadFormula(formula=quoted(text), reason=quoted(getattr(error, "msg", None) or str(error))) from error
    if _depth(tree) > _DEEPEST:
        raise _too_deep(text)
    return tree


def names(text: str) -> frozenset[str]:
    """All names that a formula uses. Raises BadFormula."""
    return frozenset(node.id for node in ast.walk(parse(text)) if isinstance(node, ast.Name))


def evaluate(text: str, scope: Scope, budget: Budget | None = None) -> Numbers:
    """The value of a formula in float64, with any number of axes; empty if the sentence has no such thing.

    Raises BadFormula, and the errors of a Trace for unknown taps and knobs.
    """
    tree = parse(text)
    try:
        with np.errstate(all="ignore"):
            return _Walker(scope, budget or Budget()).array(tree)
    except BadFormula as error:
        raise type(error)(**{**error.values, "formula": quoted(text)}) from error
    except (ArithmeticError, AttributeError, IndexError, KeyError, MemoryError, TypeError, ValueError, RecursionError) as error:
        raise BadFormula(formula=quoted(text), reason=quoted(str(error))) from error


def _too_deep(text: str) -> TooDeep:
    return TooDeep(formula=quoted(text), length=_LONGEST, depth=_MOST_BRACKETS)


def _brackets(text: str) -> int:
    deepest = depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest


def _depth(tree: ast.expr) -> int:
    """How deeply the nodes are nested, counted without recursion."""
    depth, layer = 0, [tree]
    while layer:
        depth += 1
        layer = [child for node in layer for child in ast.iter_child_nodes(node)]  # type: ignore[misc]
    return depth


class _Walker:
    def __init__(self, scope: Scope, budget: Budget) -> None:
        self._scope, self._budget = scope, budget

    def array(self, node: ast.expr) -> Numbers:
        """The value of a node in float64. Raises BadFormula for a text or a function."""
        return self._reckonable(self._plain(node))

    def value(self, node: ast.expr) -> Any:
        """The value of a node; recorded arrays keep their precision. Raises BadFormula for a node that is not allowed."""
        self._pay(0, NODE)
        match node:
            case ast.Constant(value=str() as text):
                return text
            case ast.Constant(value=bool() | int() | float() as number):
                return self._constant(number)
            case ast.Name():
                return self._named(node.id)
            case ast.List() | ast.Tuple():
                return self._together([self.array(each) for each in node.elts])
            case ast.UnaryOp(op=ast.USub()):
                operand = self.array(node.operand)
                self._pay(operand.size, MOVE * operand.size)
                return -operand
            case ast.BinOp(op=ast.MatMult()):
                return self._multiplied(self.array(node.left), self.array(node.right))
            case ast.BinOp() if type(node.op) in _BINARY:
                return self._combined(type(node.op), self.array(node.left), self.array(node.right))
            case ast.Subscript():
                return self._part(self._plain(node.value), self._index(node.slice))
            case ast.Call(func=ast.Name()):
                return self._called(node)
        raise refused(ast.unparse(node))

    def _pay(self, cells: float, operations: float) -> None:
        self._budget.charge(Cost(cells, operations))

    def _constant(self, number: float) -> Any:
        try:
            return np.float64(number)
        except OverflowError as error:
            raise refused("> 1.8e308") from error

    def _named(self, name: str) -> Any:
        if name not in self._scope:
            raise refused(name)
        value = self._scope[name]
        if isinstance(value, Later):
            self._budget.charge(value.cost)
            return value.make()
        return value

    def _plain(self, node: ast.expr) -> Any:
        value = self.value(node)
        if isinstance(value, (str, Priced)):
            raise refused(ast.unparse(node))
        return np.asarray(value)

    def _reckonable(self, value: Any) -> Numbers:
        if value.dtype != np.float64:
            self._pay(value.size, MOVE * value.size)
        converted: Numbers = value.astype(np.float64, copy=False)
        return converted

    def _together(self, parts: list[Numbers]) -> Numbers:
        n = sum(part.size for part in parts)
        self._pay(n, MOVE * n)
        return np.array(parts, dtype=np.float64)

    def _combined(self, kind: type[ast.operator], left: Numbers, right: Numbers) -> Any:
        """Two values combined cell by cell; the result's size is charged before any memory is taken."""
        function, operations = _BINARY[kind]
        n = math.prod(np.broadcast_shapes(left.shape, right.shape))
        gaps = 0.0 if left.flags.c_contiguous and right.flags.c_contiguous else GAPS
        self._pay(n, (operations + gaps) * n)
        return function(left, right)

    def _multiplied(self, left: Numbers, right: Numbers) -> Any:
        """The product of two matrices, or of two stacks of them."""
        if not left.ndim or not right.ndim or left.shape[-1] != right.shape[-2 if right.ndim > 1 else 0]:
            raise refused(f"{list(left.shape)} @ {list(right.shape)}")
        stacked = math.prod(np.broadcast_shapes(left.shape[:-2], right.shape[:-2]))
        n = stacked * (left.shape[-2] if left.ndim > 1 else 1) * (right.shape[-1] if right.ndim > 1 else 1)
        operations = product(left, right, multiply_adds=n * left.shape[-1], cells=n) + ROW * stacked
        self._pay(n + left.size + right.size, operations)
        # NumPy uses its fast library only for contiguous arrays; it multiplies others twenty times more slowly.
        return np.ascontiguousarray(left) @ np.ascontiguousarray(right)

    def _part(self, whole_array: Any, index: Any) -> Any:
        if not whole_array.size:
            raise NotInSentence(formula="")
        return whole_array[index]

    def _called(self, node: ast.Call) -> Any:
        assert isinstance(node.func, ast.Name)  # `value` has matched it.
        function = self._named(node.func.id)
        if not isinstance(function, Priced):
            raise refused(node.func.id)
        take = self.value if function.texts else self.array
        positional, named = [take(each) for each in node.args], {str(each.arg): take(each.value) for each in node.keywords}
        if not function.empty and any(np.size(each) == 0 for each in (*positional, *named.values())):
            raise NotInSentence(formula="")
        self._pay(0, CALL)
        self._budget.charge(function.price(*positional, **named))
        return function.function(*positional, **named)

    def _index(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Tuple):
            if any(isinstance(each, ast.Tuple) for each in node.elts):  # NumPy would copy cells picked by a nested tuple.
                raise refused(ast.unparse(node))
            return tuple(self._index(each) for each in node.elts)
        if isinstance(node, ast.Slice):
            return slice(*(None if each is None else self._place(each) for each in (node.lower, node.upper, node.step)))
        return self._place(node)

    def _place(self, node: ast.expr) -> int:
        """One whole number; also from an array with one cell, as `where` returns it."""
        value = self.array(node)
        return whole(value.reshape(()) if value.size == 1 else value)
