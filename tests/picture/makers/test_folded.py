"""Pictures between words, against sums and averages of the recorded weights, cell by cell."""

import math

import attrs
import numpy as np
import pytest

from explorer.picture import alignment_lines as lines
from explorer.picture.axis import Axis, strongest
from explorer.picture.cell_text import cell, changeable, changeable_on_wall, followable, followable_on_wall, grid_cell
from explorer.picture.figure.decoding_figures import tell_step
from explorer.picture.figure.kinds import kind_of
from explorer.picture.kinds import Heatmap
from explorer.picture.makers.alignment import alignment, alignment_map, attention_lines
from explorer.picture.makers.attention import head_wall
from explorer.picture.makers.pooled import attention_map
from explorer.picture.makers.timeline import timeline
from explorer.state.look import Look
from explorer.trace.tap_names import Cell
from explorer.trace.trace import Trace
from tests.picture.examples import LANGUAGES, begun, example, words

ATTENTIONS = ("encoder.self_attn", "decoder.self_attn", "decoder.cross_attn")
WORDS = Look(unit="words")


def told() -> Trace:
    """A pass over two texts with words of several tokens."""
    return begun(example(text="I love Tiananmen", target="x Tiananmen square.", tokenizer="bpe"))


def tokens_of(axis: Axis, n_labels: int) -> list[list[int]]:
    """The rows of each label, found anew from where words begin: by the mark, by a dot, and behind the begin symbol."""
    rows: list[list[int]] = []
    trace = told()
    along = trace.tokens.source if axis.side == "source" else trace.tokens.target
    for place in range(axis.shift, len(along)):
        begins = along[place].text.startswith(("␣", ".", "<")) or (place > 0 and along[place - 1].text == "<bos>")
        if begins or not rows:
            rows.append([])
        rows[-1].append(place - axis.shift)
    if axis.shift:
        rows.append([len(along) - 1])
    assert len(rows) == n_labels
    return rows


def by_hand(weights: np.ndarray, made: Heatmap) -> np.ndarray:
    """The sum over the keys of each word and the average over its queries, in Python's floats."""
    rows, columns = (tokens_of(axis, n) for axis, n in zip((made.rows, made.columns), made.values.shape, strict=True))
    return np.array(
        [[math.fsum(float(weights[q, k]) for q in i for k in j) / len(i) for j in columns] for i in rows], np.float32
    )


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_a_map_between_words_has_their_sums_and_averages(attention: str) -> None:
    """Its rows sum to 1, what the mask closes altogether stays closed, and the numbers say that they were computed."""
    trace, look = told(), attrs.evolve(WORDS, attention=attention, layer=1, head=2)
    made, whole = attention_map(trace, look, words("en")), attention_map(trace, attrs.evolve(look, unit="tokens"), words("en"))
    wanted = by_hand(trace[look.attention_tap()][2], made)
    open_ = np.isfinite(made.values)
    np.testing.assert_allclose(made.values[open_], wanted[open_], atol=1e-6)
    assert (wanted[~open_] == 0).all() and (made.closed is not None) == (attention == "decoder.self_attn")
    np.testing.assert_allclose(np.nansum(made.values, axis=1), 1, atol=1e-5)
    assert made.values.shape != whole.values.shape
    assert words("en")("heads.folded_note") in made.caption.note and made.caption.origin == "computed"
    assert kind_of(made).describe(made, words("en")) and not made.is_recorded
    assert made.caption.file_name == f"{whole.caption.file_name}.words"


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_are_the_written_words(language: str) -> None:
    """Without the marks of the vocabulary; a row that writes a token is named after the word that it writes."""
    trace = told()
    own = attention_map(trace, WORDS, words(language))
    assert own.rows.labels == own.columns.labels == ("I", "love", "Tiananmen")
    across = attention_map(trace, attrs.evolve(WORDS, attention="decoder.cross_attn"), words(language))
    assert across.rows.labels[-4:] == ("→Tiananmen", "→square", "→.", "→<eos>")
    assert across.columns.labels == ("I", "love", "Tiananmen")
    assert alignment(trace, WORDS, words(language)).rows.labels[-4:] == ("Tiananmen", "square", ".", "<eos>")


@pytest.mark.parametrize("pooled", ["layer", "all", "layer_max", "all_max", "rollout"])
def test_several_heads_between_words(pooled: str) -> None:
    """A mean of folded maps is the folded mean; of a maximum each head is folded first, so that no cell exceeds 1."""
    trace, look = told(), attrs.evolve(WORDS, aligned=pooled, layer=1)
    made = attention_map(trace, look, words())
    if pooled.endswith("max"):
        taps = [f"encoder.layers.{layer}.self_attn.weights" for layer in ((1,) if pooled == "layer_max" else (0, 1))]
        wanted = np.max([by_hand(head, made) for tap in taps for head in trace[tap]], axis=0)
    else:
        wanted = by_hand(attention_map(trace, attrs.evolve(look, unit="tokens"), words()).values, made)
    np.testing.assert_allclose(made.values, wanted, atol=1e-6)
    assert made.values.max() <= 1 + 1e-6


def test_words_without_special_tokens_are_folded_first() -> None:
    """A row that is left sums to 1 again, and the begin symbol's column is closed."""
    look = attrs.evolve(WORDS, attention="decoder.self_attn", specials="hidden")
    made = attention_map(told(), look, words())
    assert made.closed is not None and made.closed[:, 0].all()
    np.testing.assert_allclose(np.nansum(made.values[2:], axis=1), 1, atol=1e-5)


