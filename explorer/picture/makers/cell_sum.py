"""One cell of a product of matrices as the sum that it is: a term for each pair of numbers, and one for the bias."""

from typing import cast

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.arithmetic import Arithmetic
from explorer.picture.causal_kinds import Account
from explorer.picture.cell_text import number
from explorer.picture.kinds import Caption, Heatmap
from explorer.picture.makers.projections import LETTERS, behind, is_projection
from explorer.picture.sums import Sums, SumTerm, TrailLink, largest_first, told, unmarked
from explorer.state.look import Look
from explorer.trace.found.projections import Made, Projection
from explorer.trace.kept_map import closed_cells
from explorer.trace.trace import Trace

PRODUCTS = ("query", "key", "value", "scores", "mixed", "output")
"""The steps of an attention that are products of two matrices."""
_SYMBOLS = {"scores": ("Q", "K", "S"), "mixed": ("A", "V", "AV")}
_FAR = 1e-4  # the largest difference from the record that is rounding, as a share of the largest term


def opened_cell(result: Heatmap, look: Look) -> tuple[int, int]:
    """Row and column of the cell that is opened: the chosen one, or the largest where none was chosen or it is not there."""
    rows, columns = result.values.shape
    if 0 <= look.sum_row < rows and 0 <= look.sum_column < columns:
        return look.sum_row, look.sum_column
    row = look.sum_row if 0 <= look.sum_row < rows else None
    size = np.abs(np.nan_to_num(result.values if row is None else result.values[row : row + 1], posinf=0.0, neginf=0.0))
    place, column = np.unravel_index(int(np.argmax(size)), size.shape)
    return int(place) if row is None else row, int(column)


def cell_sum(trace: Trace, look: Look, words: Words, result: Heatmap) -> Account | None:
    """The opened cell of the step's result as a sum; None while its factors are on their way.

    Raises NoMatrix where the model's matrix is not found.
    """
    found = behind(trace, look) if is_projection(look.part) else None  # says why there is none
    of = result.made_of
    if of is None or of.right is None:
        return None
    row, column = opened_cell(result, look)
    cell = _CellSum(trace, look, words, result, of, row, column)
    return cell.account(found)


