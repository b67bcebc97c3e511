"""The cuts of a sentence beside each other: every map is that of a pass of its own."""

from pathlib import Path

import attrs
import numpy as np
import pytest

import explorer
from explorer.api.lending import alone
from explorer.engine.errands.saying import Saying
from explorer.engine.experiments import segmentations as module
from explorer.engine.request import Request
from explorer.errors import TooLong
from explorer.state.wish import Wish
from explorer.trace.changes import Change
from explorer.trace.found.segmentations import ENGLISH_WAYS, WAYS, Segmentations
from tests.engine.sources.bundles import an_english_preset

BRIDGE = "南京市长江大桥"


def laid(text: str = BRIDGE, preset: str = "translator", **fields: object) -> Segmentations:
    """The cuts of a text by a preset's model, for a Wish with these fields."""
    with alone() as computer:
        wish = attrs.evolve(Wish.from_preset(preset, text), **fields)
        trace = computer(Request(wish=wish).asking(experiments=frozenset({"segmentations"}))).trace
    found = trace.experiments["segmentations"]
    assert isinstance(found, Segmentations)
    return found


@pytest.mark.parametrize("preset", ["translator", "tiny", "language-model"])
def test_each_map_is_that_of_a_pass_with_this_cut(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens and weights of every layer and head equal those that `explore` records with the same knob, on one thread."""
    monkeypatch.setattr("explorer.engine.speed.threads.free_cores", lambda: 1)
    made = laid(preset=preset)

    assert [row.way for row in made.rows] == list(WAYS)
    for row in made.rows:
        trace = explorer.explore(BRIDGE, preset=preset, tokenizer=row.way)
        assert row.tokens == (trace.tokens.source or trace.tokens.target)
        side, _, kind = made.attention.partition(".")
        for layer, weights in enumerate(row.weights):
            assert np.array_equal(weights, trace[f"{side}.layers.{layer}.{kind}.weights"])


@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only"])
def test_english_is_cut_in_its_own_ways(tmp_path: Path, architecture: str) -> None:
    """At white space, into byte pairs, into characters: on the words of the first, each a pass with this knob."""
    preset = an_english_preset(tmp_path, architecture)
    made = laid("I love Cats.", preset=preset)

    assert [row.way for row in made.rows] == list(ENGLISH_WAYS) and made.present == ENGLISH_WAYS.index("bpe")
    assert made.unit_texts() == ("I", "love", "Cats", ".")
    assert [[token.text for token in row.tokens] for row in made.rows[:2]] == [["␣I", "␣love", "␣Cat", "s", "."]] * 2
    for row in made.rows:
        trace = explorer.explore("I love Cats.", preset=preset, tokenizer=row.way)
        assert row.tokens == (trace.tokens.source or trace.tokens.target) and row.n_unknown == 0
        side, _, kind = made.attention.partition(".")
        assert np.allclose(row.weights[0], trace[f"{side}.layers.0.{kind}.weights"], atol=1e-6)


def test_the_comparison_can_fail() -> None:
    """Two cuts have other maps."""
    made = laid(preset="tiny")

    assert made.rows[0].weights.shape != made.rows[3].weights.shape


@pytest.mark.parametrize("preset", ["translator", "tiny", "language-model"])
def test_rows_on_words_are_sums_of_one(preset: str) -> None:
    """Of every cut, layer and head, also where a token lies across two words."""
    made = laid(preset=preset)
    for number, row in enumerate(made.rows):
        for layer in range(len(row.weights)):
            for head in range(len(row.weights[layer])):
                assert made.folded(number, layer, head).sum(axis=1) == pytest.approx(1, abs=1e-6)
    assert [token.text for token in made.lies_across(1)] == ["市长"]


def test_a_translator_says_what_it_makes_of_each_cut() -> None:
    """By the search that the Wish asks for; a typed target is no translation."""
    made = laid(beam=4)
    for row in made.rows:
        with alone() as computer:
            wish = attrs.evolve(Wish.from_preset("translator", BRIDGE, tokenizer=row.way), beam=4)
            assert row.target == Saying(computer.sources).says(wish).target
    assert {row.target for row in laid(target="A bridge.").rows} == {""}


def test_the_present_cut_is_among_them() -> None:
    """That of the knob, one that has no row otherwise, or the one that was made by hand."""
    spaces = laid(config=Wish.from_preset("tiny", BRIDGE, tokenizer="spaces").config, preset="tiny")
    by_hand = laid(source_cuts=((0, 2), (2, 4), (4, 7)))

    assert laid(config=Wish.from_preset("tiny", BRIDGE, tokenizer="bpe").config, preset="tiny").present == WAYS.index("bpe")
    assert (spaces.rows[spaces.present].way, len(spaces.rows)) == ("spaces", 6)
    assert [token.text for token in by_hand.rows[by_hand.present].tokens] == ["南京", "市长", "江大桥"]


def test_what_the_vocabulary_lacks_is_said() -> None:
    """The untrained words of the small preset lack the bridge; the translator takes them apart."""
    tiny, translator = laid(preset="tiny").rows[0], laid().rows[0]

    assert (len(tiny.tokens), tiny.n_unknown) == (2, 2)
    assert (len(translator.tokens), translator.n_unknown, translator.words) == (7, 0, ((0, 3), (3, 7)))


def test_changes_are_not_made() -> None:
    """They name places of the tokens on screen, which another cut has not."""
    changes = (Change("encoder.layers.0.self_attn.weights", "set", head=0, rows=(0,), columns=(0,), value=1.0),)

    assert np.array_equal(laid(changes=changes).rows[0].weights, laid().rows[0].weights)


def test_a_cut_with_too_many_tokens_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are there."""
    monkeypatch.setattr(module, "MOST_TOKENS", 6)
    made = laid("南京市的长江大桥", preset="tiny")  # What was found for another test is kept.

    assert isinstance(made.rows[3].refused, TooLong) and made.rows[3].tokens == ()
    assert made.rows[0].weights is not None
