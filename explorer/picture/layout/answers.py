"""Where Answers stand: a row for each answer in succession, with the steps at which the model gave it."""

import attrs

from explorer.lang import Words
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.step_axis import step_text
from explorer.picture.marks import Rect
from explorer.picture.training_kinds import Answers

_LETTERS, _SMALL = 14.0, 11.5
_MOST_ROW_PX = 44.0
_ROW_PX, _BAR_PX, _GAP_PX, _SIGN_PX = 26.0, 3.0, 12.0, 18.0


@attrs.frozen(eq=False)
class AnswerRows:
    """The rows (px): where steps end and answers begin, and the height of all."""

    area: Rect
    answers_x: float
    n_rows: int

    @property
    def high(self) -> float:
        """The height of all rows."""
        return self.n_rows * self.pitch

    @property
    def pitch(self) -> float:
        """The height of a row: a little more where the area has room."""
        return min(_MOST_ROW_PX, max(_ROW_PX, self.area.high / max(1, self.n_rows)))

    def row(self, index: int) -> Rect:
        """The rectangle of a row."""
        return Rect(self.area.x, self.area.y + index * self.pitch, self.area.wide, self.pitch)

    def at(self, y: float) -> int | None:
        """The row at a height (px)."""
        index = int((y - self.area.y) // self.pitch)
        return index if 0 <= index < self.n_rows else None


def run_of(picture: Answers, step: int | None) -> int | None:
    """The row whose steps include a snapshot."""
    if step not in picture.steps:
        return None
    own = picture.steps.index(step)
    return next((row for row, (first, last) in enumerate(picture.runs) if first <= own <= last), None)


def steps_told(picture: Answers, row: int) -> str:
    """The steps of a row: "300", or "120–300"."""
    first, last = (step_text(picture.steps[place]) for place in picture.runs[row])
    return first if first == last else f"{first}–{last}"


def answer_rows(sketch: Sketch, picture: Answers, area: Rect) -> AnswerRows:
    """The rows from the top of an area."""
    n = len(picture.runs)
    wide = max((sketch.measure(steps_told(picture, row), _SMALL, True) for row in range(n)), default=0.0)
    return AnswerRows(area, area.x + _BAR_PX + wide + 2 * _GAP_PX, n)


def draw_answers(sketch: Sketch, picture: Answers, words: Words, area: Rect) -> AnswerRows:
    """Draw the rows: the right answers with a tick, the wrong ones with a cross, unjudged ones grey."""
    at, theme, shown = answer_rows(sketch, picture, area), sketch.theme, run_of(picture, picture.shown)
    for index, (first, _last) in enumerate(picture.runs):
        row, right, answer = at.row(index), picture.right[first], picture.answers[first]
        if index == shown:
            sketch.box(row, theme.soft)
            sketch.box(Rect(row.x, row.y, _BAR_PX, row.high), theme.accent)
        base = row.y + row.high / 2 + 5
        colour = theme.accent if index == shown else theme.faint
        sketch.write(at.answers_x - _GAP_PX, base, steps_told(picture, index), _SMALL, colour, "end", bold=index == shown)
        colour = theme.faint if right is None else theme.right if right else theme.warning
        x = at.answers_x
        if right is not None:
            sketch.write(x + _SIGN_PX / 2 - 3, base, "✓" if right else "×", _LETTERS, colour, "middle", bold=True)
            x += _SIGN_PX
        colour = theme.faint if right is None or not answer else theme.text
        said = answer or words("training.answers.empty")
        sketch.write(x, base, said, _LETTERS, colour, bold=bool(right), room=row.right - x - 6)
    return at


def tell_answer(picture: Answers, row: int, words: Words) -> str:
    """One row in words."""
    first = picture.runs[row][0]
    right, answer = picture.right[first], picture.answers[first] or words("training.answers.empty")
    told = words("training.answers.row", steps=steps_told(picture, row), answer=answer)
    return told if right is None else f"{told} · {words('training.answers.right' if right else 'training.answers.wrong')}"
