"""A mean or maximum in place of one head in the river: its bands, its map, its words, and the switch."""

import attrs
import numpy as np
import pytest
from PySide6.QtCore import Qt

import explorer
from explorer.picture.marks import Label, Rect
from explorer.picture.river.changeable import changeable
from explorer.picture.river.draw import draw_river
from explorer.picture.river.focus import draw_focus, draw_heads, pool_switch
from explorer.picture.river.grid import lay_out
from explorer.picture.river.ground import Colours
from explorer.picture.river.place import Place
from explorer.picture.river.river import River
from explorer.picture.river.tell import tell
from explorer.state.offers import ChangePlace
from explorer.views.pictures.river import key_place
from tests.picture.examples import LANGUAGES, example, words
from tests.picture.river.test_maker import made

POOLS = {"layer": np.mean, "layer_max": np.max}


def texts(picture: River, language: str = "zh") -> list[str]:
    """What is written in the map and beside the heads."""
    grid = lay_out(picture, 1400, 900)
    drawn = (draw_focus(picture, grid, words(language)), draw_heads(picture, grid, words(language), (1, 0)))
    return [item.text for each in drawn for item in each.scene if isinstance(item, Label)]


@pytest.mark.parametrize("key", POOLS)
def test_bands_are_the_mean_or_maximum_of_every_block(key: str) -> None:
    """Against NumPy's in float64, in the block that is looked at as elsewhere; the map has the same numbers."""
    trace = example()
    picture = made(trace, attention="decoder.self_attn", layer=1, head=2, aligned=key)
    for block in picture.blocks():
        if block.recorded is None:
            continue
        recorded = trace[f"{block.attention.replace('.', f'.layers.{block.layer}.')}.weights"].astype(np.float64)
        open_ = np.isfinite(block.drawn)
        assert block.drawn[open_] == pytest.approx(POOLS[key](recorded, axis=0)[open_], abs=1e-6)
    assert picture.head is None and picture.pooled == key
    assert picture.map.values == pytest.approx(picture.focus.drawn, abs=1e-6, nan_ok=True)


@pytest.mark.parametrize(("aligned", "pooled"), [("all", "layer"), ("all_max", "layer_max"), ("rollout", "layer")])
def test_what_stands_for_all_layers_is_that_of_each_layer_here(aligned: str, pooled: str) -> None:
    """Every layer of the river is seen by itself."""
    picture = made(example(), layer=1, aligned=aligned)
    assert picture.pooled == pooled
    wanted = made(example(), layer=1, aligned=pooled)
    assert np.array_equal(picture.map.values, wanted.map.values) and np.array_equal(picture.focus.drawn, wanted.focus.drawn)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", ["head", *POOLS])
def test_title_and_sentence_name_what_is_drawn(key: str, language: str) -> None:
    """One head by its number, several by what stands for them; no sentence speaks of a head None."""
    picture, say = made(example(), layer=1, head=2, aligned=key), words(language)
    named = say(f"river.which.{key}", head=2)
    titles = (named, say(f"river.which_short.{key}", head=2))  # A long one gives way to a short one.
    assert any(title in text for text in texts(picture, language) for title in titles)
    for pair in ((1, 0), None):
        for short in (False, True):
            told = "".join(piece.text for piece in tell(picture, say, None, pair, (1,), (), short=short))
            assert "None" not in told
            assert named.lower() in told.lower()
    head = tell(picture.seen_by("encoder.self_attn", 1, 3), say, Place("head", head=3), None, (), ())
    assert say("river.which.head", head=3) in "".join(piece.text for piece in head)


def test_steps_contributions_and_a_single_head_have_no_mean() -> None:
    """They belong to one head, which is drawn; nothing offers a mean there."""
    pass_ = explorer.explore("我爱你", preset="tiny")
    for fields in ({"opened": "attention"}, {"bands": "contributions"}):
        picture = made(pass_, attention="decoder.self_attn", head=1, aligned="layer", **fields)
        assert (picture.head, picture.pooled, picture.pools) == (1, "", ())
    one = made(example(n_heads=1), aligned="layer_max")
    assert (one.head, one.pools) == (0, ())


def test_a_long_text_shows_its_head() -> None:
    """Not all heads of it were kept."""
    long = explorer.explore("我爱你" * 100, preset="tiny", architecture="decoder-only", tokenizer="characters", n_heads=2)
    assert made(long, attention="decoder.self_attn", aligned="layer").pools == ()


def test_the_switch_says_which_is_on() -> None:
    """A button each, the one that is on in the accent's colour; under the mouse a sentence; without room none."""
    picture, room = made(example(), aligned="layer_max"), Rect(10, 20, 60, 60)
    drawn = pool_switch(picture, room, words())
    assert [hot.what.side for hot in drawn.hot] == ["layer", "layer_max"]
    assert all(room.holds(hot.rect.x, hot.rect.y) and hot.rect.bottom <= room.bottom for hot in drawn.hot)
    inks = [item.colour for item in drawn.scene if isinstance(item, Label)]
    assert inks == ["text", "on_accent"]
    about = tell(picture, words(), drawn.hot[1].what, None, (), ())
    assert "".join(piece.text for piece in about) == words()("river.pools.about_layer_max")
    for narrow in (Rect(10, 20, 20, 60), Rect(10, 20, 60, 30)):
        assert not pool_switch(picture, narrow, words()).scene
    assert draw_river(picture, lay_out(picture, 1400, 900), words(), Colours("cividis", "blue-red")).scene


def test_m_goes_from_the_head_to_mean_and_maximum_and_back() -> None:
    """Where there is anything to choose."""
    asked = [key_place(Qt.Key.Key_M, made(example(), head=1, aligned=each)).side for each in ("head", "layer", "all_max")]
    assert asked == ["layer", "layer_max", "head"]
    assert key_place(Qt.Key.Key_M, made(example(n_heads=1))) is None


def test_a_change_at_a_mean_is_one_of_the_layer() -> None:
    """A band belongs to no single head."""
    picture = made(example(), layer=1, aligned="layer")
    pair = Place("pair", attention="encoder.self_attn", layer=1, query=1, key=0)
    assert changeable(picture, pair) == ChangePlace("encoder.layers.1.self_attn.weights", None)
    one = changeable(attrs.evolve(picture, head=2, pooled=""), pair)
    assert one == ChangePlace("encoder.layers.1.self_attn.weights", 2, 1, 0)
