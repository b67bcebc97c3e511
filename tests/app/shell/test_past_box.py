"""The list of the last States, as a person uses it."""

import attrs
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from explorer.app.shell.past_box import PastBox, told_step
from explorer.errors import UnknownPreset
from explorer.lang import Words
from explorer.state.comparing_intents import CompareWithPast, GoBackTo
from explorer.state.intents import Intent, SetBeam, SetKnob, SetPreset, SetTarget, SetText, SetTrained
from explorer.state.state import State
from explorer.state.wish import Wish
from explorer.trace.changes import Change
from tests.app.shell.opening import Opened

FIRST = "我爱北京天安门"


def opened_box(opened: Opened, qtbot: QtBot) -> PastBox:
    opened.window.show()
    opened.window.actions_.by_name["past"].trigger()
    box = opened.window.past
    qtbot.waitUntil(box.isVisible)
    return box


def rows(box: PastBox) -> list[tuple[str, str]]:
    """What changed and the sentence of each row, from above to below."""
    items = (box.list.topLevelItem(place) for place in range(box.list.topLevelItemCount()))
    return [(item.text(2), item.text(3)) for item in items if item is not None]


def now(box: PastBox) -> list[bool]:
    items = (box.list.topLevelItem(place) for place in range(box.list.topLevelItemCount()))
    return [item.text(0).startswith("●") for item in items if item is not None]


def choose(box: PastBox, row: int) -> None:
    item = box.list.topLevelItem(row)
    assert item is not None
    box.list.setCurrentItem(item)


def test_it_lists_what_was_done_while_it_is_open(opened: Opened, qtbot: QtBot) -> None:
    """Newest first, the present State marked; undo moves the mark and takes nothing away."""
    box, words = opened_box(opened, qtbot), opened.words
    assert rows(box) == [(words("past.first"), FIRST)]
    opened.session.ask(SetText("狗"))
    opened.session.ask(SetKnob("temperature", 0.5))
    temperature = f"{words('knob.temperature.name')} 1 → 0.5"

    assert rows(box) == [(temperature, "狗"), (words("past.field.text"), "狗"), (words("past.first"), FIRST)]
    assert now(box) == [True, False, False]
    opened.session.undo()
    assert now(box) == [False, True, False] and len(rows(box)) == 3


def test_enter_goes_back_to_the_chosen_state(opened: Opened, qtbot: QtBot) -> None:
    """It is a step like others, which can be undone; page and Look stay."""
    box = opened_box(opened, qtbot)
    opened.session.ask(SetText("狗"))
    opened.session.ask(SetKnob("temperature", 0.5))
    opened.window.go("tokens")
    choose(box, 2)
    qtbot.keyClick(box.list, Qt.Key.Key_Return)

    assert opened.session.state.wish.text == FIRST and opened.session.state.page == "tokens"
    assert opened.window.sentences.source_edit.text() == FIRST
    assert [text for _what, text in rows(box)] == [FIRST, "狗", "狗"]
    opened.session.undo()
    assert (opened.session.state.wish.text, opened.session.state.wish.config.temperature) == ("狗", 0.5)


def test_a_button_compares_with_it(opened: Opened, qtbot: QtBot) -> None:
    """The other State is put aside, the present one stays, and the page that compares comes to the front."""
    box = opened_box(opened, qtbot)
    opened.session.ask(SetText("狗"))
    choose(box, 1)
    qtbot.mouseClick(box.compare, Qt.MouseButton.LeftButton)
    state = opened.session.state

    assert state.page == "compare" and state.wish.text == "狗"
    assert state.wish.compared_with is not None and state.wish.compared_with.text == FIRST
    choose(box, 0)
    assert not box.compare.isEnabled() and not box.go.isEnabled(), "the present State is not compared with itself"
    box.list.itemActivated.emit(box.list.currentItem(), 0)
    assert opened.session.state == state


def test_the_menu_shows_whether_it_is_open(opened: Opened, qtbot: QtBot) -> None:
    """Esc closes it, and so does the key that opened it; what happened meanwhile stands there when it opens again."""
    box, action = opened_box(opened, qtbot), opened.window.actions_.by_name["past"]
    assert action.isChecked()
    qtbot.keyClick(box, Qt.Key.Key_Escape)
    assert not box.isVisible() and not action.isChecked()
    opened.session.ask(SetText("狗"))
    action.trigger()
    assert len(rows(box)) == 2
    action.trigger()
    assert not box.isVisible()


