"""What a lesson is made of. All of it is frozen data; `lessons.read` makes it from a file."""

from collections.abc import Mapping
from functools import cached_property

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lessons.formula import names
from explorer.state.state import Settings
from explorer.trace.findings import EXPERIMENTS

Cells = NDArray[np.float64]


@attrs.frozen
class Text:
    """The same in both languages."""

    zh: str = ""
    en: str = ""

    def of(self, language: str) -> str:
        """In one of them."""
        return self.zh if language == "zh" else self.en


@attrs.frozen(eq=False)
class Claim:
    """A number that a text prints (or that should come out, `expected`), and the formula of the true one. Without a printed
    number the truth alone is told."""

    label: Text
    true: str
    printed: Cells | None = None
    tolerance: float = 1e-3
    expected: bool = False  # no text says so: it is what should come out


@attrs.frozen
class Question:
    """`answer` is a formula, or the place of the right one among `choices`, or a kind of `lessons.questions` in `kind`."""

    ask: Text = Text()
    answer: str = ""
    tolerance: float = 0.01
    choices: tuple[Text, ...] = ()
    right: int = 0
    kind: str = ""
    why: Text = Text()


@attrs.frozen(eq=False)
class Step:
    """A sentence, what to set, what to compare, and perhaps a question.

    What `settings` do not name stays: the user's own sentence, the model, the page. `given` are matrices that formulas
    name and that the reader may change. `highlight` names "knob:…", "tap:…" or "token:…".
    """

    say: Text
    settings: Settings = attrs.field(factory=Settings)
    highlight: tuple[str, ...] = ()
    given: Mapping[str, Cells] = attrs.field(factory=dict)
    claims: tuple[Claim, ...] = ()
    question: Question | None = None

    @cached_property
    def experiments(self) -> frozenset[str]:
        """What the formulas ask for beside the pass. Raises BadFormula."""
        formulas = [claim.true for claim in self.claims]
        if self.question is not None and self.question.answer:
            formulas.append(self.question.answer)
        return frozenset().union(*(names(formula) for formula in formulas)) & frozenset(EXPERIMENTS)


@attrs.frozen(eq=False)
class Lesson:
    """`key` is the file's name without its ending; `group` is the tutorial, "A" to "E", or whatever a teacher writes."""

    key: str
    group: str
    title: Text
    steps: tuple[Step, ...]
