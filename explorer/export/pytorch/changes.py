"""The part of a script that makes the changes of a pass, each as the lines that it takes. See `engine.changing`."""

from collections.abc import Mapping, Sequence

import attrs

from explorer.config import MASK_VALUES
from explorer.errors import ChangeIsFunction
from explorer.export.pytorch.coder import INDENT, Coder, comment, indented, lines, number, numbers, places
from explorer.picture.change_text import told_change
from explorer.trace.change_values import WholeValue, is_function
from explorer.trace.changes import Change
from explorer.trace.recorded_pass import Tokens
from explorer.trace.tap_names import masked_of, side_name
from explorer.trace.trace import Trace


@attrs.frozen
class _Cells:
    """The cells of a change as an index of its tensor, of which `rows` and `columns` are places; None means all of them."""

    head: int | None
    rows: tuple[int, ...] | None
    columns: tuple[int, ...] | None
    has_heads: bool

    def index(self) -> str:
        """The index between square brackets. It keeps the axes [(head,) row, column] in their order."""
        rows, columns = _axis(self.rows), _axis(self.columns)
        in_lists = rows.startswith("[") + columns.startswith("[")
        if (
            in_lists == 2
        ):  # Two lists would be read as pairs; a list of rows as a column stands for every row with every column.
            assert self.rows is not None
            rows = "[" + ", ".join(f"[{row}]" for row in self.rows) + "]"
        parts = [rows, columns]
        if self.has_heads:
            # A number beside a list would move the list's axis to the front.
            head = ":" if self.head is None else f"{self.head}:{self.head + 1}" if in_lists else str(self.head)
            parts.insert(0, head)
        while len(parts) > 1 and parts[-1] == ":":
            parts.pop()
        return ", ".join(parts)


def _axis(chosen: tuple[int, ...] | None) -> str:
    """Places along an axis: a slice where they follow one another, else a list."""
    if chosen is None:
        return ":"
    first, last = chosen[0], chosen[-1]
    if chosen == tuple(range(first, last + 1)):
        return f"{first}:{last + 1}"
    return places(chosen).replace("\n", "")


def changed(coder: Coder, trace: Trace, others: Mapping[str, Tokens]) -> str:
    """The functions that make the changes of a Trace. `others` are texts that patches read, in the order of their runs."""
    by_tap: dict[str, list[Change]] = {}
    for change in trace.changes:
        by_tap.setdefault(change.tap, []).append(change)
    body = [_at_tap(coder, trace, tap, changes, others) for tap, changes in by_tap.items()]
    made = coder(
        """
        def changed(name, x):
            \"\"\"$changed\"\"\"
        """
    )
    return lines(*_helpers(coder, trace), made, *body, "    return x")


def _helpers(coder: Coder, trace: Trace) -> tuple[str, ...]:
    """The functions that some kinds of changes need."""
    found = []
    at_masked = any(
        change.tap.endswith("_attn.masked") and change.kind in ("scale", "add", "close") for change in trace.changes
    )
    sums = any(change.keeps_sums for change in trace.changes)
    if at_masked or sums:
        infinite, finite = (number(value) for value in MASK_VALUES.values())
        found.append(
            coder(
                """
                def is_closed(scores):
                    \"\"\"$is_closed\"\"\"
                    return (scores == $infinite) | (scores == $finite)
                """,
                infinite=infinite,
                finite=finite,
            )
            + "\n\n"
        )
    if sums:
        found.append(
            coder(
                """
                def set_and_shared(weights, columns, value, closed):
                    \"\"\"$shared\"\"\"
                    others = torch.ones_like(weights, dtype=torch.bool)
                    others[..., columns] = False
                    kept = weights.where(others, 0.0)
                    left = kept.sum(dim=-1, keepdim=True)  # [(head,) query, 1]
                    rest = 1.0 - value * len(columns)
                    open_keys = (others & ~closed).float()
                    n_open = open_keys.sum(dim=-1, keepdim=True)
                    # A'[k] = A[k] · (1 - n·v) / (1 - a)
                    scaled = kept / left.where(left > 0, 1.0) * rest
                    evenly = open_keys / n_open.clamp(min=1.0) * rest  # $evenly
                    return scaled.where(left > 0, evenly.where(n_open > 0, kept)).where(others, value)
                """
            )
            + "\n\n"
        )
    return tuple(found)


def _at_tap(coder: Coder, trace: Trace, tap: str, changes: Sequence[Change], others: Mapping[str, Tokens]) -> str:
    each = [lines(comment(told_change(change, trace, coder.words)), _code(trace, change, others)) for change in changes]
    return lines(f'{INDENT}if name == "{tap}":', indented(lines("x = x.clone()", *each), 2))


