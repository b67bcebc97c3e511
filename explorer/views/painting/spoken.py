"""What a screen reader says of a view after keys have moved within it.

Decision: the description holds what was reached, for whoever asks, and an announcement says it at once. Rejected: one
accessible object for each cell, because a map has up to a million of them, and few readers walk through painted ones.
"""

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def say(view: QWidget, text: str) -> None:
    """Describe what keys have reached in a view, and let a screen reader that is there say it."""
    view.setAccessibleDescription(text)
    say_only(view, text)


def say_only(view: QWidget, text: str) -> None:
    """Let a screen reader that is there say a text, and describe nothing by it."""
    if text and QAccessible.isActive():
        announce(view, text)


def announce(view: QWidget, text: str) -> None:
    """Let a screen reader say a text."""
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(view, text))
