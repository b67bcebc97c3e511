"""The training page: a model learns while one looks, and its whole life can be gone through step by step.

Decision: the training runs in a process of its own, and the page follows the folder that it writes: its log and its snapshots.
So a training of the window, one of the command line and one that is finished are the same to the page, and a killed one goes
on. Rejected: training on the compute thread, where each key would wait for a step.
"""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from explorer.app.pages.layouts import below, beside, column_in
from explorer.app.pages.page import Page
from explorer.app.pages.training_bar import TrainingBar
from explorer.app.pages.training_control import TrainingControl
from explorer.app.pages.training_form import TrainingForm
from explorer.app.training.follower import Follower
from explorer.app.training.runs import FIRST, first_run, folder_of, given_of, run_name, run_of, runs_there, text_of
from explorer.engine.errand import Brought
from explorer.lang import Words
from explorer.picture.makers.training import answers, curves_of, head_diary, loss_curves, measure_curves
from explorer.picture.training_kinds import Answers, HeadDiary, StepCurves
from explorer.runs.log import RunLog, read_log
from explorer.runs.snapshots import moment_in
from explorer.state.look import Look, attentions
from explorer.state.moment_intents import OpenMoment
from explorer.state.wish import Wish
from explorer.trace.trace import Trace
from explorer.training.tasks import answer_of, question
from explorer.views.controls.layouts import filled
from explorer.views.controls.segments import Segments
from explorer.views.pictures.answers import AnswersView
from explorer.views.pictures.head_diary import HeadDiaryView
from explorer.views.pictures.step_curves import StepCurvesView

_CURVES = ("loss", "accuracy", "rate", "norm", "tokens_per_s", "head")
_RIGHT = ("answers", "form")
_MOST_RIGHT_PX = 600  # Answers and settings need no more; curves and maps do.
_FOLLOW_MS = 400  # so often at most all pages go on to the newest snapshot


