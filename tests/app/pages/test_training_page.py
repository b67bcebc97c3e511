"""The page of trainings, used as a person would: a life gone through, a training begun, paused, changed, killed."""

import os
import re
import signal
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from explorer.app.pages.training_page import TrainingPage
from explorer.app.shell.window import Window
from explorer.cli import main as cli
from explorer.picture.training_kinds import Answers, HeadDiary, StepCurves
from explorer.presets import load_preset
from explorer.runs.log import read_log
from explorer.runs.snapshots import snapshot_file
from explorer.state.comparing_intents import Compare
from tests.journeys.conftest import Journey, journey
from tests.journeys.page_faults import faults_of

pytestmark = pytest.mark.slow

__all__ = ["journey"]  # a fixture of the journeys

PATIENCE_MS = 90_000  # A training gives way to whatever else this machine does.
SMALL = {"examples": 300, "epochs": 3, "d_model": 16, "d_ff": 32, "n_layers": 1, "n_heads": 2}


def opened(journey: Journey, window: Window) -> TrainingPage:
    window.go("training")
    page = window.page_stack.page
    assert isinstance(page, TrainingPage)
    journey.settle(window)
    journey.wait(lambda: isinstance(page.answers.picture, Answers) and page.answers.picture.steps == page.follower.steps)
    return page


def trained(page: TrainingPage, **given: object) -> None:
    """Turn what is given in the form, and press its button."""
    for name, value in {**SMALL, **given}.items():
        page.form.rows[name].turned.emit(name, value)
    page.form.begin.click()


def test_it_opens_with_a_whole_life(journey: Journey) -> None:
    """Curves, a map of each head at each snapshot, and the answers, of which only the last ones are right."""

    def script(window: Window) -> None:
        page = opened(journey, window)
        curves, diary, said = page.curves.picture, page.diary.picture, page.answers.picture
        assert isinstance(curves, StepCurves) and isinstance(diary, HeadDiary) and isinstance(said, Answers)
        assert len(diary.strips) == 8 and len(diary.strips[0].maps) == len(diary.steps) == len(page.follower.steps) > 40
        assert (said.answers[-1], said.right[0], said.right[-1]) == ("12345", False, True)
        assert list(faults_of(page)) == []

    journey.run(script)


def test_all_pages_show_the_snapshot_that_the_slider_stands_at(journey: Journey) -> None:
    """The vectors of the tokens are rows of the snapshot's own file; the sentence is the training's, and then stays."""

    def script(window: Window) -> None:
        page = opened(journey, window)
        for place in (0, 30):
            page.bar.slider.setValue(place)
            journey.settle(window)
            step = page.follower.steps[place]
            assert window.session.state.wish.preset == f"sort@{step}" and page.shown_step == step
            trace = window.session.frame.trace
            folder = load_preset("sort").folder
            assert folder is not None
            rows = load_file(snapshot_file(folder, step))["encoder.embedding.look_up.weight"].astype(np.float32)
            assert (trace["encoder.embedding.tokens"] == rows[[token.id for token in trace.tokens.source]]).all()
        assert window.session.state.wish.text == "31524"
        window.sentences.source_edit.setText("908")
        journey.settle(window)
        page.bar.slider.setValue(50)
        journey.settle(window)
        assert window.session.state.wish.text == "908"
        box = window.header.presets  # It has one entry for all moments of a training.
        titles = [box.itemText(place) for place in range(box.count())]
        assert [each for each in titles if re.search(r"第 [\d,]+ 步", each)] == [box.currentText()]

    journey.run(script)


def test_two_moments_are_compared(journey: Journey) -> None:
    """The page of comparisons has one pinned, the other now; both are passes of their own snapshots."""

    def script(window: Window) -> None:
        page = opened(journey, window)
        page.bar.slider.setValue(10)
        journey.settle(window)
        before = window.session.frame.trace
        window.session.ask(Compare("now"))
        page.bar.slider.setValue(50)
        journey.settle(window)
        now = window.session.frame.trace
        tap = "decoder.layers.1.cross_attn.weights"
        assert now.compared_with is not None and now.preset != now.compared_with.preset == before.preset
        assert (now.compared_with[tap] == before[tap]).all()
        assert now.tokens.source == before.tokens.source and "".join(each.text for each in now.tokens.target[1:]) == "12345"

    journey.run(script)


def test_a_training_begun_in_the_window_is_that_of_the_command_line(journey: Journey, tmp_path: Path) -> None:
    """To the bit: log, snapshots and weights. All pages follow it, and at the end it is a preset."""

    def script(window: Window) -> None:
        page = opened(journey, window)
        trained(page)
        journey.wait(lambda: page.run != "sort" and page.control.trains, PATIENCE_MS)
        journey.wait(lambda: page.follower.is_finished and not page.control.trains, PATIENCE_MS)
        journey.wait(lambda: page.shown_step == page.follower.steps[-1], PATIENCE_MS)
        assert "训练完成" in page.bar.state.text()
        folder, again = page.follower.folder, tmp_path / "again"
        flags = [f"--{name.replace('_', '-')}={value}".lower() for name, value in page.form.given.items()]
        assert cli.main(["train", "--task", "sort", "--out", str(again), "--snapshots", "64", *flags]) == 0
        mine, other = (load_file(each / "weights.safetensors") for each in (folder, again))
        assert all((mine[name] == other[name]).all() for name in mine.keys() | other.keys())
        one, two = read_log(folder), read_log(again)
        assert one.setup == two.setup and (one.column("loss") == two.column("loss")).all()
        assert page._beside_run == "sort"

    journey.run(script)


def test_a_training_is_paused_changed_and_goes_on(journey: Journey) -> None:
    """What is turned while it runs stands in the log, with the step at which it took effect."""

    def script(window: Window) -> None:
        page = opened(journey, window)
        trained(page, epochs=400)
        journey.wait(lambda: page.control.trains and page.follower.log.last_step > 5, PATIENCE_MS)
        page.bar.main.click()
        journey.wait(lambda: not page.control.process.is_running, PATIENCE_MS)
        stopped = page.follower.log.last_step
        assert stopped and not page.follower.is_finished and page.control.offers == "continue"
        page.form.mishaps["no_mask"].click()
        page.bar.main.click()
        journey.wait(lambda: page.follower.log.last_step > stopped, PATIENCE_MS)
        ((step, changed),) = page.follower.log.changes
        assert step == stopped and changed == {"causal_mask": False}
        page.form.rows["learning_rate"].turned.emit("learning_rate", 0.01)
        journey.wait(lambda: len(page.follower.log.changes) == 2, PATIENCE_MS)
        page.form.rows["n_heads"].turned.emit("n_heads", 1)
        assert not page.form.refused.isHidden()
        page.bar.main.click()
        journey.wait(lambda: not page.control.process.is_running, PATIENCE_MS)

    journey.run(script)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows ends processes in another way")
def test_a_killed_training_says_so_and_goes_on(journey: Journey) -> None:
    """From its last checkpoint; the program stays."""

    def script(window: Window) -> None:
        page = opened(journey, window)
        trained(page, epochs=400)
        journey.wait(lambda: page.control.trains and page.follower.log.last_step > 5, PATIENCE_MS)
        os.kill(page.control.process.number, signal.SIGKILL)
        journey.wait(lambda: not page.control.process.is_running, PATIENCE_MS)
        assert page.control.offers == "continue"
        page.bar.main.click()
        journey.wait(lambda: page.control.trains and page.follower.log.last_step > 5, PATIENCE_MS)
        page.bar.main.click()
        journey.wait(lambda: not page.control.process.is_running, PATIENCE_MS)

    journey.run(script)
