"""A row of the list of changes: its switch and name, and below them what it does before anybody switches it on."""

from html import escape

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from explorer.lang import Words
from explorer.picture.outcome import Mark, Outcome
from explorer.picture.theme import LIGHT, Theme
from explorer.views.controls.outcome_strip import OutcomeStrip
from explorer.views.controls.switch import Switch
from explorer.views.painting.style import set_style_property

TOOL_PX = 20  # the column of buttons at the right, which rows without buttons leave free


class OutcomeRow(QWidget):
    """The base of the rows. What it shows of an Outcome is told by its switch, which takes the focus."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("changerow")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.switch, self.name, self.strip = Switch(), QLabel(), OutcomeStrip()
        self.said, self.hit = QLabel(), QLabel()
        self.name.setObjectName("changename")
        self.said.setObjectName("faint")
        self.hit.setObjectName("shape")
        self.said.setTextFormat(Qt.TextFormat.RichText)
        self.hit.setTextFormat(Qt.TextFormat.PlainText)
        for label in (self.name, self.said):
            label.setWordWrap(True)
        self.hit.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Preferred)
        self.grid = QGridLayout(self)
        self.grid.setContentsMargins(4, 3, 0, 3)
        self.grid.setHorizontalSpacing(6)
        self.grid.setVerticalSpacing(1)
        top, right = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignRight
        self.grid.addWidget(self.switch, 0, 0, Qt.AlignmentFlag.AlignVCenter)
        self.grid.addWidget(self.name, 0, 1)
        self.grid.addWidget(self.strip, 0, 2, Qt.AlignmentFlag.AlignVCenter)
        self.grid.addWidget(self.said, 1, 1, top)
        self.grid.addWidget(self.hit, 1, 2, top | right)
        self.grid.setColumnMinimumWidth(3, TOOL_PX)
        self.grid.setColumnStretch(1, 1)
        self.outcome: Outcome | None = None
        self.theme: Theme = LIGHT
        self.colours = LIGHT.signed_colours
        self.show_outcome(Outcome())

    def dress(self, theme: Theme, colours: str) -> None:
        """Take the colours of a theme, and those of signed data."""
        if (theme, colours) != (self.theme, self.colours):
            self.theme, self.colours = theme, colours
            self.show_outcome(self.outcome or Outcome())

    def put_row(self, name: str, *, on: bool, about: str = "") -> None:
        """Show a name and whether it is on."""
        with QSignalBlocker(self.switch):
            self.switch.setChecked(on)
        for part in (self, self.name):
            set_style_property(part, "on", on)
        self.name.setText(name)
        self.name.setToolTip(about)
        self.switch.setAccessibleName(name)

    def put_outcome(self, outcome: Outcome | None, words: Words) -> None:
        """Show what the row does; None where nothing is found out about it."""
        if outcome != self.outcome:
            self.outcome = outcome
            self.show_outcome(outcome or Outcome())
        self.switch.setAccessibleDescription("" if outcome is None else outcome.told(words))

    def show_outcome(self, outcome: Outcome) -> None:
        """Write the translation, its differences in the accent colour, and paint the cells."""
        self.said.setText("".join(map(self._marked, outcome.runs)) or ("…" if outcome.pending else escape(outcome.lacks)))
        self.hit.setText(outcome.hit)
        set_style_property(self.hit, "none", outcome.none)
        self.strip.put(outcome, self.theme, self.colours)
        for part in (self.said, self.hit, self.strip):
            part.setVisible(self.outcome is not None)

    def _marked(self, run: tuple[str, Mark]) -> str:
        text, mark = escape(run[0]), run[1]
        kind = {"": "span", "new": "b", "gone": "s"}[mark]
        return f'<{kind} style="color:{self.theme.accent}">{text}</{kind}>' if mark else text