class TrainingPage(Page):
    """Above, the bar; left curves and the diary of heads on one axis of steps; right the answers, or what to train next."""

    key = "training"
    least_px = 460

    def __init__(self) -> None:
        super().__init__()
        self._trace: Trace | None = None
        self._look, self._words, self._wish = Look(), Words.load("en"), Wish.from_preset(FIRST)
        self.run, self.runs = "", runs_there(FIRST)
        self._curve, self._right, self._attention, self._chosen = _CURVES[0], _RIGHT[0], "", 0
        self._live, self._first = False, first_run()
        self._beside: RunLog | None = None
        self._beside_run = ""
        self.follower, self.bar, self.form = Follower(self), TrainingBar(), TrainingForm()
        self.control = TrainingControl(self.follower, self.form, self)
        self.curve_choice, self.right_choice, self.attention_choice = Segments(), Segments(), Segments()
        self._views()
        self._connect()
        self._lay_out()

    def _views(self) -> None:
        curves, diary, said = StepCurvesView(), HeadDiaryView(), AnswersView()
        self.curves = self.card(curves, self._curves, title="training.curves.title.loss")
        self.diary = self.card(diary, self._diary, title="training.diary.title")
        self.answers = self.card(said, self._answers, title="training.answers.title")
        for view in (curves, diary, said):
            view.stepped.connect(self._scrub_to)
        diary.chose.connect(self._choose_strip)
        self.curves.bar.insertWidget(2, self.curve_choice)
        self.diary.bar.insertWidget(2, self.attention_choice)

    def _connect(self) -> None:
        self.control.changed.connect(self._tell)
        self.control.began.connect(self._began)
        self.follower.changed.connect(self._draw_again)
        self.follower.changed.connect(self._follow_newest)
        self.follower.sent.connect(self.sent)
        bar = self.bar
        bar.acted.connect(self._act)
        bar.scrubbed.connect(self._scrub)
        bar.follows.connect(self._follow)
        bar.keeps.connect(self._keep)
        bar.chose_run.connect(self._choose_run)
        bar.chose_beside.connect(self._choose_beside)
        self.curve_choice.chose.connect(self._choose_curve)
        self.right_choice.chose.connect(self._choose_right)
        self.attention_choice.chose.connect(self._choose_attention)
        self._newest = QTimer(self)
        self._newest.setSingleShot(True)
        self._newest.setInterval(_FOLLOW_MS)
        self._newest.timeout.connect(self._open_newest)

    def _lay_out(self) -> None:
        right, told = QWidget(), QWidget()
        right.setMaximumWidth(_MOST_RIGHT_PX)
        filled(QVBoxLayout(told), (self.answers, 4), (self.explain(hug=True), 3), gap_px=8, margins_px=(0, 0, 0, 0))
        self._stacked, choice = QStackedLayout(), filled(QHBoxLayout(), self.right_choice, None)
        filled(QVBoxLayout(right), choice, (self._stacked, 1), gap_px=4, margins_px=(0, 0, 0, 0))
        for side in (told, self.form):  # Only now, when it has a parent: the first of them is shown at once.
            self._stacked.addWidget(side)
        column = column_in(self.scrolled())
        column.addWidget(self.bar)
        column.addLayout(beside((below((self.curves, 4), (self.diary, 6)), 7), (right, 4)), 1)

    # What is shown

    @property
    def shown_step(self) -> int | None:
        """The step of the training on this page whose model all pages show; None where they show another model."""
        preset, step = moment_in(self._wish.preset)
        if step is not None and preset == self.run:
            return step
        finished = self._wish.preset == self.run and self.follower.steps
        return self.follower.steps[-1] if finished else None

    @property
    def awaits(self) -> bool:
        return self.follower.reads

    def put(self, wish: Wish) -> None:
        self._wish = wish

    def forget(self) -> None:
        self._trace = None

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self._trace, self._look, self._words = trace, look, words
        self._show_run(look.run or run_of(self._wish.preset) or self._first)
        self._show_beside(look.beside_run)
        self._read_moments()
        self._tell()
        super().draw(trace, look, words)

    def _draw_again(self) -> None:
        """Show what is new, once the page has been shown."""
        if self._trace is not None:
            self.draw(self._trace, self._look, self._words)

    def _show_run(self, run: str) -> None:
        """Follow another training, and let the form show what it was given."""
        folder = folder_of(run)
        if folder is None:
            run, folder = FIRST, folder_of(FIRST)
        assert folder is not None  # The first one is bundled.
        if run == self.run:
            return
        self.run, self._attention, self._chosen = run, "", 0
        self.runs = runs_there(run)
        self.follower.follow(folder)
        self.control.shows_another()

    def _show_beside(self, run: str) -> None:
        folder = folder_of(run) if run else None
        if run != self._beside_run:
            self._beside_run, self._beside = run, None if folder is None else read_log(folder)

    def _read_moments(self) -> None:
        """Have the snapshots read the sentence on top, or the training's own where another model reads that one."""
        mine = self.run in (self._wish.preset, moment_in(self._wish.preset)[0])
        own = text_of(self.run)
        text = self._wish.text if mine else own
        if not self.follower.steps or own is None or text is None:
            return
        log = self.follower.log
        right, architecture = answer_of(text, log.task), str(given_of(log).get("architecture", ""))
        self.follower.ask(self.run, text, right, question(text, architecture, right))

    def _tell(self) -> None:
        words, steps, shown = self._words, self.follower.steps, self.shown_step
        self.curve_choice.offer({key: self._curve_name(key) for key in _CURVES}, self._curve)
        self.right_choice.offer({key: words(f"training.right.{key}") for key in _RIGHT}, self._right)
        self.attention_choice.offer({each: words(f"attention_short.{each}") for each in self._attentions()}, self._attention)
        self._stacked.setCurrentIndex(_RIGHT.index(self._right))
        names = [run_name(run, words) for run in self.runs]
        beside_place = self.runs.index(self._beside_run) + 1 if self._beside_run in self.runs else 0
        self.bar.put_runs(names, self.runs.index(self.run), beside_place, words)
        place = steps.index(shown) if shown in steps else -1
        told = words("training.page.at", step=shown) if place >= 0 else words("training.page.not_shown")
        self.bar.put_moment(len(steps), place, told, live=self._live if self.control.trains else None)
        self.bar.offer(self.control.offers, words)
        self.bar.tell(*self.control.standing(words))

    def _curve_name(self, key: str) -> str:
        strip = self._strip()
        if key == "head" and strip is not None:
            return str(strip.name)
        return self._words(f"training.curve.{key}")

    # The pictures

    def _curves(self, _trace: Trace, look: Look, words: Words) -> StepCurves | None:
        log, steps, shown = self.follower.log, self.follower.steps, self.shown_step
        if not len(log.valid):
            return None
        others = () if self._beside is None else ((run_name(self._beside_run, words), self._beside),)
        if self._curve == "loss":
            return loss_curves(log, steps, shown, words, others)
        strip = self._strip()
        if self._curve == "head":
            if strip is None:
                return None
            return measure_curves(self.follower.moments, strip.attention, strip.layer, strip.head, shown, words, steps)
        return curves_of(log, self._curve, steps, shown, words)

    def _diary(self, _trace: Trace, look: Look, words: Words) -> HeadDiary | None:
        moments = self.follower.moments
        if not moments or not self._attentions():
            return None
        return head_diary(moments, self._attention, self._chosen, self.shown_step, look, words, self.follower.steps)

    def _answers(self, _trace: Trace, _look: Look, words: Words) -> Answers | None:
        moments = self.follower.moments
        right = answer_of(self.follower.text, self.follower.log.task)
        return answers(moments, right, self.shown_step, words) if moments else None

    def _attentions(self) -> tuple[str, ...]:
        """The kinds of attention that the model has; the last one is looked at first, where one sees the answer arise."""
        moments = self.follower.moments
        found = attentions(moments[-1].trace) if moments else ()
        if found and self._attention not in found:
            self._attention, self._chosen = found[-1], 0
        return found

    def _strip(self) -> Any:
        picture = self.diary.picture
        if not isinstance(picture, HeadDiary) or not picture.strips:
            return None
        return picture.strips[min(self._chosen, len(picture.strips) - 1)]

    # What a person does

    def _choose_curve(self, key: str) -> None:
        self._curve = key
        self._draw_again()

    def _choose_right(self, key: str) -> None:
        self._right = key
        self._tell()

    def _choose_attention(self, key: str) -> None:
        self._attention, self._chosen = key, 0
        self._draw_again()

    def _choose_strip(self, strip: int) -> None:
        self._chosen = strip
        self._draw_again()

    def _choose_run(self, place: int) -> None:
        self.look_at(run=self.runs[place])

    def _choose_beside(self, place: int) -> None:
        self.look_at(beside_run=self.runs[place - 1] if place else "")

    def _scrub(self, place: int) -> None:
        if 0 <= place < len(self.follower.steps):
            self._scrub_to(self.follower.steps[place])

    def _scrub_to(self, step: int) -> None:
        """Show the model after this step on all pages."""
        self._live = False
        self._open(step)

    def _open(self, step: int) -> None:
        if step != self.shown_step and step in self.follower.steps:
            self.wished.emit(OpenMoment(self.run, step))

    def _follow(self) -> None:
        self._live = True
        self._follow_newest()
        self._tell()

    def _follow_newest(self) -> None:
        """While a training runs, let all pages go on to its newest snapshot."""
        if self._live and self.control.trains and not self._newest.isActive():
            self._newest.start()

    def _open_newest(self) -> None:
        if self._live and self.follower.steps:
            self._open(self.follower.steps[-1])

    def _keep(self) -> None:
        self.acts.emit("save_preset")

    def _began(self, folder: Path) -> None:
        """Show the training that has begun; the one before stands beside it if it had the same task."""
        before = self.run if self.follower.log.task == self.form.task else ""
        self._live, self._right = True, _RIGHT[0]
        self.look_at(run=str(folder), beside_run=before)

    def _act(self, what: str) -> None:
        """Pause or continue. All pages follow what goes on, until somebody looks at another snapshot."""
        self._live = what == "continue"
        self.control.act(what)
        self._tell()

    def bring(self, brought: Brought) -> None:
        self.follower.bring(brought)

    def speak(self, words: Words) -> None:
        self._words = self.control.words = words
        super().speak(words)
        self.bar.speak(words)
        self.form.speak(words)
        self.curve_choice.setAccessibleName(words("training.page.curve_name"))
        self.right_choice.setAccessibleName(words("training.right.name"))
        self.attention_choice.setAccessibleName(words("training.page.attention"))


PAGE = TrainingPage
