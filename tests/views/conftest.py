"""Traces and words for views to draw."""

import pytest
from PySide6.QtWidgets import QApplication

import explorer
from explorer.export.fonts import add_fonts
from explorer.lang import Words
from explorer.trace.trace import Trace
from explorer.views.painting.style import use_font
from tests.kept import kept_for_the_file


@kept_for_the_file
def trace_of(text: str, **knobs: object) -> Trace:
    return explorer.explore(text, **knobs, preset="tiny")


@pytest.fixture
def words() -> Words:
    return Words.load("zh")


@pytest.fixture
def trace() -> Trace:
    return trace_of("我爱北京天安门")


@pytest.fixture(autouse=True)
def fonts(qapp: QApplication) -> None:
    add_fonts()
    use_font(qapp)
