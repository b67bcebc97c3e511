"""How far somebody has come: kept between starts, and never the reason that a start fails."""

import pytest

from explorer.app.lessons.ticks import Ticks, Visits, load_ticks, save_ticks, ticks_path
from explorer.errors import CannotWrite


def test_progress_comes_back() -> None:
    """Place and done steps of each lesson."""
    ticks = Ticks().opened("tour", 3).did("tour", 0).did("tour", 2).opened("a1", 1)
    save_ticks(ticks)
    assert load_ticks() == ticks
    assert ticks.of("tour") == Visits(3, frozenset({0, 2})) and ticks.of("b1") == Visits()


_ENDLESS = '{"a": {"place": 1e999, "done": [-Infinity]}}'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"a": 1}',
        '{"a": {"place": "x", "done": []}}',
        "[" * 10_000,
        '{"a": {"place": 1, "done": 3}}',
        "\xff",
        _ENDLESS,
    ],
)
def test_a_file_of_something_else_is_no_progress(text: str) -> None:
    """The program starts as if there were none."""
    ticks_path().parent.mkdir(parents=True, exist_ok=True)
    ticks_path().write_text(text, encoding="latin-1")
    assert load_ticks() == Ticks()


def test_a_folder_that_cannot_be_written_loses_only_ticks() -> None:
    """The name of the file belongs to a folder."""
    ticks_path().mkdir(parents=True)
    with pytest.raises(CannotWrite, match=ticks_path().name):
        save_ticks(Ticks().opened("tour", 1))
    assert load_ticks() == Ticks()
