"""A Trace in a notebook: its page, its figures, and their files."""

import csv
import html
import json
import re
from pathlib import Path

import attrs
import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

import explorer
from explorer.errors import KnobNotAChoice, NotKept, UnknownFormat, UnknownHead, UnknownTap
from explorer.picture.kinds import HeadGrid, Heatmap, Strips
from explorer.picture.river.river import River
from explorer.picture.theme import DARK, LIGHT
from explorer.trace.notebook_display import NotebookDisplay
from tests.export.web.test_page import figures, values
from tests.picture.examples import example

WEIGHTS = "encoder.layers.1.self_attn.weights"
STAR = "encoder.layers.*.self_attn.weights"


@pytest.fixture(autouse=True)
def application(qapp: QApplication) -> None:
    """PNG and PDF need one, and Qt allows only one in a process."""


def document(shown: str) -> str:
    """The page within a frame."""
    found = re.fullmatch(r'<iframe srcdoc="([^"]*)" style="[^"]*" onload="[^"]*"></iframe>', shown)
    assert found
    return html.unescape(found[1])


def test_a_notebook_shows_the_page_of_the_pass() -> None:
    """In a frame of its own: the river and three walls."""
    shown = document(example()._repr_html_())
    assert shown.startswith("<!doctype html>")
    assert len(figures(shown)) == 4


@pytest.mark.parametrize(
    ("tap", "head", "kind"),
    [
        ("", None, River),
        (WEIGHTS, 2, Heatmap),
        (WEIGHTS, None, HeadGrid),
        (STAR, None, HeadGrid),
        (STAR, 2, Strips),
        ("encoder.norm", None, Heatmap),
    ],
)
def test_a_figure_is_of_what_was_asked_for(tap: str, head: int | None, kind: type) -> None:
    """The river, a head, a wall of one layer or of all, a tensor without heads; as SVG and as a page."""
    made = example().figure(tap, head, language="en")
    assert isinstance(made.picture, kind)
    assert made.svg().startswith("<svg")
    assert len(figures(document(made._repr_html_()))) == 1
    assert repr(made).startswith("<Figure ") and len(repr(made)) < 200


def test_its_numbers_are_those_of_the_trace() -> None:
    """All layers and heads behind a star, to the last bit."""
    trace = example()
    (figure,) = figures(document(trace.figure(STAR)._repr_html_()))
    told = np.stack([values(place) for place in figure["places"]]).reshape(2, 4, 4, 4)
    assert np.array_equal(told, trace[STAR])


@pytest.mark.parametrize("name", ["a.svg", "a.png", "a.pdf", "a.html", "a.csv", "a.long.csv", "a.npz", "a.safetensors"])
def test_it_is_written_in_the_format_that_its_name_says(name: str, tmp_path: Path) -> None:
    """With the JSON beside it; numbers are the recorded tensor."""
    trace = example()
    trace.figure(WEIGHTS, 1).save(tmp_path / name)
    trace.figure().save(str(tmp_path / f"river-{name}"), dpi=50)
    about = json.loads((tmp_path / f"{name}.json").read_text("utf-8"))

    assert (about["tap"], about["head"], about["source"]) == (WEIGHTS, 1, trace.source)
    assert (tmp_path / name).stat().st_size > 100 and (tmp_path / f"river-{name}").stat().st_size > 300
    if name == "a.npz":
        assert np.array_equal(np.load(tmp_path / name)[WEIGHTS], trace[WEIGHTS][1])
    if name == "a.long.csv":
        with (tmp_path / name).open(encoding="utf-8", newline="") as file:
            assert [np.float32(row["value"]) for row in csv.DictReader(file)] == trace[WEIGHTS][1].ravel().tolist()


def test_theme_and_language_are_those_that_were_asked_for() -> None:
    """Light and the system's language otherwise."""
    trace = example()
    assert DARK.card in trace.figure(WEIGHTS, 0, theme="dark").svg()
    assert LIGHT.card in trace.figure(WEIGHTS, 0).svg()
    assert "Attention weights" in trace.figure(WEIGHTS, 0, language="en").svg()
    assert "注意力权重" in trace.figure(WEIGHTS, 0, language="zh").svg()


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"tap": "encoder.nrom"}, UnknownTap),
        ({"tap": "encoder.layers.*.nrom"}, UnknownTap),
        ({"tap": WEIGHTS, "head": 9}, UnknownHead),
        ({"theme": "blue"}, KnobNotAChoice),
        ({"language": "fr"}, KnobNotAChoice),
    ],
)
def test_what_cannot_be_drawn_is_refused(asked: dict[str, object], error: type[Exception]) -> None:
    """With the error that says what there is."""
    with pytest.raises(error):
        example().figure(**asked)


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    """With those that there are."""
    with pytest.raises(UnknownFormat):
        example().figure(WEIGHTS, 0).save(tmp_path / "a.gif")


def test_where_nothing_can_be_drawn_the_lines_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook falls back on them."""

    class Refuses:
        @staticmethod
        def framed(trace: explorer.Trace) -> str:
            raise NotKept(tap="x", head=0, n_tokens=len(trace.tokens.source))

    monkeypatch.setattr(NotebookDisplay, "presented_by", lambda: Refuses)
    assert example()._repr_html_() is None


def test_a_module_of_ones_own_has_figures(tmp_path: Path) -> None:
    """What a Trace of it lacks is left out of its page."""
    import torch

    layer = torch.nn.TransformerEncoderLayer(8, 2, batch_first=True)
    trace = explorer.record(layer, torch.zeros(1, 3, 8))
    name = next(name for name in trace if name.endswith("weights"))
    trace.figure(name).save(tmp_path / "own.svg")

    assert (tmp_path / "own.svg").exists()
    assert trace._repr_html_() is None or document(trace._repr_html_())


def test_changes_are_told_by_every_figure() -> None:
    """As in the window."""
    trace = attrs.evolve(example(), changes=(explorer.Change("encoder.norm", "scale", value=2.0),))
    for tap in ("", WEIGHTS):
        assert (
            "1" in trace.figure(tap, language="en").picture.caption.__str__() and trace.figure(tap).picture.caption.changes == 1
        )
