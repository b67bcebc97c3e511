"""Opening somebody's model: the model before stays until the new one is there, and comes back where it cannot be had."""

from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.app.session import told
from explorer.app.session.first_state import first_state
from explorer.app.session.preferences import Preferences
from explorer.app.session.remembered import remembered_path
from explorer.engine.request import Frame, Request
from explorer.errors import EngineRestarted, FolderIsGone, KnobDoesNothing, MissingWeights, NotAModel, TooLong, WorkFailed
from explorer.presets import DEFAULT
from explorer.state.intents import OpenFolder, SetKnob, SetPreset, SetText
from explorer.state.state import Settings, State
from tests.app.session.driving import Driven, Make, frame, kinds

OWN = "The capital of France is Paris."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that looks like one with a model, also to its check."""
    monkeypatch.setattr("explorer.foreign.folder.check_folder", lambda _path: None)
    made = tmp_path / "theirs"
    made.mkdir()
    (made / "config.json").touch()
    return made


def failing(error: BaseException, preset: str) -> Callable[[Request], Frame]:
    """A compute that cannot open this preset."""

    def answer(request: Request) -> Frame:
        if request.wish.preset == preset:
            raise error
        return frame(request)

    return answer


def test_a_folder_is_opened_by_the_next_pass(driven: Driven, folder: Path) -> None:
    """Its model takes the place of the one before when its answer is there; one step goes back. Its sentence is its own."""
    driven.settle()
    shown = driven.session.frame
    driven.session.ask(OpenFolder(str(folder)))
    asked = driven.begun()

    assert (asked.wish.preset, asked.wish.text, asked.detail.opens) == (str(folder), OWN, True)
    assert driven.session.opens and driven.session.frame is shown
    answer = driven.let_go()
    assert driven.session.frame is answer and not driven.session.opens
    driven.session.ask(SetText("Rome"))
    assert not driven.begun().detail.opens
    driven.let_go()
    driven.heard()
    driven.session.undo()
    driven.session.undo()
    assert driven.session.state.wish.preset == "tiny"
    driven.begun()
    driven.let_go()


def test_the_name_of_a_folder_does_not_depend_on_where_one_stands(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is the absolute path, so that the next start finds it from anywhere."""
    monkeypatch.chdir(folder.parent)
    opened = OpenFolder("theirs").applied(State.from_preset("tiny"), None)
    assert opened.wish.preset == str(folder)
    assert first_state(Preferences(), None, "theirs").state.wish.preset == str(folder)


def test_what_is_no_folder_with_a_model_is_refused_and_nothing_has_changed(driven: Driven, tmp_path: Path) -> None:
    """A folder that is gone, and one without a model; a box that shows it already is put back."""
    driven.settle()
    for path, kind in ((tmp_path / "gone", FolderIsGone), (tmp_path, NotAModel)):
        before = driven.session.state
        driven.session.ask(OpenFolder(str(path)))
        said = driven.heard()
        assert kinds(said) == ["Set", "SprungBack"]
        assert isinstance(said[1], told.SprungBack) and isinstance(said[1].error, kind) and str(path) in str(said[1].error)
        assert driven.session.state is before and driven.idle()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (MissingWeights(path="folder", missing="*.safetensors"), MissingWeights),
        (SystemExit("a bug"), WorkFailed),
        (EngineRestarted(), EngineRestarted),
    ],
)
def test_a_model_that_cannot_be_opened_gives_the_one_before_back(
    driven: Driven, folder: Path, error: BaseException, kind: type
) -> None:
    """With the reason; what was typed meanwhile stays, and the failed step cannot be redone."""
    driven.settle()
    driven.gate.answer = failing(error, str(folder))
    driven.session.ask(OpenFolder(str(folder)))
    driven.begun()
    driven.session.ask(SetText("你好"))
    driven.heard()
    driven.gate.go.release(2)  # The one that runs, and the one that waited.
    said = driven.wait_for(told.SprungBack)

    assert isinstance(said[-1], told.SprungBack) and isinstance(said[-1].error, kind)
    assert (driven.session.state.wish.preset, driven.session.state.wish.text) == ("tiny", "你好")
    driven.wait(lambda: bool(driven.gate.requests) and driven.gate.requests[-1].wish.preset == "tiny")
    driven.gate.go.release()
    driven.wait(driven.session.is_answered)
    driven.session.redo()
    assert driven.session.state.wish.preset == "tiny"


def test_an_opening_that_is_stopped_gives_the_one_before_back(driven: Driven, folder: Path) -> None:
    """The model before answers again."""
    driven.settle()
    before = driven.session.state
    driven.session.ask(OpenFolder(str(folder)))
    driven.begun()
    driven.heard()
    driven.session.stop()
    driven.wait_for(told.OpeningGivenUp)

    assert driven.session.state.wish == before.wish
    assert driven.begun().wish.preset == "tiny"
    driven.let_go()
    assert driven.session.is_answered()


