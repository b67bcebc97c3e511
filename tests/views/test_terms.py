"""Terms are explained where they stand: in explanations and in lessons."""

from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.lessons.glossary import terms
from explorer.views.controls.explanation import ExplanationView, TermLabel


def test_a_term_of_an_explanation_has_its_meaning_as_tooltip(qtbot: QtBot) -> None:
    """The page of attention names queries: the letters carry the glossary's sentence."""
    view = ExplanationView()
    qtbot.addWidget(view)
    view.tell("attention", Words.load("zh"))
    cursor = view.document().find("查询")
    assert "点积" in cursor.charFormat().toolTip()
    plain = view.document().find("状态栏")
    assert not plain.charFormat().toolTip()


def test_a_term_of_a_lesson_is_told_under_the_mouse(qtbot: QtBot) -> None:
    """As a link that opens nothing; a stranger's mark-up stays letters."""
    label = TermLabel()
    qtbot.addWidget(label)
    label.tell("<b>每个词元</b>\n看全句", "zh")
    assert label.plain == "<b>每个词元</b>\n看全句" and "&lt;b&gt;" in label.text()
    number = next(place for place, term in enumerate(terms()) if "词元" in term.zh)
    assert f"<a href='{number}'" in label.text()
    label.linkHovered.emit(str(number))
    assert "最小单位" in QToolTip.text()
    label.linkHovered.emit("")
    qtbot.waitUntil(lambda: not QToolTip.isVisible())
