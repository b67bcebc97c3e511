"""Rows and columns, filled in one call."""

from typing import TypeVar

from PySide6.QtWidgets import QBoxLayout, QLayout, QWidget

Member = QWidget | QLayout | tuple[QWidget | QLayout, int] | None
"""A widget or a layout, as a pair with its share of the room that is left; None is room that stays empty."""
B = TypeVar("B", bound=QBoxLayout)


def filled(layout: B, *members: Member, gap_px: int | None = None, margins_px: tuple[int, int, int, int] | None = None) -> B:
    """A row or column with these members, the gaps between them and the margins (left, top, right, bottom) around them.

    Gaps and margins that are None are those of the style.
    """
    if margins_px is not None:
        layout.setContentsMargins(*margins_px)
    if gap_px is not None:
        layout.setSpacing(gap_px)
    for member in members:
        each, share = member if isinstance(member, tuple) else (member, 0)
        if each is None:
            layout.addStretch(1)
        elif isinstance(each, QLayout):
            layout.addLayout(each, share)
        else:
            layout.addWidget(each, share)
    return layout


def members_of(layout: QLayout) -> dict[int, QWidget | QLayout]:
    """The widgets and layouts in a layout, by their places in it; stretches and gaps are left out.

    Decision: children are asked for their places. Rejected: `itemAt`, which leaves half a kilobyte at each call, as long as the
    layout is there.
    """
    within = layout.parentWidget()
    children = (*layout.children(), *(within.children() if within is not None else ()))
    members = [each for each in children if isinstance(each, QWidget | QLayout)]
    return dict(sorted((place, each) for each in members if (place := layout.indexOf(each)) >= 0))


def is_there(member: QWidget | QLayout) -> bool:
    """Whether a member of a layout takes room."""
    return not (member.isEmpty() if isinstance(member, QLayout) else member.isHidden())
