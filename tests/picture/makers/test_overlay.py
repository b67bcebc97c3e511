"""Several heads whose lines lie over one another: the recorded weights of each, told one by one."""

import attrs
import numpy as np
import pytest

from explorer.errors import NotKept, UnknownHead
from explorer.picture.alignment_lines import changeable, tell_all, tell_column, tell_line, tell_row
from explorer.picture.figure.kinds import tables
from explorer.picture.makers import alignment as lines
from explorer.picture.makers.alignment import alignment, attention_lines
from explorer.picture.makers.pooled import attention_map
from explorer.state.look import Look
from explorer.state.offers import ChangePlace
from explorer.trace.kept_map import KeptMap
from explorer.trace.levels import levels
from tests.picture.examples import LANGUAGES, example, words
from tests.picture.makers.test_alignment import begun

ATTENTIONS = ("encoder.self_attn", "decoder.self_attn", "decoder.cross_attn")


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_each_head_has_its_recorded_weights(attention: str) -> None:
    """Bit by bit where no mask closes a cell; the values are the largest of the heads, found here cell by cell."""
    trace, look = example(), Look(attention=attention, layer=1, head=2, overlaid=(0, 2, 3), drawn="lines")
    made = attention_lines(trace, look, words("en"))
    side, _, kind = attention.partition(".")
    recorded = trace[f"{side}.layers.1.{kind}.weights"]
    assert [each.head for each in made.overlaid] == [0, 2, 3]
    for each in made.overlaid:
        open_ = np.isfinite(each.values)
        assert np.array_equal(each.values[open_], recorded[each.head][open_])
        assert np.array_equal(each.recorded, recorded[each.head])
    for (query, key), value in np.ndenumerate(made.values):
        weights = [float(recorded[head, query, key]) for head in (0, 2, 3)]
        assert np.isnan(value) or value == max(weights)
    assert made.caption.origin == "recorded" and made.head is None and made.recorded is None
    assert made.caption.title.endswith("L1 H0 H2 H3")


def test_heads_are_overlaid_between_two_sentences_as_well() -> None:
    """The alignment on the output page has the same heads."""
    made = alignment(begun(), Look(layer=1, head=1, overlaid=(1, 3)), words())
    for each in made.overlaid:
        assert np.array_equal(each.values, begun()["decoder.layers.1.cross_attn.weights"][each.head])
    assert words()("alignment.title") in made.caption.title and "H1 H3" in made.caption.title


@pytest.mark.parametrize(
    "look", [Look(head=1, overlaid=(0, 2)), Look(head=1, overlaid=(1,)), Look(overlaid=(0, 1), aligned="all")]
)
def test_without_the_chosen_head_nothing_is_overlaid(look: Look) -> None:
    """A head chosen elsewhere is shown alone, and a mean stands for itself."""
    assert attention_lines(example(), look, words()).overlaid == ()
    plain = attention_lines(example(), attrs.evolve(look, overlaid=()), words())
    assert np.array_equal(attention_lines(example(), look, words()).values, plain.values)


def test_a_head_that_the_layer_lacks_is_told() -> None:
    """As for one head."""
    with pytest.raises(UnknownHead):
        attention_lines(example(), Look(head=1, overlaid=(1, 9)), words())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_threshold_tells_the_share_of_all_heads(language: str) -> None:
    """Against a sum over every cell of every head."""
    trace, look = example(), Look(head=0, overlaid=(0, 1, 3), threshold=0.3)
    made = attention_lines(trace, look, words(language))
    weights = trace["encoder.layers.0.self_attn.weights"][[0, 1, 3]].astype(np.float64)
    share = 100 * weights[weights >= 0.3].sum() / weights.sum()
    assert words(language)("heads.threshold_note", share=f"{share:.3g}") in made.caption.note
    assert made.caption.origin == "computed"
    for each, whole in zip(made.overlaid, weights, strict=True):
        assert np.array_equal(np.isnan(each.values), whole < 0.3)


def test_without_special_tokens_each_head_is_renormalised() -> None:
    """The very numbers of that head's own map."""
    look = Look(attention="decoder.self_attn", head=0, overlaid=(0, 3), specials="hidden")
    made = attention_lines(begun(), look, words())
    for each in made.overlaid:
        alone = attention_map(begun(), attrs.evolve(look, head=each.head), words())
        assert np.array_equal(each.values, alone.values, equal_nan=True)