@attrs.frozen(eq=False)
class _CellSum:
    """One cell [row, column] of a product, with the names of its factors and of what it makes."""

    trace: Trace
    look: Look
    words: Words
    result: Heatmap
    of: Arithmetic
    row: int
    column: int

    @property
    def symbols(self) -> tuple[str, str, str]:
        """The letters of the left matrix, of the right one, and of their product."""
        if self.look.part in _SYMBOLS:
            return _SYMBOLS[self.look.part]
        letter = LETTERS[cast(Made, self.look.part)]
        return "x" if letter != "O" else "concat", f"W_{letter}", letter

    def account(self, found: Projection | None) -> Account:
        """The picture of the sum."""
        terms = self._terms()
        total, recorded = sum(term.value for term in terms), self._recorded()
        left, right, made = self.symbols
        row, column = self._row_name, self._column_name
        second = f"[{column}, i]" if self.look.part == "scores" else f"[i, {column}]"  # K is not transposed on screen.
        bias = "" if self.of.bias is None else f" + b<sub>{made}</sub>[{column}]"
        return Account(
            sums=Sums(
                word="",
                rival="",
                difference=recorded,
                total=total,
                n_parts=len(terms),
                exact=True,
                groups=(),
                kinds=(),
                terms=largest_first(terms),
                whole=total,
                chain=self._chain(total, recorded, found),
                factors=(left, right),
                names=self.words("why.products", count=self.of.left.shape[1]),
                said=self._differs(total, recorded, found),
            ),
            signed_colours=self.look.signed_colours,
            head=self.result.head,
            caption=Caption(
                title=f"{made}[{row}, {column}] = {told_number(total)}",
                tap=self.result.caption.tap,
                name=f"{self.look.attention_tap(self.look.part)}.sum.{self.row}.{self.column}",
                shape="",
                formula=f"Σ<sub>i</sub> {left}[{row}, i] · {_rich(right)}{second}{bias}",
                origin="computed",
            ),
        )

    @property
    def _row_name(self) -> str:
        return _unmarked(self.result.rows.label(self.row))

    @property
    def _column_name(self) -> str:
        return _unmarked(self.result.columns.label(self.column))

    def _terms(self) -> list[SumTerm]:
        """A term for each pair of numbers, and the bias as one of its own: it is multiplied with 1."""
        assert self.of.right is not None  # A product has two sides.
        left = self.of.left[self.row].astype(np.float64)
        right = self.of.right[:, self.column].astype(np.float64)
        # y[r,c] = Σ_i x[r,i]·W[i,c] + b[c]
        terms = [self._term(self._name(i), a, b) for i, (a, b) in enumerate(zip(left.tolist(), right.tolist(), strict=True))]
        if self.of.bias is not None:
            terms.append(self._term(self._bias_name, 1.0, float(self.of.bias[self.column])))
        return terms

    def _term(self, name: str, first: float, second: float) -> SumTerm:
        left, right, _made = self.symbols
        value = first * second
        return SumTerm(
            name, value, f"{name}  {told(value, 4)}\n{left} {number(first)} · {right} {number(second)}", (first, second)
        )

    @property
    def _bias_name(self) -> str:
        return f"b_{self.symbols[2]}"

    def _name(self, i: int) -> str:
        """The name of the term i: a feature, a feature of a head, or the key whose value is weighted."""
        if self.look.part == "mixed":
            keys = self.trace.side(self.look.attention_tap("weights"), "key")
            return unmarked(keys[i].text)
        if self.look.part == "output":
            d_head = self.trace.shape(self.look.attention_tap("mixed"))[-1]
            return f"H{i // d_head} · {i % d_head}"
        return self.words("why.feature", feature=i)

    def _recorded(self) -> float:
        """The number that the pass recorded in the step's tap, at the place of the cell."""
        tap = self.look.attention_tap(self.look.part)
        if self.trace.axes(tap)[0] == "head":
            return float(self.trace.head(tap, self.trace.card.head_in(tap, self.look.head))[self.row, self.column])
        return float(self.trace[tap][self.row, self.column])

    def _arrived(self, total: float, found: Projection | None) -> float:
        """What the pass makes of the sum before its tap, by this formula."""
        if found is None or found.direct:
            return total
        return float(found.of_rows(self.row, self.row + 1).arrived[0, self.column])

    def _chain(self, total: float, recorded: float, found: Projection | None) -> tuple[TrailLink, ...]:
        """The products' sum, the bias, what the pass makes of both, and the recorded number."""
        words = self.words
        bias = None if self.of.bias is None else float(self.of.bias[self.column])
        products = total - (bias or 0.0)
        links = [TrailLink(words("why.products", count=self.of.left.shape[1]), told_number(products))]
        if bias is not None:
            links += [
                TrailLink(self._bias_name, told_number(bias), sign="+"),
                TrailLink(words("steps.sum_total"), told_number(total), sign="="),
            ]
        if found is not None and found.norm is not None:
            normed = float(found.of_rows(self.row, self.row + 1).normed[0, self.column])
            links.append(TrailLink(words("steps.sum_normed"), told_number(normed), sign="→"))
        if found is not None and found.turn is not None:
            turned = told_number(self._arrived(total, found))
            links.append(TrailLink(words("steps.sum_turned", position=self.row), turned, sign="→"))
        tap = self.look.attention_tap(self.look.part)
        links.append(TrailLink(words("steps.sum_recorded"), told_number(recorded), tap, sign="|"))
        return tuple(links)

    def _differs(self, total: float, recorded: float, found: Projection | None) -> str:
        """That a change inside the pass has replaced the sum; "" where the record is the sum."""
        arrived = self._arrived(total, found)
        bound = _FAR * max(1e-6, abs(recorded), float(np.abs(self.of.left[self.row]).max()))
        if abs(arrived - recorded) <= bound or closed_cells(np.array(recorded)) or not self.trace.changes:
            return ""
        return self.words("steps.sum_changed")


def told_number(value: float) -> str:
    """A number with four decimals, "−0.2913"."""
    return f"{value:.4f}".replace("-", "−")


def _unmarked(label: str) -> str:
    """A token without the mark of the space before it; the arrow of a token that is still to come stays."""
    arrow = "→" if label.startswith("→") else ""
    return arrow + unmarked(label.removeprefix("→"))


def _rich(symbol: str) -> str:
    """A symbol such as "W_Q" in rich text."""
    name, _, index = symbol.partition("_")
    return f"{name}<sub>{index}</sub>" if index else name
