"""Cutting by hand, in the row of tokens."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from explorer.app.shell.window import Window
from explorer.state.cut_intents import AddWord, CutTokens
from explorer.state.intents import SetKnob, SetText
from explorer.views.painting.pointed import Pointed
from explorer.views.pictures.token_row import TokenRowView
from tests.journeys.conftest import Journey


def _texts(row: TokenRowView) -> list[str]:
    assert row.picture is not None
    return [chip.text for chip in row.picture.chips]


def _menu_action(row: TokenRowView, index: int, word: str) -> None:
    row.selected = index
    menu = row.menu(index)
    next(action for action in menu.actions() if word in action.text()).trigger()


def test_the_tutorials_own_cut_can_be_made_by_hand(journey: Journey) -> None:
    """jieba takes 和光同尘 as one word; split by hand the text's two 和 stand at tokens 1 and 5."""

    def script(window: Window) -> None:
        journey.settle(window)
        row = window.sentences.source_row
        assert "和光同尘" in _texts(row)
        _menu_action(row, _texts(row).index("和光同尘"), "拆成“和”")
        journey.settle(window)

        assert ["我", "和", "同学", "一起", "听", "和", "光同尘"] == _texts(row)
        assert _texts(row) == _texts(window.sentences.target_row)
        assert window.session.frame is not None
        ids = [token.id for token in window.session.frame.trace.tokens.source]
        assert ids[1] == ids[5]

        _menu_action(row, 0, "恢复")
        journey.settle(window)
        assert "和光同尘" in _texts(row)

    journey.run(script, "gui", "--text", "我和同学一起听和光同尘")


def test_keys_merge_split_and_reset(journey: Journey) -> None:
    """M joins the chosen token with the next, S splits it, R resets; undo takes each back."""

    def script(window: Window) -> None:
        journey.settle(window)
        row = window.sentences.source_row
        row.setFocus()
        QTest.keyClick(row, Qt.Key.Key_M)
        journey.settle(window)
        assert ["我爱", "北京", "天安门"] == _texts(row)
        QTest.keyClick(row, Qt.Key.Key_Right)
        QTest.keyClick(row, Qt.Key.Key_S)
        journey.settle(window)
        assert ["我爱", "北", "京", "天安门"] == _texts(row)
        window.session.undo()
        journey.settle(window)
        assert ["我爱", "北京", "天安门"] == _texts(row)
        QTest.keyClick(row, Qt.Key.Key_R)
        journey.settle(window)
        assert ["我", "爱", "北京", "天安门"] == _texts(row)

    journey.run(script)


def test_a_word_can_be_added_for_this_text(journey: Journey) -> None:
    """A merged token that is added to the dictionary is found again in the automatic cut."""

    def script(window: Window) -> None:
        journey.settle(window)
        row = window.sentences.source_row
        window.session.ask(AddWord("爱北京"))
        journey.settle(window)
        assert ["我", "爱北京", "天安门"] == _texts(row)

        _menu_action(row, 0, "恢复")
        journey.settle(window)
        assert ["我", "爱", "北京", "天安门"] == _texts(row)

    journey.run(script)


def test_a_new_text_is_cut_afresh(journey: Journey) -> None:
    """Hand-made cuts belong to the text they were made for."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(CutTokens("source", "merge", 0, 0))
        journey.settle(window)
        window.sentences.source_edit.setText("我爱北京")
        journey.settle(window)

        assert ["我", "爱", "北京"] == _texts(window.sentences.source_row)

    journey.run(script)


def test_the_tokens_page_shows_merges_and_unknown_words(journey: Journey) -> None:
    """Byte-pair tokens tell how they were made; a word outside the vocabulary is marked."""

    def script(window: Window) -> None:
        window.session.ask(SetText("preprocessing 龘"))
        window.session.ask(SetKnob("tokenizer", "bpe"))
        window.go("tokens")
        journey.settle(window)
        row = window.page_stack.page.cards[0].view
        assert isinstance(row, TokenRowView) and row.picture is not None
        assert any(chip.merges for chip in row.picture.chips)
        assert "龘 1/3" in _texts(row)

        window.session.ask(SetKnob("tokenizer", "jieba"))
        journey.settle(window)
        assert not row.picture.chips[-1].known
        told: list[Pointed] = []
        row.pointed.connect(told.append)
        for _ in row.picture.chips[1:]:
            QTest.keyClick(row, Qt.Key.Key_Right)
        assert "<unk>" in told[-1].text

    journey.run(script)


def test_the_menu_key_on_an_empty_row_does_nothing(journey: Journey) -> None:
    """Before the first frame, and where the model has no such side."""

    def script(window: Window) -> None:
        window.session.ask(SetKnob("architecture", "decoder-only"))
        journey.settle(window)
        window.go("tokens")
        empty = [row for row in window.findChildren(TokenRowView) if row.picture is None or not row.picture.chips]
        assert empty
        for row in empty:
            for reason in (QContextMenuEvent.Reason.Keyboard, QContextMenuEvent.Reason.Mouse):
                place = row.rect().center()
                QApplication.sendEvent(row, QContextMenuEvent(reason, place, row.mapToGlobal(place)))
                assert QApplication.activePopupWidget() is None
            for key in (Qt.Key.Key_Menu, Qt.Key.Key_M, Qt.Key.Key_S, Qt.Key.Key_R, Qt.Key.Key_Left, Qt.Key.Key_Right):
                QTest.keyClick(row, key)

    journey.run(script)
