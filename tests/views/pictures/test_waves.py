"""Waves on screen and in files: smooth where a formula says what is between the places, with dots where the numbers are."""

import re

import attrs
import numpy as np
import pytest
import torch
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.mathematics import wave
from explorer.model.positions import EXPONENTS
from explorer.picture.figure.svg import render
from explorer.picture.kinds import Between, Waves
from explorer.picture.makers.positions import waves
from explorer.picture.theme import LIGHT
from explorer.state.look import Look
from explorer.trace.stages import SINUSOIDS
from explorer.views.pictures.waves import WavesView, round_values
from tests.views.conftest import trace_of

KINDS = tuple(SINUSOIDS)


@pytest.mark.parametrize("kind", KINDS)
def test_between_the_places_stands_the_formula(kind: str, words: Words) -> None:
    """Against the model's own rates at half and third places; at whole places it is the recorded table."""
    trace = trace_of("我爱北京天安门", position=kind)
    made = waves(trace, Look(), words)
    assert made.between is not None
    j = torch.arange(trace.card.d_model)
    rates = trace.card.position_base ** (-EXPONENTS[kind](j).double() / trace.card.d_model)
    quarter = ((j % 2 == 1) & (kind != "sine-only")).double() * torch.pi / 2
    places = torch.tensor([0.5, 1 / 3, 7.25, 40.125], dtype=torch.float64)
    for feature in (0, 1, 2, 3, 10, 31, 62, 63):
        expected = (places * rates[feature] + quarter[feature]).sin().numpy()
        got = wave(kind, feature, places.numpy(), trace.card.d_model, trace.card.position_base)
        np.testing.assert_allclose(got, expected, atol=1e-7)
    x = made.between.x
    whole = x == np.rint(x)
    np.testing.assert_allclose(made.between.values[:, whole], made.values[:, : whole.sum()], atol=1e-4)
    assert x[-1] + 1 == whole.sum()


@pytest.mark.parametrize("kind", ["learned", "none", "rotary"])
def test_what_has_no_formula_stays_a_polyline(kind: str, words: Words) -> None:
    """Nothing is made up between the places."""
    made = waves(trace_of("我爱北京天安门", position=kind), Look(), words)
    assert made.between is None


def test_a_table_that_is_not_the_formulas_stays_a_polyline(words: Words) -> None:
    """A model may call its positions sinusoidal and lay its features out in another order."""
    trace = trace_of("我爱北京天安门")
    other = attrs.evolve(trace, places=np.ascontiguousarray(trace.places[:, ::-1]))
    assert waves(other, Look(), words).between is None


def few(between: bool) -> Waves:
    """Three features of ten places."""
    n, d = 10, 8
    x = np.arange(n)
    named = {"names": ("a", "b", "c"), "n_marked": 4, "x_name": "position"}
    values = np.stack([wave("sinusoidal", j, x.astype(float), d, 100.0) for j in (0, 1, 2)]).astype(np.float32)
    caption = waves(trace_of("我爱北京天安门"), Look(), Words.load("en")).caption
    if not between:
        return Waves(values=values, caption=caption, **named)
    fine = np.linspace(0, n - 1, 8 * (n - 1) + 1)
    smooth = np.stack([wave("sinusoidal", j, fine, d, 100.0) for j in (0, 1, 2)]).astype(np.float32)
    return Waves(values=values, caption=caption, between=Between(fine, smooth), **named)


@pytest.mark.parametrize("between", [False, True])
def test_the_view_has_a_dot_at_each_place(qtbot: QtBot, words: Words, between: bool) -> None:
    """The dots are the numbers; the line through them is smooth or straight."""
    view = WavesView()
    qtbot.addWidget(view)
    picture = few(between)
    view.draw(picture, words)
    x, y = view.dots.getData()
    np.testing.assert_array_equal(x, np.tile(np.arange(10), 3))
    np.testing.assert_allclose(y, picture.values.ravel())
    for index in range(3):
        assert len(view.curves[index].getData()[0]) == (73 if between else 10)


def test_many_places_have_no_dots(qtbot: QtBot, words: Words) -> None:
    """They would touch."""
    view = WavesView()
    qtbot.addWidget(view)
    view.draw(attrs.evolve(few(False), values=np.zeros((3, 400), np.float32)), words)
    assert len(view.dots.getData()[0]) == 0


