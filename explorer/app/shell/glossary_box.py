"""The glossary under Help: all terms, and a line to find some of them."""

from html import escape

from PySide6.QtWidgets import QLineEdit, QWidget

from explorer.app.shell.text_box import TextBox
from explorer.lang import Words
from explorer.lessons.glossary import Term, terms


class GlossaryBox(TextBox):
    """All terms; what is typed into the line leaves those that name or tell it, in either language."""

    def __init__(self, window: QWidget, words: Words) -> None:
        super().__init__(words("action.glossary"), window, words)
        self._words = words
        self.line = QLineEdit()
        self.line.setPlaceholderText(words("glossary.find"))
        self.line.setAccessibleName(words("glossary.find"))
        self.line.setClearButtonEnabled(True)
        self.line.textChanged.connect(self._find)
        self._column.insertWidget(0, self.line)
        self.tell_html(self._told(terms()))
        self.line.setFocus()

    def _find(self, asked: str) -> None:
        found = [term for term in terms() if asked.strip().lower() in self._all_of(term)]
        self.text.setHtml(self._told(tuple(found)) if found else escape(self._words("glossary.none", asked=asked)))

    def _all_of(self, term: Term) -> str:
        """Everything in which a term can be found."""
        return " ".join((*term.zh, *term.en, term.told.of(self._words.language))).lower()

    def _told(self, found: tuple[Term, ...]) -> str:
        other = "en" if self._words.language == "zh" else "zh"
        return "".join(
            f"<p><b>{escape(' · '.join(term.names(self._words.language)))}</b>　<i>{escape(term.names(other)[0])}</i><br>"
            f"{escape(term.told.of(self._words.language))}</p>"
            for term in found
        )
