"""The parts of a lesson, as frozen data. `lessons.read` reads them from a file."""

from collections.abc import Mapping

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lessons.facts import left_out, needs
from explorer.lessons.formula import names
from explorer.state.state import Settings
from explorer.trace.found.experiments import IN_FORMULAS

Cells = NDArray[np.float64]


@attrs.frozen
class Text:
    """A text in both languages."""

    zh: str = ""
    en: str = ""

    def of(self, language: str) -> str:
        """The text in one language."""
        return self.zh if language == "zh" else self.en


@attrs.frozen(eq=False)
class Claim:
    """A number that a text prints, and the formula `true` that computes it. Without `printed`, only the latter is shown.

    If `expected` is True, no text prints the number: it is the one that should come out.
    """

    label: Text
    true: str
    printed: Cells | None = None
    tolerance: float = 1e-3
    expected: bool = False


@attrs.frozen
class Question:
    """A question, answered by a formula (`answer`), a choice's index (`right`), or a `kind` of `lessons.questions`.

    `hint` is shown after a wrong answer, `why` after a right one.
    """

    ask: Text = Text()
    answer: str = ""
    tolerance: float = 0.01
    choices: tuple[Text, ...] = ()
    right: int = 0
    kind: str = ""
    why: Text = Text()
    hint: Text = Text()


@attrs.frozen(eq=False)
class Step:
    """A step of a lesson: its text, the settings that it applies, its claims, and perhaps a question.

    Fields that `settings` do not set stay as they are. `given` holds matrices that formulas name and that the reader may
    change. `highlight` names what to outline: "knob:…", "tap:…", "token:…" or "river:…" for a column of the river; "card:…"
    gives the card of a tap all the room. `title` stands in place of the lesson's; `fact` is a kind of `lessons.facts`, and
    `links` are what may come next: a text, and where it leads ("page:…", "lesson:…", "action:…"). With `follows` the step is
    about any translator of the program, and `settings` say how it is set up for the default one.
    """

    say: Text
    settings: Settings = attrs.field(factory=Settings)
    highlight: tuple[str, ...] = ()
    given: Mapping[str, Cells] = attrs.field(factory=dict)
    claims: tuple[Claim, ...] = ()
    question: Question | None = None
    title: Text = Text()
    fact: str = ""
    links: tuple[tuple[Text, str], ...] = ()
    follows: bool = False

    @property
    def without(self) -> str:
        """The part of the model without which the step's fact has the sentence translated; "" for none."""
        return left_out(self.fact) if self.fact else ""

    @property
    def experiments(self) -> frozenset[str]:
        """The experiments that the step's formulas name and its fact needs. Raises BadFormula."""
        formulas = [claim.true for claim in self.claims]
        if self.question is not None and self.question.answer:
            formulas.append(self.question.answer)
        named = frozenset().union(*(names(formula) for formula in formulas)) & frozenset(IN_FORMULAS)
        return named | (needs(self.fact) if self.fact else frozenset())


@attrs.frozen(eq=False)
class Lesson:
    """A lesson. `key` is its file's name without suffix; `group` is a tutorial, "A" to "E", or any name a teacher writes."""

    key: str
    group: str
    title: Text
    steps: tuple[Step, ...]
