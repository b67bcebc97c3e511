"""The window's style sheet, made from a Theme: hairlines instead of boxes, one accent colour, no colour of data."""

import re

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from explorer.picture.theme import FAMILY, Theme
from explorer.resources import asset

_TEXT_PX = 40 / 3  # 10 points on Linux and Windows. On macOS, where a point is a pixel, 10 points would be too small.
_POINTS_PER_INCH = 72
_AT_ONCE = 40  # widgets out of sight that are styled in a turn of the event loop, which takes some 4 ms
BOX_EDGE_PX, BOX_PAD_PX = 1, 4  # px, the line around a box for a number, and what is free at the left and right of the text

_ROLES = {
    "window": QPalette.ColorRole.Window,
    "card": QPalette.ColorRole.Button,
    "field": QPalette.ColorRole.Base,
    "text": QPalette.ColorRole.Text,
    "faint": QPalette.ColorRole.PlaceholderText,
    "disabled": QPalette.ColorRole.Midlight,
    "hairline": QPalette.ColorRole.Mid,
    "edge": QPalette.ColorRole.Shadow,
    "accent": QPalette.ColorRole.Highlight,
    "on_accent": QPalette.ColorRole.HighlightedText,
    "soft": QPalette.ColorRole.AlternateBase,
    "warning": QPalette.ColorRole.BrightText,
    "right": QPalette.ColorRole.LinkVisited,
}
"""The role of the palette in which the style sheet finds each colour of a Theme."""