def test_a_program_that_begins_with_a_broken_model_goes_on_with_the_default(make: Make, folder: Path) -> None:
    """There is none before; a text of the user's stays."""
    driven = make(State.from_preset(str(folder), "Rome"))
    driven.gate.answer = failing(NotAModel(path=str(folder), reason="?"), str(folder))
    driven.session.start()
    driven.begun()
    driven.gate.go.release()
    driven.wait_for(told.SprungBack)

    wish = driven.session.state.wish
    assert (wish.preset, wish.text, wish.beam) == (DEFAULT, "Rome", 4)
    driven.begun()
    driven.let_go()


def test_a_text_that_the_model_refuses_is_no_reason_to_give_it_back(driven: Driven, folder: Path) -> None:
    """It is open: the next text may do."""
    driven.settle()
    driven.gate.answer = failing(TooLong(limit=1, got=2), str(folder))
    driven.session.ask(OpenFolder(str(folder)))
    driven.begun()
    driven.gate.go.release()
    driven.wait_for(told.Refused)
    assert driven.session.state.wish.preset == str(folder)


def test_an_empty_box_does_not_stop_the_opening(driven: Driven, folder: Path) -> None:
    """Somebody who types another text deletes the old one first."""
    driven.settle()
    driven.session.ask(OpenFolder(str(folder)))
    driven.begun()
    driven.session.ask(SetText(""))
    driven.gate.go.release()
    driven.wait(lambda: driven.session.frame is not None and driven.session.frame.wish.preset == str(folder))
    assert driven.session.state.wish.text == ""


def test_progress_is_told_while_somebody_types(driven: Driven, folder: Path) -> None:
    """It is that of the opening, whichever text waits for it."""
    driven.settle()
    driven.gate.share = 0.5
    driven.session.ask(OpenFolder(str(folder)))
    driven.begun()
    driven.session.ask(SetText("Rome"))
    driven.heard()
    driven.gate.go.release()
    assert told.ShareDone(0.5) in driven.wait_for(told.ShareDone)
    driven.gate.go.release()
    driven.wait(driven.session.is_answered)


def test_only_knobs_that_act_are_turned(folder: Path) -> None:
    """A button of a page or a file cannot turn the others, which would say something and do nothing."""
    state = OpenFolder(str(folder)).applied(State.from_preset("tiny"), None)
    assert SetKnob("temperature", 2.0).applied(state, None).wish.config.temperature == 2.0
    with pytest.raises(KnobDoesNothing):
        SetKnob("n_heads", 2).applied(state, None)
    with pytest.raises(KnobDoesNothing):
        Settings.read({"preset": str(folder), "knobs": {"n_heads": 2}})


def test_the_next_start_comes_back_to_the_folder(folder: Path) -> None:
    """With text and temperature. Where the folder is gone, the default preset takes its place, and the reason is told."""
    state = State.from_preset(str(folder), "Rome", temperature=2.0)
    remembered_path().parent.mkdir(parents=True, exist_ok=True)
    state.save(remembered_path())
    first = first_state(Preferences(), None, None)
    assert first.restored and first.state.wish == state.wish

    remembered_path().write_text(remembered_path().read_text("utf-8").replace(folder.name, "gone"), "utf-8")
    first = first_state(Preferences(), None, None)
    assert first.state.wish.preset == DEFAULT and str(folder.parent / "gone") in str(first.refused)


def test_a_preset_of_the_list_is_opened_from_a_folder_and_back(folder: Path) -> None:
    """The sentence follows the model unless it was typed."""
    there = SetPreset(str(folder)).applied(State.from_preset("tiny"), None)
    assert (there.wish.text, there.wish.config.values()) == (OWN, State.from_preset(str(folder)).wish.config.values())
    back = SetPreset("tiny").applied(there, None)
    assert back.wish == State.from_preset("tiny").wish


def test_a_lesson_brings_a_model_of_our_own(folder: Path) -> None:
    """Its steps turn knobs and speak of parts that models of others lack. A sentence of the reader's stays."""
    theirs = State.from_preset(str(folder))
    step = Settings.read({"knobs": {"n_heads": 2}})[0]
    opened = theirs.opened(step)
    assert (opened.wish.preset, opened.wish.text) == (DEFAULT, State.from_preset(DEFAULT).wish.text)
    assert opened.wish.config.n_heads == 2
    typed = State.from_preset(str(folder), "我爱她").opened(step)
    assert (typed.wish.preset, typed.wish.text) == (DEFAULT, "我爱她")
    named = theirs.opened(Settings.read({"preset": "tiny", "text": "好"})[0])
    assert (named.wish.preset, named.wish.text) == ("tiny", "好")
