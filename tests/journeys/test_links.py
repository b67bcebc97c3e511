"""What is set up, sent as a line of text."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from explorer.app.shell.window import Window
from explorer.state.intents import SetKnob
from explorer.state.state_link import link_of
from tests.journeys.conftest import Journey


def _paste(window: Window, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    window.sentences.source_edit.setFocus()
    window.sentences.source_edit.paste()


def test_a_pasted_link_sets_up_what_was_copied(journey: Journey) -> None:
    """Text, knobs and page; the box has the sentence and not the link, and undo brings the old one back."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetKnob("n_heads", 2))
        window.go("masks")
        journey.settle(window)
        sent = window.session.state
        window.actions_.by_name["copy_link"].trigger()
        link = QGuiApplication.clipboard().text()
        assert link == link_of(sent)

        QTest.keyClicks(window.sentences.source_edit, "a")
        window.session.ask(SetKnob("n_heads", 8))
        window.go("tokens")
        journey.settle(window)
        before = window.session.state.wish
        _paste(window, link)
        journey.settle(window)
        assert window.session.state == sent
        assert window.sentences.source_edit.text() == sent.wish.text
        assert window.session.frame is not None and window.session.frame.trace.card.sides[0].n_heads == 2
        window.actions_.by_name["undo"].trigger()
        assert window.session.state.wish == before

    journey.run(script)


def test_a_link_that_cannot_be_read_is_refused(journey: Journey) -> None:
    """With a sentence; the box has the old text again."""

    def script(window: Window) -> None:
        journey.settle(window)
        text = window.sentences.source_edit.text()
        before = window.session.state
        _paste(window, link_of(before)[:-20])
        assert window.session.state == before
        assert window.sentences.source_edit.text() == text
        assert "explorer:…" in window.refusals.text.text()

    journey.run(script)
