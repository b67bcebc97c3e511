"""The body of the window: lessons, page and knobs, parted by grips. The panels keep their widths, the page has the rest.

A narrow window has widths of its own, since there a panel of a wide one would leave the page too little.
"""

from PySide6.QtWidgets import QWidget

from explorer.app.shell.side import Drawer
from explorer.views.controls.layouts import filled
from explorer.views.controls.parted_row import PartedRow

_NARROW_PX = 1200  # px; a narrower window has widths of its own, and its knobs are folded at first
_PAGE_PX = 320  # px of the window that no panel takes
_LESSONS, _PAGE, _KNOBS = range(3)  # their places in the row
_USUAL = (330, 280, 268, 240)  # px: lessons in a wide and in a narrow window, knobs in both
_LEAST = (280, 280, 240, 240)  # px of the same; a lesson's formulas and a knob's name need as much


class Panels(PartedRow):
    """`fit` is told the width of the window."""

    def __init__(self, lessons: QWidget, page: QWidget, drawer: Drawer) -> None:
        super().__init__()
        self._lessons, self._drawer = lessons, drawer
        self._px = list(_USUAL)
        self._window_px = _NARROW_PX
        filled(self, lessons, (page, 1), drawer, gap_px=0)
        self._show()

    @property
    def numbers(self) -> tuple[int, ...]:
        return () if tuple(self._px) == _USUAL else tuple(self._px)

    def put(self, numbers: tuple[int, ...]) -> None:
        if len(numbers) == len(_USUAL):
            self._px = [max(px, least) for px, least in zip(numbers, _LEAST, strict=True)]
            self._show()

    def fit(self, window_px: int) -> None:
        """Take the widths for a window of this width, as far as they leave the page room."""
        self._window_px = window_px
        self._drawer.set_narrow(self._is_narrow)
        self._show()

    def move(self, left: int, right: int, px: int) -> None:
        number = self._number(left, right)
        wide = self._shown_px(number) + (px if left == _LESSONS else -px)
        self._px[number] = max(_LEAST[number], min(wide, self._most_px))
        self._show()

    def put_back(self, left: int, right: int) -> None:
        number = self._number(left, right)
        self._px[number] = _USUAL[number]
        self._show()

    def is_fixed(self, left: int, right: int) -> bool:
        return right == _KNOBS and not self._drawer.is_open

    def _number(self, left: int, right: int) -> int:
        """Which of the widths belongs to the border between two members."""
        return (0 if left == _LESSONS else 2) + self._is_narrow

    @property
    def _is_narrow(self) -> bool:
        return self._window_px < _NARROW_PX

    @property
    def _most_px(self) -> int:
        return (self._window_px - _PAGE_PX) // 2

    def _shown_px(self, number: int) -> int:
        return min(self._px[number], self._most_px)

    def _show(self) -> None:
        self._lessons.setFixedWidth(self._shown_px(0 + self._is_narrow))
        self._drawer.side.setFixedWidth(self._shown_px(2 + self._is_narrow))
