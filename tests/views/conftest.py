"""Traces and words for views to draw."""

from functools import lru_cache

import pytest
from PySide6.QtWidgets import QApplication

import explorer
from explorer.export.raster import add_fonts
from explorer.lang import Words
from explorer.trace.trace import Trace
from explorer.views.painting.style import use_font


@lru_cache(maxsize=8)
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