def test_lines_have_the_numbers_of_the_map() -> None:
    """Of every attention, and on the output page."""
    trace = told()
    for attention in ATTENTIONS:
        look = attrs.evolve(WORDS, attention=attention)
        np.testing.assert_array_equal(attention_lines(trace, look, words()).values, attention_map(trace, look, words()).values)
    look = attrs.evolve(WORDS, attention="decoder.cross_attn", layer=1, head=1)
    for made in (alignment(trace, look, words()), alignment_map(trace, look, words())):
        np.testing.assert_allclose(made.values, attention_map(trace, look, words()).values, atol=1e-7)
        assert made.recorded is None


def test_scores_stay_those_of_tokens() -> None:
    """They are no shares of anything, and a sum of scores means nothing."""
    look = attrs.evolve(WORDS, stage="scores")
    assert attention_map(told(), look, words()).is_recorded
    assert head_wall(told(), look, words()).unfolded is None


def test_the_wall_is_folded_head_by_head() -> None:
    """Each thumbnail has the numbers of its head's map."""
    trace = told()
    made = head_wall(trace, attrs.evolve(WORDS, attention="decoder.self_attn"), words())
    for layer, head in np.ndindex(made.values.shape[:2]):
        look = attrs.evolve(WORDS, attention="decoder.self_attn", layer=layer, head=head)
        np.testing.assert_array_equal(made.values[layer, head], attention_map(trace, look, words()).values)
    assert "Tiananmen" in grid_cell(made, 0, 0, 1, 1, words())


def test_a_cell_between_words_is_followed_at_its_strongest_tokens_and_not_changed() -> None:
    """One cell of the pass is meant by none of a word's; where both words are one token, all is as before."""
    trace, look = told(), attrs.evolve(WORDS, layer=1, head=2)
    made, wall = attention_map(trace, look, words()), head_wall(trace, look, words())
    weights = trace["encoder.layers.1.self_attn.weights"][2]
    word = made.columns.rows(2)
    best = word[int(weights[0, list(word)].argmax())]
    for found in (followable(made, 0, 2), followable_on_wall(wall, 1, 2, 0, 2)):
        assert found == Cell("encoder.self_attn", 1, 2, 0, best)
    assert changeable(made, 0, 2) is None and changeable_on_wall(wall, 1, 2, 0, 2) is None
    for place in (changeable(made, 0, 1), changeable_on_wall(wall, 1, 2, 0, 1)):
        assert place is not None and place.cell == Cell("encoder.self_attn", 1, 2, 0, 1)
    assert f"{word[0]}–{word[-1]} Tiananmen" in cell(made, 0, 2, words("en"))


def test_lines_between_words_are_not_changed_either() -> None:
    """Nor is a word of several tokens as a whole; one of a single token is its vector."""
    made = alignment(told(), attrs.evolve(WORDS, attention="decoder.cross_attn"), words())
    word, row = made.columns.spot(2), made.rows.spot(made.rows.labels.index("square"))
    assert lines.changeable(made, frozenset({word})) is None
    assert lines.changeable(made, frozenset({word, row})) is None
    love = lines.changeable(made, frozenset({made.columns.spot(1)}))
    assert love is not None and (love.tap, love.row) == ("encoder.embedding.output", 1)
    assert "Tiananmen" in lines.tell_row(made, 0, words())


def test_tokens_of_other_views_are_found_in_their_word() -> None:
    """Any token of a word lights the word, which lights all of its tokens."""
    axis = Axis("query", ("a", "bc"), "target", shift=1, groups=((0,), (1, 2)))
    assert axis.indices([("target", 3), ("target", 2), ("source", 1), ("target", 9)], 2) == [1]
    assert axis.spots(1) == {("target", 2), ("target", 3)} and axis.spot(1) == ("target", 2)
    assert strongest(axis, axis, None, 1, 0) == (1, 0)


def test_a_text_without_such_words_is_as_it_was() -> None:
    """Nothing is computed, and nothing is said."""
    made = attention_map(example(), WORDS, words())
    assert made.is_recorded and made.caption == attention_map(example(), Look(), words()).caption


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_word_has_the_product_of_its_tokens_probabilities(language: str) -> None:
    """And the sum of their log-probabilities, which stay those of the sentence; it has no rank."""
    trace = told()
    made, whole = timeline(trace, WORDS, words(language)), timeline(trace, Look(), words(language))
    assert made.labels[-4:] == ("Tiananmen", "square", ".", "<eos>")
    groups = tokens_of(Axis("", (), "target", shift=1), len(made.labels))
    products = [math.prod(float(whole.probabilities[step]) for step in group) for group in groups]
    np.testing.assert_allclose(made.probabilities, products, rtol=1e-5)
    assert made.log_p is not None and whole.log_p is not None
    np.testing.assert_allclose(np.exp(made.log_p), products, rtol=1e-4)
    assert made.log_p.sum() == pytest.approx(whole.log_p.sum())
    place = made.labels.index("Tiananmen")
    first = made.steps(place)[0]
    text = tell_step(made, place, words(language))
    assert all(f"{label} " in text for label in whole.labels[first : made.steps(place)[-1] + 1])
    assert made.ranks[place] == 0 and words(language)("timeline.words_note") in made.caption.note
    (table,) = kind_of(made).tables(made)
    assert np.isnan(table.values[place, 2])
    assert timeline(trace, attrs.evolve(WORDS, position=made.steps(place)[1]), words()).chosen == place
    assert tell_step(made, len(made.labels) - 1, words(language)) == tell_step(whole, len(whole.labels) - 1, words(language))


def test_a_text_that_is_only_read_is_folded_as_well() -> None:
    """A model without an output of its own has tokens without probabilities."""
    made = timeline(example("encoder-only", text="I love Tiananmen", tokenizer="bpe"), WORDS, words())
    assert made.labels == ("I", "love", "Tiananmen") and np.isnan(made.probabilities).all()
    assert "2–" in tell_step(made, 2, words())
