"""Pictures of a classifier's numbers: which classes, in which order, of which token."""

import attrs
import numpy as np
import pytest

from explorer.lang import LANGUAGES, Words
from explorer.picture.figure.kinds import tables
from explorer.picture.makers.classes import class_bars, class_map, class_row, tells_classes, token_chosen
from explorer.state.look import Look
from explorer.trace.model_card import ClassHead
from tests.picture.examples import trace_of_classes

EN = Words.load("en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_has_its_classes_as_bars(language: str) -> None:
    """Largest first, under the labels of the folder; the note says what the numbers sum to."""
    words = Words.load(language)
    trace = trace_of_classes("text", ("bad", "so so", "good"), [[0.2, 0.1, 0.7]])
    made = class_bars(trace, Look(), words)

    assert tells_classes(trace)
    assert made.labels == ("good", "bad", "so so")
    assert made.values.tolist() == pytest.approx([0.7, 0.2, 0.1])
    assert made.caption.note == words("classes.softmax", count=3)
    assert made.caption.formula == "softmax(h W + b)"
    assert tables(made)[0].values[:, 0].tolist() == made.values.tolist()


def test_classes_that_do_not_exclude_each_other_have_another_formula() -> None:
    """Each has a probability of its own."""
    made = class_bars(trace_of_classes("text", ("a", "b"), [[0.9, 0.8]], by="sigmoid"), Look(), EN)

    assert made.caption.note == EN("classes.sigmoid", count=2)
    assert "exp" in made.caption.formula and "softmax" not in made.caption.formula


def test_a_row_has_each_token_with_its_likeliest_class() -> None:
    """The first token that is not special is looked at, until another is chosen; its bars follow."""
    trace = trace_of_classes("tokens", ("O", "LOC"), [[0.9, 0.1], [0.6, 0.4], [0.3, 0.7]])
    made = class_row(trace, Look(), EN)
    tokens = [token.text for token in trace.tokens.source]

    assert made.labels == (f"{tokens[0]} · O", f"{tokens[1]} · O", f"{tokens[2]} · LOC")
    assert made.probabilities.tolist() == pytest.approx([0.9, 0.6, 0.7])
    assert made.told[2] == EN("classes.told", token=tokens[2], label="LOC", value="0.7")
    assert made.chosen == token_chosen(trace, Look()) == 1
    other = class_bars(trace, Look(position=2), EN)
    assert other.labels == ("LOC", "O")
    assert other.caption.title.endswith(f" · {tokens[2]}")


def test_a_row_of_special_tokens_alone_is_looked_at_from_its_beginning() -> None:
    """There is no other token to look at."""
    trace = trace_of_classes("tokens", ("O", "LOC"), [[0.9, 0.1], [0.6, 0.4]])
    special = tuple(attrs.evolve(token, special=True) for token in trace.tokens.source)

    assert token_chosen(attrs.evolve(trace, tokens=attrs.evolve(trace.tokens, source=special)), Look()) == 0


def test_a_map_has_all_tokens_and_classes() -> None:
    """The recorded numbers themselves, the folder's labels above its columns."""
    trace = trace_of_classes("tokens", ("O", "LOC"), [[0.9, 0.1], [0.6, 0.4], [0.3, 0.7]])
    made = class_map(trace, Look(), EN)

    assert made.columns.labels == ("O", "LOC")
    assert made.rows.labels == tuple(token.text for token in trace.tokens.source)
    assert (made.values == trace["classifier.probabilities"]).all()


def test_of_many_classes_the_largest_are_shown() -> None:
    """Twenty of them, in the map in the order of their numbers."""
    shares = np.linspace(0, 1, 50)
    labels = tuple(f"c{number}" for number in range(50))
    trace = trace_of_classes("tokens", labels, [shares, shares[::-1] / 2, shares / 4])

    assert class_map(trace, Look(), EN).columns.labels == labels[30:]
    assert class_bars(trace, Look(position=1), EN).labels == labels[:20]


def test_a_number_is_shown_as_it_is() -> None:
    """On a scale centred on zero, since it may be negative."""
    trace = trace_of_classes("text", ("score",), [[-1.5]], by="number")
    made = class_map(trace, Look(), EN)

    assert made.values.tolist() == [[-1.5]]
    assert made.scale.centred
    assert made.caption.tap == "classifier.logits"
    assert made.caption.note == EN("classes.number", count=1)


def test_other_models_tell_no_classes() -> None:
    """Nor does a Trace whose card has classes without their numbers."""
    trace = trace_of_classes("text", ("a", "b"), [[0.5, 0.5]])
    bare = attrs.evolve(trace, arrays={}, axis_names={})

    assert not tells_classes(bare)
    assert not tells_classes(attrs.evolve(trace, card=attrs.evolve(trace.card, classes=None)))
    assert ClassHead(labels=("a",), of="text", by="number").tap == "classifier.logits"
