"""Everything can be reached and read: by a few presses of Tab, and in a narrow window."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from explorer import page_list
from explorer.app.shell.text_box import TextBox
from explorer.app.shell.window import Window
from explorer.lang import Words
from explorer.resources import asset
from explorer.state.comparing_intents import Compare
from explorer.state.intents import SetKnob, SetText, SetTrained
from tests.journeys.by_keys import press
from tests.journeys.conftest import Journey


def test_header_and_knobs_are_one_stop_each(journey: Journey) -> None:
    """Tab leaves them with one press; arrow keys reach every knob."""

    def script(window: Window) -> None:
        journey.settle(window)
        for area in (window.header, window.side):
            inside = [each for each in press_round(window) if area.isAncestorOf(each)]
            assert len(inside) == 1, area
        window.activateWindow()  # Keys go to the window in front, and the group watches what has the focus there.
        journey.wait(window.isActiveWindow)
        window.knobs.writing.sampling[0].slider.setFocus()
        visited = set(press(window, [Qt.Key.Key_Down] * 150))
        missing = [
            name
            for name, row in window.knobs.rows.items()
            if row.isVisible() and not any(row.isAncestorOf(each) for each in visited)
        ]
        assert missing == []

    journey.run(script)


def press_round(window: Window) -> list[QWidget]:
    """What has the focus on one round of Tab through the window."""
    window.sentences.source_edit.setFocus()
    found: list[QWidget] = []
    while len(found) < 200:
        (each,) = press(window, [Qt.Key.Key_Tab])
        found.append(each)
        if each is window.sentences.source_edit:
            return found
    raise AssertionError("Tab does not come round")


def test_f6_goes_round_and_comes_back_to_where_one_was(journey: Journey) -> None:
    """Header, sentences, page, knobs; of a folded panel the tab is left."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.sentences.source_edit.setFocus()
        assert window.actions_.by_name["next_area"].shortcut().toString() == "F6"
        areas = (window.page_stack, window.side, window.header, window.sentences)
        for area, focused in zip(areas, press(window, [Qt.Key.Key_F6] * 4), strict=True):
            assert area.isAncestorOf(focused)
        assert window.focusWidget() is window.sentences.source_edit
        window.actions_.by_name["knobs"].trigger()
        press(window, [Qt.Key.Key_F6] * 2)
        assert window.focusWidget() is window.drawer.tab

    journey.run(script)


def test_the_explanation_is_reachable_in_a_small_window(journey: Journey) -> None:
    """On every page by a button in the header that is always there, and by a key; a page without one tells the keys."""

    def script(window: Window) -> None:
        journey.settle(window)
        words = Words.load("zh")
        for key in page_list.KEYS:
            window.resize(880, 480)
            window.go(key)
            QApplication.processEvents()
            button = window.header.explain_button
            right_below = button.mapTo(window, button.rect().bottomRight())
            assert button.isVisible() and window.rect().contains(right_below), key
            button.click()
            (box,) = [each for each in window.findChildren(TextBox) if each.isVisible()]
            has_one = (asset("explain/zh") / f"{key}.md").exists()
            assert box.windowTitle() == words(f"page.{key}" if has_one else "action.keys"), key
            box.close()

    journey.run(script)


def test_the_panel_is_remembered(journey: Journey) -> None:
    """Folded in a wide window, opened in a narrow one: the next start has it so."""

    def first(window: Window) -> None:
        journey.settle(window)
        window.actions_.by_name["knobs"].trigger()
        window.resize(1000, 700)
        QApplication.processEvents()
        assert not window.side.isVisible()
        window.drawer.tab.click()
        QApplication.processEvents()
        assert window.side.isVisible()

    def second(window: Window) -> None:
        journey.settle(window)
        window.resize(1000, 700)
        QApplication.processEvents()
        assert window.side.isVisible()
        window.resize(1440, 860)
        QApplication.processEvents()
        assert not window.side.isVisible()

    journey.run(first)
    journey.run_as_left(second)


def test_what_is_said_never_contradicts_itself(journey: Journey) -> None:
    """Random weights: the box of presets and the translation say so; trained again, both say that."""

    def script(window: Window) -> None:
        journey.settle(window)
        words = window.appearance.words
        title = words("preset.translator.title")
        box, target = window.header.presets, window.sentences.target_edit
        assert box.currentText() == words("header.trained", preset=title)
        translation = target.placeholderText()
        assert translation == window.session.frame.trace.target != ""  # type: ignore[union-attr]  # it has settled
        for intent in (SetTrained(False), SetKnob("n_layers", 2)):
            window.session.ask(intent)
            journey.settle(window)
            assert box.currentText() == words("header.untrained", preset=title)
            assert target.placeholderText() == words("header.meaningless") and not target.property("offers")
            window.session.ask(SetTrained(True))
            journey.settle(window)
            assert (box.currentText(), target.placeholderText()) == (words("header.trained", preset=title), translation)

    journey.run(script, "--preset", "translator")


