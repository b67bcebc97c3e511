"""Every kind of picture can be drawn, put into tables, told in words and shown; and a further one needs a row."""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import get_type_hints

import attrs
import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QWidget

from explorer.app.pages.card import Card
from explorer.export.job import Export
from explorer.lang import Words
from explorer.picture import causal_kinds, cut_kinds, decoding_kinds, kinds, training_kinds
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.kinds import KINDS, has_tables, kind_of, tables
from explorer.picture.figure.svg import render
from explorer.picture.kinds import Axis, Caption, HeadGrid, LargeWall, Picture
from explorer.picture.makers.river import river
from explorer.picture.river import river as river_kinds
from explorer.picture.tables import Table
from explorer.picture.theme import LIGHT
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.views import pictures
from explorer.views.painting.surface import Surface
from tests.golden.test_figures import PICTURES
from tests.journeys.page_faults import n_colours
from tests.picture.examples import LANGUAGES, asked, example, wall, words


@attrs.frozen(kw_only=True, eq=False)
class Dots(Picture):
    """A kind that this file alone knows: [row, x y] places on a plane."""

    values: Array
    caption: Caption


def _draw(drawing: Drawing, picture: Dots, top: float) -> None:
    for x, y in picture.values:
        drawing.add(f'<circle cx="{x:g}" cy="{top + y:g}" r="2"/>', x + 2, top + y + 2)


def _tables(picture: Dots) -> Iterator[Table]:
    yield Table("dots", picture.values, Axis("dot"), Axis("place", ("x", "y")))


def _told(picture: Dots, words: Words) -> str:
    return f"{picture.caption.title} {len(picture.values)}"


class DotsView(Surface):
    """Its view, which a page may hold."""

    picture: Dots | None = None

    def draw(self, picture: Dots, words: Words) -> None:
        self.picture = picture
        self.setAccessibleDescription(kind_of(picture).describe(picture, words))


DOTS = Dots(values=np.array([[1.0, 2.0], [30.0, 40.0]], np.float32), caption=Caption(title="dots", tap="a.tap", shape="[2, 2]"))


@pytest.fixture(autouse=True)
def application(qapp: QApplication) -> None:
    """Views and figures need one."""


def examples() -> dict[type[Picture], Picture]:
    """A small picture of each kind, and the wall, whose recorded layers are those of its values."""
    made = wall(2, 2, 3)
    made = attrs.evolve(made, recorded=tuple(made.values), caption=Caption(title="wall", tap="encoder.layers.*.w", shape=""))
    flow = river(asked(), Look().fitted(asked()), words("zh"))
    return {type(picture): picture for picture in (*PICTURES.values(), made, flow)}


def shown_by(views: object = pictures) -> dict[type[Picture], list[type[QWidget]]]:
    """Each kind and the views whose `draw` takes it."""
    found: dict[type[Picture], list[type[QWidget]]] = {}
    for each in pkgutil.iter_modules(views.__path__):  # type: ignore[attr-defined]  # it is a package
        module = importlib.import_module(f"{views.__name__}.{each.name}")  # type: ignore[attr-defined]
        for view in vars(module).values():
            if isinstance(view, type) and issubclass(view, QWidget) and view.__module__ == module.__name__:
                kind = drawn_by(view)
                if kind is not None:
                    found.setdefault(kind, []).append(view)
    return found


def drawn_by(view: type[QWidget]) -> type[Picture] | None:
    """What a view draws; None where it draws no picture."""
    draw = vars(view).get("draw")
    kind = get_type_hints(draw).get("picture") if draw is not None else None
    return kind if isinstance(kind, type) and issubclass(kind, Picture) else None


def unshown(among: Iterable[type[Picture]]) -> set[type[Picture]]:
    """The kinds that no view draws."""
    return set(among) - shown_by().keys()


def subclasses(module: object) -> set[type[Picture]]:
    """The kinds of Picture whose text stands in a module's file, found by their bases' names."""
    return {each for each in Picture.__subclasses__() if each.__module__ == module.__name__}  # type: ignore[attr-defined]  # it is a module


def test_the_table_of_kinds_is_whole() -> None:
    """Every class of pictures has its row."""
    modules = (kinds, decoding_kinds, causal_kinds, cut_kinds, training_kinds, river_kinds)
    declared = {each for module in modules for each in subclasses(module)}
    assert declared == set(KINDS) == examples().keys()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_can_be_drawn(kind: type[Picture]) -> None:
    """It puts elements into the drawing, which grows with them, below the place where it is told to begin."""
    picture = examples()[kind]
    drawing = Drawing(LIGHT, words("en"))
    kind_of(picture).draw(drawing, picture, 100.0)
    assert drawing.body and drawing.width > 10 and drawing.height > 110


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_can_be_put_into_tables(kind: type[Picture]) -> None:
    """Numbers with as many labels as they have rows and columns, each table under a name of its own."""
    found = tables(examples()[kind])
    assert found and has_tables(examples()[kind])
    assert len({table.name for table in found}) == len(found)
    for table in found:
        n_rows, n_columns = table.values.shape[-2:]
        assert len(table.rows.labels) in (0, n_rows) and len(table.columns.labels) in (0, n_columns)
        assert n_rows * n_columns > 0


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_is_told_in_words_and_shown(kind: type[Picture], language: str) -> None:
    """By one view, which says the same words to a reader who does not see it."""
    picture = examples()[kind]
    told = kind_of(picture).describe(picture, words(language))
    (view,) = (make() for make in shown_by()[kind])
    view.resize(400, 300)
    view.draw(picture, words(language))  # type: ignore[attr-defined]  # it is a view
    assert told.strip() and told.strip() in view.accessibleDescription()
    assert n_colours(view.grab().toImage()) == 2


def test_a_kind_without_a_view_would_be_found() -> None:
    """So that the tests above say something; a view that draws no picture counts for none."""
    assert unshown(KINDS) == set()
    assert unshown((*KINDS, Dots)) == {Dots}
    assert drawn_by(DotsView) is Dots and drawn_by(Surface) is None


def test_blocks_are_no_numbers_of_a_picture() -> None:
    """A wall of large maps shows blocks of cells: it has no tables."""
    large = attrs.evolve(examples()[HeadGrid], large=LargeWall((), {}))
    assert not has_tables(large) and tables(large) == ()


def test_a_further_kind_needs_its_own_files_and_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its row in the table it is drawn, exported and shown on a card; no other file knows it."""
    monkeypatch.setitem(KINDS, Dots, Kind(_draw, _tables, _told))  # type: ignore[arg-type]  # Only tests add to the table.
    assert render(DOTS, words("en")).count("<circle") == 2
    for name in ("svg", "csv"):
        job = Export(trace=example(), out=tmp_path / f"a.{name}", format=name, words=words("en"), picture=DOTS)
        assert list(job.run()) == [(0, 1), (1, 1)]
    assert (tmp_path / "a.csv").read_text("utf-8").splitlines()[1:] == ["dots,,0,,1.0,2.0", "dots,,1,,30.0,40.0"]
    view = DotsView()
    card = Card(view, lambda _trace, _look, _words: DOTS)
    card.draw(example(), Look(), words("en"))
    assert view.picture is card.picture is DOTS and view.accessibleDescription() == "dots 2"
    card.deleteLater()
