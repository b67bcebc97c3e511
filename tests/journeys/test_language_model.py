"""The trained language model in the window: what comes next, how probable each token was, and random weights beside it."""

import numpy as np

from explorer.app.pages.output_page import OutputPage
from explorer.app.shell.text_box import TextBox
from explorer.app.shell.window import Window
from explorer.picture.decoding_kinds import Timeline
from explorer.state.intents import SetPreset
from explorer.views.pictures.timeline import TimelineView
from tests.journeys.conftest import Journey

SENTENCE = "你会说几种语言"


def test_the_language_model_says_what_comes_next(journey: Journey) -> None:
    """One text, no target; the output page has a probability for each token but the first, and random weights have none."""

    def script(window: Window) -> None:
        journey.settle(window)
        frame = window.session.frame
        assert frame is not None
        trace = frame.trace
        assert ("language-model", True, "decoder-only") == (trace.preset, trace.trained, trace.card.architecture)
        assert not window.sentences.target_edit.isVisible()
        assert window.weights.isVisible() and not window.weights.note.isVisible()
        assert "语言模型" in window.header.presets.currentText()

        made = _timeline(window, journey)
        assert made.labels == tuple(token.text for token in trace.tokens.target)
        assert np.isnan(made.probabilities[0]) and not np.isnan(made.probabilities[1:]).any()
        kinds = list(made.labels).index("语言")
        assert made.probabilities[kinds] > 0.5

        window.weights.segments.press("random")
        journey.settle(window)
        assert np.isnan(_timeline(window, journey).probabilities).all()
        assert "译文" not in window.weights.note.text() and "随机" in window.weights.note.text()

    journey.run(script, "--preset", "language-model", "--text", SENTENCE)


def test_no_source_is_spoken_of_without_one(journey: Journey) -> None:
    """Beside the cards and in the box of the question mark; a model that translates has its source explained."""

    def explained(window: Window) -> str:
        window.header.explain_button.click()
        (box,) = [each for each in window.findChildren(TextBox) if each.isVisible()]
        told: str = box.text.toPlainText()
        box.close()
        assert window.page_stack.page.explanation.toPlainText().strip() == told.strip()
        return told

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("output")
        journey.settle(window)
        told = explained(window)
        assert "交叉" not in told and "源句" not in told and "解码器" in told
        window.session.ask(SetPreset("tiny"))
        journey.settle(window)
        assert "交叉" in explained(window)

    journey.run(script, "--preset", "language-model", "--text", SENTENCE)


def test_the_language_model_goes_on_with_the_text(journey: Journey) -> None:
    """Token by token while the window lives; taken into the box, the pass says the same of every token."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("output")
        page = window.page_stack.page
        assert isinstance(page, OutputPage)
        journey.settle(window)
        page.doings.press("write")
        page.writing.all.click()
        journey.wait(lambda: not page.writing.writing)
        tree, written = page.writing.tree, page.writing.written_text()
        assert len(tree.written) >= 2 and written
        page.writing.take.click()
        journey.settle(window)
        assert window.sentences.source_edit.text() == SENTENCE + written
        assert page.writing.tree.tokens == ()  # Another text begins anew.
        page.doings.press("read")
        made = _timeline(window, journey)
        n = len(made.labels) - len([each for each in tree.written if not each.ends])
        if made.labels[n:] == tuple(each.text for each in tree.written if not each.ends):  # jieba may cut the whole otherwise.
            wanted = [each.probability for each in tree.written if not each.ends]
            np.testing.assert_allclose(made.probabilities[n:], wanted, rtol=1e-3)

    journey.run(script, "--preset", "language-model", "--text", SENTENCE)


def _timeline(window: Window, journey: Journey) -> Timeline:
    window.go("output")
    journey.settle(window)
    view = window.page_stack.page.findChild(TimelineView)
    assert view is not None and view.picture is not None
    return view.picture
