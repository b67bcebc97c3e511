"""Asking why a word was written, as a user does it."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QButtonGroup

from explorer.app.pages.why_page import WhyPage
from explorer.app.shell.window import Window
from explorer.picture.causal_kinds import Account, LensMap
from explorer.state.change_intents import AddChanges
from explorer.state.intents import SetKnob, SetText, look_at
from explorer.trace.changes import Change
from explorer.views.pictures.timeline import TimelineView
from tests.journeys.conftest import Journey
from tests.sweeps import sweep

KEYS = Qt.Key
TEXT = "她给了我一本书。"


def page_of(window: Window) -> WhyPage:
    page = window.page_stack.page
    assert isinstance(page, WhyPage)
    return page


def shown(window: Window) -> Account:
    picture = page_of(window).sum.picture
    assert isinstance(picture, Account)
    return picture


def click(window: Window, beginning: str) -> None:
    """Click the place of the account whose words begin so; the last one, as the links of the way back come first."""
    view = page_of(window).view
    place = max(number for number, each in enumerate(view.places) if each.about.startswith(beginning))
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.place_rect(place).center().toPoint())


def test_one_why_is_walked_from_the_word_to_a_product_of_q_and_k_and_back(journey: Journey) -> None:
    """Every number on the way is the recorded one, nothing is computed for it, and Esc leads back step by step."""

    def script(window: Window) -> None:
        window.session.ask(SetText(TEXT))
        window.go("why")
        journey.settle(window)
        page, trace = page_of(window), window.session.frame.trace
        words_row = page.asked.view
        assert isinstance(words_row, TimelineView)
        QTest.mouseClick(words_row, Qt.MouseButton.LeftButton, pos=words_row.step_rect(0).center().toPoint())
        assert page.asked.title.text() == 'Why "She" and not "I"?' and "+5.50" in page.sum.title.text()
        serial = window.session.serial
        click(window, "cross L1 H4")
        look = window.session.state.look
        assert (look.attention, look.layer, look.head, look.inside) == ("decoder.cross_attn", 1, 4, "head")
        click(window, "她")
        weight = trace["decoder.layers.1.cross_attn.weights"][4, 0, 0]
        assert [link.figure for link in shown(window).sums.chain if link.label == "weight"] == [f"{weight:.3f}"]
        click(window, "score")
        score = float(trace["decoder.layers.1.cross_attn.scores"][4, 0, 0])
        assert abs(shown(window).sums.whole - score) < 1e-4 and len(shown(window).sums.terms) == 32
        seen = []
        while window.session.state.look.inside:
            QTest.keyClick(page.view, KEYS.Key_Escape)  # type: ignore[call-overload]
            seen.append(window.session.state.look.inside)
        assert seen == ["key", "head", ""] and window.page_stack.page is page
        assert window.session.serial == serial

    journey.run(script, "--preset", "translator", "--language", "en")


def test_a_rival_is_chosen_or_typed(journey: Journey) -> None:
    """The symbol that the typed word begins with is taken, and one that there is not is told."""

    def script(window: Window) -> None:
        window.session.ask(SetText(TEXT))
        window.go("why")
        journey.settle(window)
        page = page_of(window)
        page.lens_view.setFocus()
        QTest.keyClick(page.lens_view, KEYS.Key_Home)  # type: ignore[call-overload]
        assert window.session.state.look.position == 0
        page.against.findChild(QButtonGroup).button(1).click()
        assert shown(window).sums.rival == "He"
        QTest.keyClicks(page.typed, "nobodyelse")
        QTest.keyClick(page.typed, KEYS.Key_Return)  # type: ignore[call-overload]
        assert shown(window).sums.rival == "nobody" and page.typed.text() == ""
        page.typed.setText("☃")  # QTest types ASCII alone.
        QTest.keyClick(page.typed, KEYS.Key_Return)  # type: ignore[call-overload]
        assert shown(window).sums.rival == "nobody" and "☃" in page.asked.note.text()
        assert window.session.frame.trace.why(0, "nobody").exact
        page.orders.press("size")
        assert shown(window).sums.terms[0].value > 1

    journey.run(script, "--preset", "translator", "--language", "en")


def test_the_account_comes_after_the_answer_and_follows_the_sentence(journey: Journey) -> None:
    """The first frame of a new sentence has no findings; the account follows behind it, for the same text."""

    def script(window: Window) -> None:
        window.go("why")
        journey.settle(window)
        frames = []
        window.session.told.connect(lambda told: frames.append(told) if hasattr(told, "trace") else None)
        window.session.ask(SetText("你好吗"))
        journey.settle(window)
        assert [bool(frame.trace.experiments) for frame in frames][:1] == [False] and frames[-1].trace.experiments
        assert shown(window).sums.exact
        assert page_of(window).view.mapTo(window, QPoint(0, 0)).y() > 0

    journey.run(script, "--preset", "tiny", "--language", "en")


def test_a_product_of_q_and_k_is_walked_down_to_the_embedding(journey: Journey) -> None:
    """K of one product, a head of the encoder that made it, that head's value: Esc leads back over every link."""

    def script(window: Window) -> None:
        window.session.ask(SetText(TEXT))
        window.go("why")
        journey.settle(window)
        page = page_of(window)
        window.session.ask(look_at(position=0))
        for beginning in ("cross L1 H4", "她", "score"):
            click(window, beginning)
        click(window, "Open all of K")
        journey.settle(window)  # The weights behind Q and K have come.
        trace = window.session.frame.trace
        sums = shown(window).sums
        assert sums.whole == pytest.approx(float(trace["decoder.layers.1.cross_attn.scores"][4, 0, 0]), abs=1e-4)
        assert sums.exact and {"token", "position"} <= {term.label for term in sums.terms}
        click(window, "self L2 H3")
        assert window.session.state.look.attention == "encoder.self_attn"
        click(window, "她")
        click(window, "feature")
        last = shown(window).sums
        assert last.exact and last.trail[-1].label.startswith("V[") and len(last.trail) == 8
        assert page.grab().width() > 0
        n_back = 0
        while window.session.state.look.inside or window.session.state.look.way:
            QTest.keyClick(page.view, KEYS.Key_Escape)  # type: ignore[call-overload]
            n_back += 1
        assert n_back == 7 and window.page_stack.page is page and not shown(window).sums.trail

    journey.run(script, "--preset", "translator", "--language", "en")