def test_it_speaks_the_language_of_the_window(opened: Opened, qtbot: QtBot) -> None:
    """Also what was set up before it was switched."""
    box = opened_box(opened, qtbot)
    before = rows(box)
    opened.window.appearance.switch_language()
    assert rows(box) != before and box.windowTitle() == opened.window.appearance.words("action.past")
    opened.window.appearance.switch_language()
    assert rows(box) == before


def test_a_model_that_is_gone_is_said() -> None:
    """Its folder may have been deleted since: an error that the status line can tell."""
    state = State.from_preset("tiny")
    gone = Wish(text="a", config=state.wish.config, preset="/no/such/folder")
    for intent in (GoBackTo(gone), CompareWithPast(gone)):
        with pytest.raises(UnknownPreset):
            intent.applied(state, None)


OFF = Change("decoder.layers.1.cross_attn.mixed", "scale", head=3, value=0.0)


def told(*intents: Intent, preset: str = "tiny", language: str = "en") -> str:
    before = state = State.from_preset(preset)
    for intent in intents:
        state = intent.applied(state, None)
    return told_step(before.wish, state.wish, Words.load(language))


@pytest.mark.parametrize(
    ("intent", "said"),
    [
        (SetKnob("temperature", 0.5), "Attention temperature 1 → 0.5"),
        (SetKnob("causal_mask", False), "Causal mask: decoder ✓ → —"),
        (SetText("狗"), "sentence"),
        (SetTarget("dog"), "target"),
        (SetBeam(3), "beam width"),
        (SetPreset("paper-base"), "preset: Base model of the paper"),
    ],
)
def test_a_step_says_what_it_changed(intent: Intent, said: str) -> None:
    """A knob with its value before and after, a preset by its name, without the knobs that it brings."""
    assert told(intent) == said


def test_weights_and_changes_are_told() -> None:
    """What was made inside the pass is told by what it does, with a sign for made and for no more made."""
    words, wish = Words.load("en"), Wish.from_preset("translator")
    changed = attrs.evolve(wish, changes=(OFF,))
    switched = attrs.evolve(wish, changes=(attrs.evolve(OFF, on=False),))

    assert told(SetTrained(False), preset="translator") == "Weights: random"
    assert told_step(wish, changed, words).startswith("+ ") and "head 3" in told_step(wish, changed, words)
    assert told_step(changed, switched, words).startswith("− ")
    assert told_step(wish, switched, words) == words("past.list")


def test_many_differences_are_counted() -> None:
    """Three are named."""
    knobs = [SetKnob(name, value) for name, value in (("seed", 3), ("temperature", 2), ("dropout", 0.5), ("bias", False))]

    assert told(*knobs).endswith(" · 1 more") and told(*knobs).count(" · ") == 3
    assert told(*knobs, language="zh").endswith("另有 1 处")


def test_the_first_state_and_a_comparison_are_told() -> None:
    """So is letting the other state go, and a state that is set up again unchanged."""
    words, wish = Words.load("en"), Wish.from_preset("tiny")
    beside = attrs.evolve(wish, compared_with=wish)

    assert told_step(None, wish, words) == words("past.first")
    assert told_step(wish, beside, words) == words("past.compared")
    assert told_step(beside, wish, words) == words("past.alone")
    assert told_step(wish, wish, words) == words("past.same")


def test_every_field_of_a_wish_has_a_name() -> None:
    """A field that is added later cannot be forgotten."""
    for language in ("zh", "en"):
        words = Words.load(language)
        wish = Wish.from_preset("tiny")
        for name in attrs.fields_dict(Wish):
            other = {
                "text": "x",
                "target": "x",
                "other": "x",
                "adapter": "x",
                "source_cuts": ((0, 1),),
                "target_cuts": ((0, 1),),
                "words": ("x",),
                "batch": ("x",),
                "toward": ("x",),
                "away": ("x",),
                "prefix": (1,),
                "beam": 2,
                "chat": True,
                "by_ids": True,
                "taps": ("*.weights",),
                "adapted": False,
            }.get(name)
            if other is not None:
                assert told_step(wish, attrs.evolve(wish, **{name: other}), words) == words(f"past.field.{name}")
            else:
                assert name in ("config", "preset", "trained", "changes", "compared_with")