# The sheet names no colour but only roles of the palette, so that it stays the same in every theme: Qt would style each widget
# of all pages by another sheet at once.
_SHEET = """
* {{ color: {text}; selection-background-color: {accent}; selection-color: {on_accent}; }}
*:disabled {{ color: {disabled}; }}
QMainWindow, QDialog, QMessageBox, QStackedWidget {{ background: {window}; }}
#header, #sentences, #knobs, #side {{ background: {card}; }}
QScrollArea, QScrollArea > QWidget > QWidget {{ background: {card}; border: none; }}
#desk {{ background: {window}; }}
#header {{ border-bottom: 1px solid {hairline}; }}
#sentences {{ border-bottom: 1px solid {hairline}; }}
#side {{ border-left: 1px solid {hairline}; }}
QToolButton#tab {{ background: {card}; border: none; border-left: 1px solid {hairline}; border-radius: 0; padding: 8px 0;
    color: {faint}; }}
QToolButton#tab:hover, QToolButton#tab:focus {{ color: {accent}; }}
#card {{ background: {card}; border: 1px solid {hairline}; border-radius: 6px; }}
#title {{ font-weight: 700; }}
#faint, #formula, #shape {{ color: {faint}; }}
#accent {{ color: {accent}; }}
#play_bar, #page_tabs {{ background: {card}; }}
#chat {{ color: {faint}; margin-left: 8px; }}
#notice {{ color: {text}; background: {card}; border-left: 3px solid {accent}; border-bottom: 1px solid {hairline};
    padding: 5px 12px; }}
#hiddencards {{ border-top: 1px solid {hairline}; background: {card}; }}
#hiddencards QToolButton#small {{ color: {accent}; }}
#warning {{ color: {warning}; }}
#facts {{ border: none; border-left: 3px solid {accent}; padding: 0 0 0 8px; }}
#badge {{ color: {accent}; border: 1px solid {accent}; border-radius: 3px; padding: 0 5px; font-size: 12px; }}
#changes {{ background: {soft}; border-bottom: 1px solid {hairline}; }}
#chip {{ background: {card}; border: 1px solid {edge}; border-radius: 4px; }}
#chip QToolButton {{ border: none; padding: 1px 6px; background: transparent; }}
#chip QToolButton:checked {{ color: {accent}; font-weight: 700; }}
#changename[lacks="true"], #chip QToolButton#changename[lacks="true"] {{ color: {disabled}; font-weight: 400; }}
#changerow[on="true"] {{ background: {soft}; border-radius: 4px; }}
#changename[on="true"] {{ font-weight: 700; }}
QListWidget#found {{ background: {card}; border: 1px solid {edge}; border-radius: 4px; outline: none; }}
QListWidget#found:focus {{ border-color: {accent}; }}
#dropline {{ background: {accent}; }}
#shape[none="true"] {{ color: {disabled}; }}
#section {{ color: {faint}; font-weight: 700; }}
#right {{ color: {right}; }}
#reading {{ font-size: 17px; }}
#lessons, #lessons QStackedWidget, #lessonpage {{ background: {card}; }}
#lessons {{ border-right: 1px solid {hairline}; }}
#card[meant="true"], #knob[meant="true"] {{ border: 2px solid {accent}; border-radius: 6px; }}
#shape {{ font-size: 12px; }}
QMenuBar {{ background: {card}; border-bottom: 1px solid {hairline}; }}
QMenuBar::item {{ padding: 3px 10px; background: transparent; }}
QMenuBar::item:selected, QMenu::item:selected {{ background: {accent}; color: {on_accent}; }}
QMenu {{ background: {card}; border: 1px solid {hairline}; padding: 4px; }}
QMenu::item {{ padding: 4px 24px 4px 16px; }}
QMenu::item:disabled {{ color: {disabled}; background: transparent; }}
QMenu::separator {{ height: 1px; background: {hairline}; margin: 4px 8px; }}
QStatusBar {{ background: {card}; border-top: 1px solid {hairline}; padding-left: 8px; }}
QStatusBar::item {{ border: none; }}
QLineEdit, QPlainTextEdit, QComboBox, QAbstractSpinBox {{
    background: {field}; border: 1px solid {edge}; border-radius: 4px; padding: 2px 6px; min-height: 20px; }}
QLineEdit:focus, QPlainTextEdit:focus, QComboBox:focus, QAbstractSpinBox:focus {{ border-color: {accent}; }}
QLineEdit:disabled, QComboBox:disabled, QAbstractSpinBox:disabled {{ background: {window}; }}
QAbstractSpinBox {{ border-width: {box_edge}px; padding: 0 {box_pad}px; min-height: 18px; }}
#sentence {{ padding: 3px 8px; }}
#sentence[offers="true"] {{ placeholder-text-color: {text}; }}
QComboBox::drop-down {{ border: none; width: 18px; }}
QComboBox::down-arrow {{ image: url("{icons}/chevron.svg"); width: 10px; height: 10px; }}
QComboBox QAbstractItemView {{ background: {card}; border: 1px solid {hairline}; }}
QToolButton {{ background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 2px 8px; }}
QFileDialog QToolButton {{ padding: 2px; }}
QToolButton:hover {{ background: {window}; }}
QToolButton:focus {{ border-color: {accent}; }}
QToolButton:disabled {{ color: {disabled}; }}
QToolButton#place {{ padding: 4px 8px; border-radius: 0; border-bottom: 2px solid transparent; color: {faint}; }}
QToolButton#place[narrow="true"] {{ padding: 4px 4px; }}
QToolButton#place:checked {{ color: {text}; border-bottom-color: {accent}; }}
QToolButton#page_tab {{ padding: 2px 10px; border-radius: 10px; color: {faint}; background: {card}; }}
QToolButton#page_tab:checked {{ color: {on_accent}; background: {accent}; }}
QToolButton#segment::menu-indicator {{ image: none; }}
QToolButton#segment {{ border: 1px solid {edge}; border-radius: 3px; padding: 1px 8px; color: {faint}; }}
QToolButton#segment:checked {{ background: {accent}; color: {on_accent}; border-color: {accent}; }}
QToolButton#fold {{ color: {faint}; font-weight: 700; padding: 4px 0; border: none; }}
QToolButton#small {{ padding: 0 4px; color: {faint}; }}
QToolButton#doubt {{ padding: 0 6px; color: {faint}; }}
QToolButton#small:disabled {{ color: {disabled}; }}
QToolButton#small::menu-indicator {{ image: none; }}
QPushButton {{ background: {card}; border: 1px solid {edge}; border-radius: 4px; padding: 4px 14px; }}
QPushButton:hover, QPushButton:focus {{ border-color: {accent}; }}
QPushButton#slim {{ padding: 1px 12px; }}
QPushButton#choice, QPushButton#choice_right, QPushButton#choice_wrong {{ text-align: left; padding: 3px 10px; }}
QPushButton#choice_right {{ color: {right}; border-color: {right}; }}
QPushButton#choice_wrong {{ color: {warning}; border-color: {warning}; }}
QCommandLinkButton#suggestion {{ background: {window}; border: 1px solid {edge}; border-radius: 6px; padding: 8px 12px; }}
QCommandLinkButton#suggestion:hover, QCommandLinkButton#suggestion:focus {{ border-color: {accent}; }}
QTreeView, QTableWidget {{ background: {card}; border: none; }}
QTableWidget {{ border: 1px solid {hairline}; gridline-color: {hairline}; }}
QTreeView::item {{ padding: 3px 0; }}
QTreeView::item:hover {{ background: {window}; }}
QTreeView::item:selected {{ background: {accent}; color: {on_accent}; }}
QPushButton:default {{ background: {accent}; color: {on_accent}; border-color: {accent}; }}
QPushButton:disabled {{ color: {disabled}; background: {window}; border-color: {hairline}; }}
QSlider {{ min-height: 18px; }}
QSlider::groove:horizontal {{ height: 3px; background: {hairline}; border-radius: 1px; }}
QSlider::sub-page:horizontal {{ background: {faint}; border-radius: 1px; }}
QSlider::handle:horizontal {{ background: {card}; border: 2px solid {faint}; width: 10px; height: 10px;
    margin: -6px 0; border-radius: 7px; }}
QSlider[away="true"]::sub-page:horizontal {{ background: {accent}; }}
QSlider[away="true"]::handle:horizontal {{ border-color: {accent}; }}
QSlider::handle:horizontal:focus {{ background: {accent}; border-color: {accent}; }}
QSlider::sub-page:horizontal:disabled {{ background: {hairline}; }}
QComboBox[away="true"], QAbstractSpinBox[away="true"] {{ color: {accent}; border-color: {accent}; }}
QSlider::handle:horizontal:disabled {{ border-color: {hairline}; }}
QCheckBox::indicator {{ width: 14px; height: 14px; border: 1px solid {faint}; border-radius: 3px; background: {field}; }}
QCheckBox::indicator:checked {{ background: {faint}; border-color: {faint}; }}
QCheckBox[away="true"]::indicator {{ border-color: {accent}; }}
QCheckBox[away="true"]::indicator:checked {{ background: {accent}; }}
QCheckBox::indicator:disabled {{ border-color: {hairline}; background: {window}; }}
QCheckBox::indicator:checked:disabled {{ border-color: {disabled}; background: {disabled}; }}
QCheckBox:focus {{ color: {accent}; }}
QTextBrowser {{ background: transparent; border: none; }}
QTextBrowser#manual {{ background: {card}; border-left: 1px solid {hairline}; }}
QTableView {{ background: {card}; border: none; alternate-background-color: {window}; }}
QTableView::item {{ padding: 0 6px; }}
QTableView::item:selected {{ background: {accent}; color: {on_accent}; }}
QHeaderView::section {{ background: {card}; color: {faint}; border: none; border-bottom: 1px solid {hairline};
    padding: 4px 6px; }}
QProgressBar {{ border: 1px solid {edge}; border-radius: 4px; text-align: center; max-height: 14px; background: {field}; }}
QProgressBar#thin {{ border: none; min-height: 4px; max-height: 4px; }}
QProgressBar::chunk {{ background: {accent}; border-radius: 3px; }}
QToolTip {{ background: {card}; color: {text}; border: 1px solid {hairline}; padding: 4px; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {edge}; border-radius: 4px; min-height: 24px; min-width: 24px; }}
QScrollBar::handle:hover {{ background: {faint}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QSplitter::handle {{ background: transparent; }}
"""