def test_of_very_many_lines_the_strongest_of_all_heads_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven of all, whichever heads they belong to, and the note says so."""
    monkeypatch.setattr(lines, "MOST_LINES", 7)
    made = attention_lines(example(), Look(overlaid=(0, 1, 2)), words("en"))
    weights = np.sort(example()["encoder.layers.0.self_attn.weights"][:3].ravel())
    left = np.sort(np.concatenate([each.values[np.isfinite(each.values)] for each in made.overlaid]))
    assert np.array_equal(left, weights[-7:])
    assert words("en")("heads.strongest", count=7) in made.caption.note
    assert all(each.recorded is None for each in made.overlaid)


def test_a_line_tells_the_weight_of_every_head() -> None:
    """In the order of heads; a token tells what each head looks at most."""
    trace = example()
    made = attention_lines(trace, Look(layer=1, overlaid=(0, 2)), words("en"))
    recorded = trace["encoder.layers.1.self_attn.weights"]
    told = tell_line(made, 2, 1, words("en")).split("\n")
    assert told[1:3] == [f"H{head}  {recorded[head, 2, 1]:.4g}" for head in (0, 2)]
    rows = tell_row(made, 2, words("en")).split("\n")
    for line, head in zip(rows[1:3], (0, 2), strict=True):
        best = int(recorded[head, 2].argmax())
        assert line == f"H{head}  → {trace.tokens.source[best].text}  {recorded[head, 2, best]:.4g}"
    columns = tell_column(made, 1, words("en")).split("\n")
    for line, head in zip(columns[1:3], (0, 2), strict=True):
        best = int(recorded[head, :, 1].argmax())
        assert line == f"H{head}  ← {trace.tokens.source[best].text}  {recorded[head, best, 1]:.4g}"
    assert tell_all(made)


def test_of_many_heads_the_largest_weights_are_told() -> None:
    """Twelve, and how many more there are; the title counts them."""
    trace = example(d_model=32, n_heads=16)
    made = attention_lines(trace, Look(overlaid=tuple(range(16))), words("en"))
    told = tell_line(made, 0, 0, words("en")).split("\n")
    weights = trace["encoder.layers.0.self_attn.weights"][:, 0, 0]
    largest = sorted(np.argsort(-weights, kind="stable")[:12].tolist())
    assert [line.split()[0] for line in told[1:13]] == [f"H{head}" for head in largest]
    assert told[13] == words("en")("alignment.other_heads", count=4)
    assert words("en")("heads.count", count=16) in made.caption.title


def test_every_head_is_a_table_of_its_own() -> None:
    """Named after tap and head, with the numbers that the model computed."""
    trace = example()
    found = tables(attention_lines(trace, Look(overlaid=(0, 3)), words("en")))
    tap = "encoder.layers.0.self_attn.weights"
    assert [(each.name, each.head) for each in found] == [(f"{tap}.head0", 0), (f"{tap}.head3", 3)]
    for each in found:
        assert np.array_equal(each.values, trace[tap][each.head])


def test_a_line_of_several_heads_is_changed_in_its_layer() -> None:
    """It belongs to no single head."""
    made = alignment(begun(), Look(layer=1, head=1, overlaid=(1, 3)), words())
    line = frozenset({made.rows.spot(1), made.columns.spot(0)})
    assert changeable(made, line) == ChangePlace("decoder.layers.1.cross_attn.weights", None)


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_arcs_have_the_numbers_of_the_lines(attention: str) -> None:
    """Only of a text that looks at itself; its note says what the sides mean."""
    look = Look(attention=attention, drawn="arcs", layer=1)
    arcs, lines = (attention_lines(begun(), attrs.evolve(look, drawn=each), words("en")) for each in ("arcs", "lines"))
    assert np.array_equal(arcs.values, lines.values, equal_nan=True)
    assert arcs.arcs == (attention != "decoder.cross_attn") and not lines.arcs
    notes = {"encoder.self_attn": "heads.arcs_note", "decoder.self_attn": "heads.arcs_back_note"}
    assert arcs.caption.note == words("en")(notes.get(attention, "heads.lines_note"))


def test_of_a_long_text_all_heads_are_asked_for_at_once() -> None:
    """One after the other would take a pass each; the error says that they do not fit."""
    trace, tap = example(), "encoder.layers.0.self_attn.weights"
    arrays = {name: each for name, each in trace.arrays.items() if name != tap}
    kept = KeptMap(tap=tap, shape=trace.shape(tap), close_ups={0: levels(trace[tap][0], signed=False)})
    long = attrs.evolve(trace, arrays=arrays, maps={tap: kept})
    with pytest.raises(NotKept) as error:
        attention_lines(long, Look(overlaid=(0, 1)), words())
    assert error.value.head == -1
    assert attention_lines(long, Look(), words()).values.shape == trace.shape(tap)[1:]