def test_the_other_lens_and_the_ranks_are_chosen_beside_the_title(journey: Journey) -> None:
    """The Jacobian lens with its figures, ranks in place of words; a model without one shows the other and says why."""

    def script(window: Window) -> None:
        window.session.ask(SetText(TEXT))
        window.go("why")
        journey.settle(window)
        page = page_of(window)
        first = page.lens.picture
        assert isinstance(first, LensMap) and not first.jacobian and first.agreement is not None
        page.lenses.press("jacobian")
        page.cells.press("ranks")
        shown_now = page.lens.picture
        assert isinstance(shown_now, LensMap) and shown_now.jacobian and shown_now.ranks
        assert "1,010" in page.lens.note.text() and page.lens.title.text() != first.caption.title
        assert shown_now.lens.ids[-1].tolist() == first.lens.ids[-1].tolist() != shown_now.lens.ids[0].tolist()
        window.session.ask(SetKnob("temperature", 1.5))
        journey.settle(window)
        other = page.lens.picture
        assert isinstance(other, LensMap) and not other.jacobian and "emperature" in page.lens.note.text()

    journey.run(script, "--preset", "translator", "--language", "en")


@pytest.mark.parametrize("language", sweep(["en", "zh"], telling=["en"]))
@pytest.mark.parametrize("size", sweep([(1024, 640), (1024, 700), (1440, 850)], telling=[(1024, 640)]))
def test_nothing_is_cut_where_the_badge_has_a_line_of_its_own(journey: Journey, language: str, size: tuple[int, int]) -> None:
    """With a change, and dropout on, a title has two lines and a note below it: every picture ends within its card."""

    def script(window: Window) -> None:
        window.resize(*size)
        window.session.ask(SetText(TEXT))
        journey.settle(window)
        window.session.ask(SetKnob("dropout_active", True))
        window.session.ask(AddChanges((Change("decoder.layers.1.cross_attn.mixed", "scale", head=0, value=0.0),)))
        window.go("why")
        journey.settle(window)
        cards = [card for card in page_of(window).cards if card.isVisible()]
        assert " · " in page_of(window).costs.badge.text() and page_of(window).costs.note.isVisible()
        over = {card.title.text(): card.view.geometry().bottom() - card.contentsRect().bottom() for card in cards}
        assert len(over) == 4 and max(over.values()) <= 0, over

    journey.run(script, "--preset", "translator", "--language", language)
