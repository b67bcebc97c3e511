"""The question of a lesson's step: asking, answering and judging, on the numbers of the pass that is shown."""

import random
import zlib
from collections.abc import Mapping
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, Signal

from explorer.app.lessons.reckoner import Reckoner
from explorer.errors import ExplorerError, NotInSentence
from explorer.lang import Words
from explorer.lessons.check import is_right, numbers, scope_of
from explorer.lessons.formula import evaluate
from explorer.lessons.lesson import Cells, Step
from explorer.lessons.questions import Asked, Where, ask
from explorer.mathematics import Numbers
from explorer.picture.makers.lesson import answer_text, asked_html
from explorer.state.look import Look
from explorer.stops import Stop
from explorer.trace.trace import Trace
from explorer.views.controls.question import QuestionBox

Shown = tuple[Trace, Look]


class Quiz(QObject):
    """Puts a step's question into the box and judges the answer, which is computed from `given` and `shown`.

    After the first wrong answer there is a hint, after the second the right answer. Signals: solved() after a right answer.
    """

    solved = Signal()

    def __init__(self, box: QuestionBox, reckoner: Reckoner) -> None:
        super().__init__(box)
        self._reckoner = reckoner
        self.given: dict[str, Cells] = {}
        self.shown: Shown | None = None
        self._box = box
        self._step: Step | None = None
        self._words: Words | None = None
        self._asked: Asked | None = None
        self._order: list[int] = []  # The choices are shuffled, so that the right one is not always first.
        self._seed = 0
        self._wrong = 0  # wrong answers to this question
        box.answered.connect(self._answered)
        box.picked.connect(self._picked)
        box.another.connect(self._another)

    def begin(self, step: Step, given: dict[str, Cells]) -> None:
        """Take another step, without asking its question yet."""
        self._step, self.given, self.shown, self._seed = step, given, None, 0

    def show(self, trace: Trace, look: Look) -> bool:
        """Take a newer pass. Whether it has other tokens than the one of which the question was asked."""
        before, self.shown = self.shown, (trace, look)
        return before is None or (self._asked is not None and before[0].tokens != trace.tokens)

    def end(self) -> None:
        """Forget the step, after it was closed."""
        self._step, self.shown = None, None
        self._reckoner.forget("question")
        self._reckoner.forget("answer")

    def ask(self, words: Words) -> None:
        """Put the step's question into an empty box, or hide the box where there is none."""
        self._words, self._asked, self._wrong = words, None, 0
        self._reckoner.forget("question")
        self._reckoner.forget("answer")
        asked = None if self._step is None else self._step.question
        self._box.setVisible(asked is not None)
        if asked is None:
            return
        if asked.kind:
            self._ask_of_pass(asked.kind, words)
            return
        self._order = list(range(len(asked.choices)))
        random.Random(zlib.crc32(asked.ask.zh.encode())).shuffle(self._order)
        choices = tuple(asked.choices[place].of(words.language) for place in self._order)
        self._box.put(asked.ask.of(words.language), choices)

    def _ask_of_pass(self, kind: str, words: Words) -> None:
        if self.shown is None:
            self._box.setVisible(False)
            return
        trace, look = self.shown
        where = Where(look.attention_tap("weights").rpartition(".")[0], look.head, look.side)
        if not self._seed:  # The box still shows another step's question.
            self._box.put(words("status.computing"), renewable=True)
        self._reckoner.ask("question", partial(_asked, kind, trace, where, self._seed), self._put)

    def _put(self, found: Asked | ExplorerError | None) -> None:
        assert self._words is not None  # `ask` has set it.
        self._asked = found if isinstance(found, Asked) else None
        text = self._words("question.none") if self._asked is None else asked_html(self._asked, self._words)
        choices = () if self._asked is None else self._asked.choices
        self._order = list(range(len(choices)))
        self._box.put(text, choices, renewable=True)

    def _another(self) -> None:
        self._seed += 1
        if self._words is not None:
            self.ask(self._words)

    def _answered(self, typed: str) -> None:
        if self._step is None or self._step.question is None or self._words is None:
            return
        question = self._step.question
        if not numbers(typed):
            self._box.tell(self._words("lesson.no_number"), right=False)
        elif self._asked is not None:
            self._compare(typed, self._asked.tolerance, np.asarray(self._asked.answer))
        elif question.answer and self.shown is not None and self._step.experiments <= self.shown[0].experiments.keys():
            work = partial(_truth, question.answer, self.shown[0], dict(self.given))
            self._reckoner.ask("answer", work, partial(self._compare, typed, question.tolerance))

    def _compare(self, typed: str, tolerance: float, truth: Numbers | ExplorerError) -> None:
        """Judge what was typed against the right answer, or say why there is none."""
        assert self._words is not None  # `ask` has set it.
        if isinstance(truth, NotInSentence) or (not isinstance(truth, ExplorerError) and not truth.size):
            self._box.tell(self._words("lesson.no_answer"), right=False)
        elif isinstance(truth, ExplorerError):
            self._box.tell(self._words.error(truth), right=False)
        else:
            self._judge(answer_text(truth), is_right(typed, truth, tolerance))

    def _picked(self, place: int) -> None:
        if self._step is None or self._step.question is None or self._words is None:
            return
        question, chosen = self._step.question, self._order[place]
        if self._asked is not None:
            right, answer = self._asked.right, self._asked.choices[self._asked.right]
        else:
            right, answer = question.right, question.choices[question.right].of(self._words.language)
        self._box.mark(place, right=chosen == right)
        self._judge(answer, chosen == right)

    def _judge(self, answer: str, right: bool) -> None:
        """Say whether the answer is right. A wrong one gets a hint first; the next one the right answer and the reason."""
        assert self._words is not None and self._step is not None  # A step with a question is open.
        words, question = self._words, self._step.question
        if not right and not self._wrong:
            self._wrong += 1
            self._box.tell(words("lesson.not_yet", hint=self._hint(words)).strip(), right=False)
            return
        why = "" if question is None else question.why.of(words.language)
        verdict = words("lesson.right" if right else "lesson.wrong", answer=answer)
        self._box.tell(words("lesson.because", verdict=verdict, why=why) if why else verdict, right=right)
        if right:
            self.solved.emit()

    def _hint(self, words: Words) -> str:
        """The question's own hint, else that of its kind, else none."""
        question = None if self._step is None else self._step.question
        if question is None:
            return ""
        of_kind = f"question.hint.{question.kind}"
        return question.hint.of(words.language) or (words(of_kind) if of_kind in words else "")


def _asked(kind: str, trace: Trace, where: Where, seed: int, stop: Stop) -> Asked | None:
    return ask(kind, trace, where, seed)


def _truth(formula: str, trace: Trace, given: Mapping[str, Cells], stop: Stop) -> Numbers:
    return evaluate(formula, scope_of(trace, given))