def _sheet() -> str:
    # QPalette.ColorRole.PlaceholderText is called placeholder-text in a style sheet.
    named = {name: re.sub("(?<!^)([A-Z])", r"-\1", role.name).lower() for name, role in _ROLES.items()}
    colours = {name: f"palette({role})" for name, role in named.items()}
    return _SHEET.format(icons=asset("icons").as_posix(), box_edge=BOX_EDGE_PX, box_pad=BOX_PAD_PX, **colours)


def use_font(application: QApplication) -> None:
    """Use the bundled font first, so that letters and figures are the same everywhere and Chinese is always there.

    Asked again it changes nothing: a font whose families are named twice is another one to Qt and to everything kept by font.
    """
    font = QFont()
    font.setFamilies([FAMILY, *(family for family in font.families() if family != FAMILY)])
    font.setPointSizeF(_TEXT_PX * _POINTS_PER_INCH / application.primaryScreen().logicalDotsPerInchY())
    application.setFont(font)


def set_style_property(widget: QWidget, name: str, value: bool) -> None:
    """Set a property that the style sheet asks for, and style the widget anew if it has changed. At first it is False."""
    if bool(widget.property(name)) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def use_theme(application: QApplication, theme: Theme) -> None:
    """Set the palette of a theme, and style all widgets by it: those in sight at once, the others in the next turns."""
    palette = QPalette()
    for name, role in _ROLES.items():
        palette.setColor(role, QColor(getattr(theme, name)))
    roles = QPalette.ColorRole
    for role, colour in (
        (roles.WindowText, theme.text),
        (roles.ButtonText, theme.text),
        (roles.Link, theme.accent),
        (roles.ToolTipBase, theme.card),
        (roles.ToolTipText, theme.text),
    ):
        palette.setColor(role, QColor(colour))
    # Qt draws edges in these roles where the style sheet sets nothing.
    for edge in (roles.Light, roles.Dark):
        palette.setColor(edge, QColor(theme.hairline))
    for role in (roles.Text, roles.WindowText, roles.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.disabled))
    application.setPalette(palette)
    if application.styleSheet():
        style_anew(application)
    else:
        application.setStyleSheet(_sheet())