def test_the_output_opens_on_the_least_sure_word_until_one_is_chosen(journey: Journey) -> None:
    """With each sentence anew; a chosen step stays."""

    def script(window: Window) -> None:
        window.go("output")
        for text in ("他在图书馆看书。", "我昨天在图书馆借了一本书。"):
            window.session.ask(SetText(text))
            journey.settle(window)
            trace = window.session.frame.trace  # type: ignore[union-attr]  # it has settled
            timeline = window.page_stack.page.cards[0].picture
            spoken = [place for place, label in enumerate(timeline.labels) if any(map(str.isalnum, label)) and "<" not in label]  # type: ignore[union-attr]  # a Timeline
            least = min(spoken, key=lambda place: timeline.probabilities[place])  # type: ignore[union-attr]  # a Timeline
            assert timeline.chosen == least != len(trace.expected) - 1  # type: ignore[union-attr]  # a Timeline
        window.page_stack.page.look_at(position=1)
        window.session.ask(SetText("他在图书馆看书。"))
        journey.settle(window)
        assert window.page_stack.page.cards[0].picture.chosen == 1  # type: ignore[union-attr]  # a Timeline

    journey.run(script, "--preset", "translator")


def test_one_click_compares(journey: Journey) -> None:
    """Each suggestion puts something else beside the present state, which stays; afterwards they make room."""

    def script(window: Window) -> None:
        window.go("compare")
        journey.settle(window)
        page = window.page_stack.page
        suggestions = page.suggestions  # type: ignore[attr-defined]  # the compare page
        present = window.session.state.wish
        for key, button in suggestions.buttons.items():
            assert suggestions.isVisible() and button.isEnabled(), key
            button.click()
            journey.settle(window)
            wish = window.session.state.wish
            other = wish.compared_with
            assert other is not None and (other.config != wish.config or other.uses_trained != wish.uses_trained), key
            assert wish.config == present.config and not suggestions.isVisible()
            there = [card for card in page.cards if card.isVisible() and card.picture is not None]
            weights = page.part.weights  # type: ignore[attr-defined]  # as above
            assert there == [card for card in page.cards if card is not weights or key == "untrained"], key
            window.session.ask(Compare(""))
            journey.settle(window)
        window.session.ask(SetKnob("position", "none"))
        journey.settle(window)
        assert not suggestions.buttons["positions"].isEnabled(), "there is nothing to see"

    journey.run(script, "--preset", "translator")


def test_other_sentences_are_compared(journey: Journey) -> None:
    """By token, or by place with one click; the buttons are there only while it matters."""

    def script(window: Window) -> None:
        window.go("compare")
        journey.settle(window)
        page = window.page_stack.page
        difference = page.maps[2]  # type: ignore[attr-defined]  # the compare page
        matching = page.matching  # type: ignore[attr-defined]  # as above
        window.session.ask(Compare("now"))
        journey.settle(window)
        assert difference.isVisible() and not matching.isVisible()
        window.session.ask(SetText("她也爱北京天安门"))
        journey.settle(window)
        assert matching.isVisible()
        labels = difference.picture.rows.labels
        assert {"爱", "北京", "天安门"} <= set(labels) and not any("→" in label for label in labels)
        assert "我" in difference.picture.caption.note
        matching.press("place")
        assert any("→" in label for label in difference.picture.rows.labels)

    journey.run(script)


def test_the_steps_page_has_a_layer_picker(journey: Journey) -> None:
    """The matrices of the chosen layer are shown, and it follows what is chosen elsewhere."""

    def script(window: Window) -> None:
        window.go("stepper")
        journey.settle(window)
        page = window.page_stack.page
        layer = page.layer  # type: ignore[attr-defined]  # the steps page
        assert (layer.count(), layer.currentIndex(), layer.accessibleName() != "") == (2, 0, True)
        layer.setCurrentIndex(1)
        assert window.session.state.look.layer == 1
        assert page.cards[0].picture.caption.tap.startswith("encoder.layers.1.")
        page.look_at(layer=0)
        assert layer.currentIndex() == 0

    journey.run(script)