def _code(trace: Trace, change: Change, others: Mapping[str, Tokens]) -> str:
    shape = trace.shape(change.tap)
    cells = _Cells(change.head, _all(change.rows, shape[-2]), _columns(change, shape[-1]), len(shape) == 3)
    if change.kind == "patch":
        return _patched(trace, change, cells, shape, others)
    if change.kind == "close":
        return _closed(change, cells)
    if change.keeps_sums:
        return _shared(change, cells)
    x = f"x[{cells.index()}]"
    match change.kind:
        case "mean":
            # x̄[c] = 1/n · Σ_r x[r, c]
            return f"# x̄[c] = 1/n · Σ_r x[r, c]\n{x} = {x}.mean(dim=-2, keepdim=True)"
        case "set":
            return f"{x} = {_value(change)}"
    sign = "*" if change.kind == "scale" else "+"
    if change.tap.endswith("_attn.masked"):
        return f"cells = {x}\n{x} = torch.where(is_closed(cells), cells, cells {sign} {_value(change)})"
    return f"{x} {sign}= {_value(change)}"


def _all(chosen: tuple[int, ...] | None, length: int) -> tuple[int, ...] | None:
    """The places; None where they are all of them, in their order."""
    return None if chosen == tuple(range(length)) else chosen


def _columns(change: Change, length: int) -> tuple[int, ...] | None:
    """The columns in the order of the change's values."""
    return _all(change.columns, length)


def _value(change: Change) -> str:
    value = change.value
    if is_function(value):
        raise ChangeIsFunction(tap=change.tap)
    if isinstance(value, WholeValue):
        flat = tuple(value.array.ravel().tolist())
        return f"torch.tensor({numbers(flat)}).reshape({', '.join(map(str, value.array.shape))})"
    return f"torch.tensor({numbers(value)})" if isinstance(value, tuple) else number(value if isinstance(value, float) else 0.0)


def _closed(change: Change, cells: _Cells) -> str:
    """Masked cells of an attention; a row that the model's own mask has masked completely stays as it is."""
    assert change.columns is not None  # Closing needs them.
    rows = f"x[{attrs.evolve(cells, columns=None).index()}]"
    return lines(
        f"rows = {rows}  # [(head,) query, key]",
        "shut = rows.clone()",
        f"shut[..., {_axis(change.columns)}] = -math.inf",
        f"{rows} = torch.where(is_closed(rows).all(dim=-1, keepdim=True), rows, shut)",
    )


def _shared(change: Change, cells: _Cells) -> str:
    """Attention weights that are set, while their rows still sum to 1."""
    assert change.columns is not None and isinstance(change.value, float)  # A change that keeps the sums has both.
    index = attrs.evolve(cells, columns=None).index()
    return lines(
        f'closed = is_closed(taps["{masked_of(change.tap)}"])[{index}]',
        f"x[{index}] = set_and_shared(x[{index}], {places(change.columns)}, {number(change.value)}, closed)",
    )


def _patched(trace: Trace, change: Change, cells: _Cells, shape: tuple[int, ...], others: Mapping[str, Tokens]) -> str:
    """The cells of the other text's pass, as far as both texts go."""
    there = _shape(trace, change.tap, others[change.text or ""])
    both = []
    for chosen, here, other in zip((cells.rows, cells.columns), shape[-2:], there, strict=True):
        both.append(tuple(range(other)) if chosen is None and other < here else chosen)
    taken = attrs.evolve(cells, rows=both[0], columns=both[1])
    given = attrs.evolve(taken, rows=_whole(both[0], shape[-2], there[0]), columns=_whole(both[1], shape[-1], there[1]))
    which = tuple(others).index(change.text or "")
    return f'x[{taken.index()}] = others[{which}]["{change.tap}"][{given.index()}]'


def _whole(chosen: tuple[int, ...] | None, here: int, there: int) -> tuple[int, ...] | None:
    """The places to read along an axis of the other pass, which may be longer than this one."""
    return tuple(range(here)) if chosen is None and there > here else chosen


def _shape(trace: Trace, tap: str, other: Tokens) -> tuple[int, int]:
    """[row, column] how large a tap is in the pass over another text."""
    sizes = {"source": len(other.source), "target": len(other.target)}
    rows, columns = (
        sizes[side_name(tap, axis, has_target=bool(other.target))] if axis in ("position", "query", "key") else length
        for axis, length in zip(trace.axes(tap)[-2:], trace.shape(tap)[-2:], strict=True)
    )
    return rows, columns