def style_anew(application: QApplication) -> None:
    """Style all widgets again, because the palette or the font of the application is another one.

    Qt styles all widgets at once, however few are in sight: half a second to one with all pages made. Those in sight take a
    twentieth of it.
    """
    restyling = application.findChild(Restyling) or Restyling(application)
    restyling.begin()


class Restyling(QObject):
    """Belongs to the application, which has one. `begin` styles all its widgets; what an earlier one left is in it.

    Decision: a page that is opened within the second that this takes may be painted once in its old colours. Rejected: to
    style each widget when it is shown, for which Python would have to look at every event.
    """

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._waiting: list[QWidget] = []
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._go_on)

    @property
    def busy(self) -> bool:
        """Whether some widgets are still to be styled."""
        return self._timer.isActive()

    def begin(self) -> None:
        """Style what is in sight; the rest follows."""
        self._waiting = self._application.allWidgets()
        self._style_in_sight()
        self._timer.start()

    def _go_on(self) -> None:
        self._waiting = [each for each in self._waiting if isValid(each)]  # Some may have been deleted meanwhile.
        self._style_in_sight()
        for widget in self._waiting[:_AT_ONCE]:
            _style(widget)
        del self._waiting[:_AT_ONCE]
        if not self._waiting:
            self._timer.stop()

    def _style_in_sight(self) -> None:
        """Style what can be seen by now, and what is hidden in it: a line reckons with it, or shows it in the next moment."""
        seen: list[QWidget] = []
        away: list[QWidget] = []
        for widget in self._waiting:
            (seen if _in_sight(widget) else away).append(widget)
        self._waiting = away
        for widget in seen:
            _style(widget)


def _in_sight(widget: QWidget) -> bool:
    """Whether somebody sees the widget, or what it stands in."""
    around = widget.parentWidget()
    return widget.isVisible() or (around is not None and around.isVisible())


def _style(widget: QWidget) -> None:
    """Make the widget's rules anew, with the colours of the palette, and tell it."""
    if isValid(widget):  # What is told may delete others.
        widget.style().polish(widget)
        QCoreApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