@pytest.mark.parametrize("between", [False, True])
def test_a_file_has_the_same_curves_and_dots(between: bool) -> None:
    """As many circles as numbers, and lines through all points."""
    svg = render(few(between), Words.load("en"), LIGHT)
    assert len(re.findall("<circle", svg)) == 30
    lines = re.findall(r'<path d="M([^"]+)" fill="none"', svg)
    assert [len(line.replace("L", " ").split()) // 2 for line in lines] == [73 if between else 10] * 3


def test_places_may_stand_for_values(qtbot: QtBot, words: Words) -> None:
    """Round values stand below them, and the tooltip's and the file's words say the value in place of the place."""
    view = WavesView()
    qtbot.addWidget(view)
    x = np.linspace(-0.31, 0.29, 10)
    picture = attrs.evolve(few(False), x=x, x_name="value", n_marked=0)
    view.draw(picture, words)
    ticks = round_values(x)
    assert [label for _place, label in ticks] == ["−0.3", "−0.2", "−0.1", "0", "0.1", "0.2"]
    for place, label in ticks:
        assert np.interp(place, np.arange(10), x) == pytest.approx(float(label.replace("−", "-")), abs=1e-9)
    assert "value −0.31 … 0.29" in render(picture, words, LIGHT)


def test_before_the_first_picture_there_are_no_axes(qtbot: QtBot, words: Words) -> None:
    """They would say that something goes from 0 to 1."""
    view = WavesView()
    qtbot.addWidget(view)
    view.resize(400, 300)
    with qtbot.waitExposed(view):
        view.show()

    def n_colours() -> int:
        image = view.grab().toImage()
        return len({image.pixel(x, y) for x in range(0, image.width(), 2) for y in range(0, image.height(), 2)})

    assert n_colours() <= 2  # the card, and the empty legend
    view.draw(waves(trace_of("我爱北京天安门"), Look(), words), words)
    assert n_colours() > 20


def test_the_main_curve_lies_on_the_others_and_all_are_named_at_their_ends(qtbot: QtBot, words: Words) -> None:
    """Nine curves of shades of one table, named below, could not be told apart, and dots of the others hid the main one."""
    view = WavesView()
    qtbot.addWidget(view)
    view.resize(420, view.minimumHeight())
    with qtbot.waitExposed(view):
        view.show()
    ends = np.array([0.5, 0.0, 0.0, 0.5, 0.5, 1.0, 0.0, 0.5, 0.02], np.float32)
    names = tuple(f"a kind of positions {each}" for each in range(9))
    picture = attrs.evolve(few(False), values=np.tile(ends[:, None], (1, 10)), names=names, main=4, n_marked=0)
    view.draw(picture, words)
    view.resize(420, view.minimumHeight())
    qtbot.waitUntil(lambda: view.height() == view.minimumHeight() and view.curve_names.isVisible())
    assert not view.legend.isVisible()
    assert view.dots.zValue() < view.curves[4].zValue() > max(view.curves[each].zValue() for each in (3, 5))
    assert view.dots.getData()[1][-10:].tolist() == [0.5] * 10
    colours = [curve.opts["pen"].color().name() for curve in view.curves]
    assert len(set(colours)) == 9 and colours[4] == LIGHT.accent
    rows = sorted(view.curve_names.rows)
    letter_px = 12
    assert min(np.diff(rows)) >= letter_px and rows[0] >= 0 and rows[-1] + letter_px / 2 <= view.height()
    view.resize(240, view.height())
    qtbot.waitUntil(lambda: not view.curve_names.isVisible())


def test_a_legend_leaves_the_curves_their_room(qtbot: QtBot, words: Words) -> None:
    """In a narrow card its lines left 20 px to the curves; then the tooltip alone names them."""
    view = WavesView()
    qtbot.addWidget(view)
    view.resize(700, 260)
    with qtbot.waitExposed(view):
        view.show()
    names = tuple(f"feature {each} of a long name" for each in range(3))
    view.draw(attrs.evolve(few(False), names=names), words)
    qtbot.waitUntil(lambda: view.legend.isVisible())
    view.legend.setText(" ".join(["feature of a long name"] * 40))
    view.resize(200, 261)
    qtbot.waitUntil(lambda: not view.legend.isVisible())


def test_a_file_names_the_curves_at_their_ends() -> None:
    """From the topmost end down."""
    picture = attrs.evolve(few(False), values=np.outer([0.0, 1.0, 0.5], np.ones(10)).astype(np.float32), main=0)
    svg = render(picture, Words.load("en"), LIGHT)
    places = {name: float(re.findall(rf'y="([\d.]+)"[^>]*>{name}<', svg)[-1]) for name in "abc"}
    assert places["b"] < places["c"] < places["a"]
