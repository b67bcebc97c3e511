"""The account as a picture: every part once, in its row; what is opened, with its links; and why something is not shown."""

import math

import attrs
import numpy as np
import pytest

import explorer
from explorer.picture.causal_kinds import Account
from explorer.picture.figure.kinds import kind_of, tables
from explorer.picture.makers.lens import lens_map
from explorer.picture.makers.why import account, asked, question, rivals
from explorer.picture.makers.why_inside import left
from explorer.picture.sums import digits_for, told, unmarked
from explorer.state.look import PART_ORDERS, Look
from explorer.trace.changes import Change
from explorer.trace.trace import Trace
from tests.kept import kept_for_the_file
from tests.picture.examples import LANGUAGES, words

HEAD = Look(attention="decoder.cross_attn", layer=1, head=2, position=1)


@kept_for_the_file
def looked_into(**knobs: object) -> Trace:
    """A pass of the tiny model with both findings."""
    return explorer.explore("我爱北京天安门", preset="tiny", experiments=("why", "lens"), **knobs)


def made(look: Look = HEAD, language: str = "en", **knobs: object) -> Account:
    picture = account(looked_into(**knobs), look, words(language))
    assert picture is not None
    return picture


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("placement", ["pre", "post"])
@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only"])
def test_every_part_stands_in_one_row(architecture: str, placement: str, language: str) -> None:
    """The groups are embedding, layers and end; all rows together are the sum, and so are the kinds."""
    knobs = {"architecture": architecture, "norm_placement": placement}
    sums = made(language=language, **knobs).sums
    parts = looked_into(**knobs).why(1)
    rows = [row for group in sums.groups for row in group.rows]
    assert sum(len(row.terms) for row in rows) == len(parts.parts) == sums.n_parts
    assert math.fsum(row.value for row in rows) == pytest.approx(parts.total)
    assert math.fsum(value for _name, value in sums.kinds) == pytest.approx(parts.total)
    attentions = 2 if architecture == "encoder-decoder" else 1
    assert [len(group.rows) for group in sums.groups] == [2, attentions + 2, attentions + 2, 2 if placement == "pre" else 1]
    assert len(rows[2].terms) == 4  # the heads of the first attention


@pytest.mark.parametrize("order", PART_ORDERS)
def test_both_orders_have_the_same_terms(order: str) -> None:
    """By size the largest first."""
    sums = made(attrs.evolve(HEAD, part_order=order)).sums
    shown = sums.terms or [term for group in sums.groups for row in group.rows for term in row.terms]
    assert sorted(term.value for term in shown) == pytest.approx(sorted(looked_into().why(1).values))
    if order == "size":
        sizes = [abs(term.value) for term in sums.terms]
        assert sizes == sorted(sizes, reverse=True)


def test_a_head_is_walked_down_to_a_single_product_and_back() -> None:
    """Each level's terms sum to the number that was clicked; each term leads on, each link of the trail back."""
    trace = looked_into()
    look = HEAD
    whole = trace.why(1).values[trace.why(1).index("decoder.cross_attn", 1, 2)]
    waterfall = made(look).sums
    head = next(term for group in waterfall.groups for row in group.rows for term in row.terms if "cross L1 H2" in term.label)
    assert head.value == whole and head.goes is not None
    look = attrs.evolve(look, **head.goes)
    keys = made(look).sums
    assert keys.whole == whole and math.fsum(term.value for term in keys.terms) == pytest.approx(whole, abs=1e-6)
    assert sorted(term.label for term in keys.terms) == sorted(token.text for token in trace.tokens.source)
    first = keys.terms[0]
    assert first.factors is not None and first.factors[0] * first.factors[1] == pytest.approx(first.value)
    look = attrs.evolve(look, **(first.goes or {}))
    value = made(look).sums
    assert value.whole == pytest.approx(first.factors[1])
    assert math.fsum(term.value for term in value.terms) == pytest.approx(value.whole)
    look = attrs.evolve(look, **(value.chain[0].goes or {}))
    score = made(look).sums
    cell = f"decoder.layers.1.cross_attn.{{}}[2, 1, {look.cell_key}]"
    recorded = trace["decoder.layers.1.cross_attn.scores"][2, 1, look.cell_key]
    assert score.whole == pytest.approx(recorded, abs=1e-5)
    assert score.chain[0].about == cell.format("scores") and score.chain[2].about == cell.format("weights")
    query, key = trace["decoder.layers.1.cross_attn.query"][2, 1], trace["decoder.layers.1.cross_attn.key"][2, look.cell_key]
    assert sorted(term.value for term in score.terms) == pytest.approx(sorted((query * key).tolist()), abs=1e-6)
    assert [link.goes for link in score.trail[:-1]] == [{"inside": ""}, {"inside": "head"}, {"inside": "key"}]


def walk(look: Look, **knobs: object) -> tuple[Trace, Account | None]:
    trace = deep(**knobs)
    return trace, account(trace, look, words("en"))


@kept_for_the_file
def deep(**knobs: object) -> Trace:
    """The same with the weights behind Q, K and V."""
    return explorer.explore("我爱北京天安门", preset="tiny", experiments=("why", "readers"), **knobs)


@pytest.mark.parametrize("placement", ["pre", "post"])
def test_a_product_is_walked_down_to_the_embedding_and_back(placement: str) -> None:
    """Q and K of a product, and V, open into the parts of the stream that made them; heads among these open again."""
    look = attrs.evolve(HEAD, inside="score", cell_key=1)
    trace, score = walk(look, norm_placement=placement)
    assert score is not None
    feature = score.sums.terms[0]
    assert [goes and str(goes["way"]).split("/")[2] for goes in feature.factor_goes] == ["query", "key"]
    assert [goes and str(goes["way"])[-3:] for goes in score.sums.factor_goes] == ["all", "all"]
    look = attrs.evolve(look, **(feature.factor_goes[1] or {}))
    _, opened = walk(look, norm_placement=placement)
    assert opened is not None
    key = opened.sums
    number = int(feature.label.split()[-1])
    recorded = float(trace["decoder.layers.1.cross_attn.key"][2, 1, number])
    assert key.whole == pytest.approx(recorded) == pytest.approx(feature.factors[1] if feature.factors else 0)
    assert math.fsum(term.value for term in key.terms) == pytest.approx(recorded, abs=1e-4) and key.exact
    assert {"token", "position"} <= {term.label for term in key.terms}
    assert [link.label for link in key.trail] == [*(link.label for link in score.sums.trail), f"K[{number}]"]
    assert key.chain[0].about == f"decoder.layers.1.cross_attn.key[2, 1, {number}]"
    other = attrs.evolve(look, **(key.chain[-1].goes or {}))
    assert other.way.split("/")[2] == "query"
    head = next(term for term in key.terms if "self L1" in term.label and term.goes)
    look = attrs.evolve(look, **(head.goes or {}))
    _, deeper = walk(look, norm_placement=placement)
    assert deeper is not None and look.attention == "encoder.self_attn"
    assert deeper.sums.whole == head.value == pytest.approx(math.fsum(term.value for term in deeper.sums.terms), abs=1e-5)
    look = attrs.evolve(look, **(deeper.sums.terms[0].goes or {}))
    _, value = walk(look, norm_placement=placement)
    assert value is not None and len(value.sums.trail) == len(key.trail) + 3
    look = attrs.evolve(look, **(value.sums.factor_goes[0] or {}))
    _, whole = walk(look, norm_placement=placement)
    assert whole is not None and whole.sums.trail[-1].label == "by V" and whole.sums.exact
    for link in whole.sums.trail[:-1]:  # Every link of the long way leads to the sum that it names.
        _, back = walk(attrs.evolve(look, **(link.goes or {})), norm_placement=placement)
        assert back is not None
        figures = [each.figure for each in back.sums.trail[-2:]] or [told(back.sums.difference, back.sums.digits)]
        assert link.figure in figures
    seen = []
    while look.inside or look.way:
        look = attrs.evolve(look, **left(look))
        seen.append((look.way.count("query") + look.way.count("/key/") + look.way.count("value"), look.inside))
    assert seen == [(1, "key"), (1, "head"), (1, ""), (0, "score"), (0, "key"), (0, "head"), (0, "")]


def test_a_network_in_a_number_opens_and_a_way_of_another_sentence_does_not() -> None:
    """The way is left out where the sentence has no such key; until its weights are there, the last picture stays."""
    way = "decoder.cross_attn.1.2/1/key/all"
    look = attrs.evolve(HEAD, way=way, layer=0, inside="network")
    _, network = walk(look)
    assert network is not None and len(network.sums.terms) == 256 and len(network.sums.trail) == 6
    assert account(looked_into(), look, words()) is None
    _, waterfall = walk(attrs.evolve(HEAD, way="decoder.cross_attn.1.2/99/key/all"))
    assert waterfall is not None and not waterfall.sums.trail and waterfall.sums.groups
    off = Change("encoder.layers.0.self_attn.output", "scale", value=0.0)
    _, refused = walk(attrs.evolve(HEAD, way=way), changes=(off,))
    assert refused is not None and not refused.sums.exact and refused.sums.trail


def test_a_network_opens_into_its_units() -> None:
    """Which sum to its part; under dropout it does not open."""
    look = Look(layer=1, inside="network", position=1)
    sums = made(look).sums
    part = next(each for each in looked_into().why(1).parts if each.kind == "feed_forward" and each.layer == 1)
    place = looked_into().why(1).parts.index(part)
    assert len(sums.terms) == 256 and sums.whole == looked_into().why(1).values[place]
    assert math.fsum(term.value for term in sums.terms) == pytest.approx(sums.whole, abs=1e-6)
    assert not made(look, dropout_active=True).sums.trail


def test_a_head_that_is_no_part_opens_nothing() -> None:
    """The encoder's heads reach the logit only through the decoder's; the waterfall stays."""
    sums = made(Look(attention="encoder.self_attn", inside="head", position=1)).sums
    assert not sums.terms and not sums.trail and sums.groups


def test_a_key_that_there_is_not_gives_way_to_the_largest_share() -> None:
    """After a shorter sentence, for one."""
    sums = made(attrs.evolve(HEAD, inside="key", cell_key=99)).sums
    keys = made(attrs.evolve(HEAD, inside="head")).sums
    assert sums.trail[2].label == keys.terms[0].label


def test_what_was_changed_inside_the_pass_has_no_shares() -> None:
    """The two sums are told, no term can be exported, and nothing opens."""
    off = Change("decoder.layers.0.self_attn.output", "scale", value=0.0)
    picture = made(attrs.evolve(HEAD, inside="head"), changes=(off,))
    assert not picture.sums.exact and not picture.sums.trail and tables(picture) == ()
    said = kind_of(picture).describe(picture, words("en"))
    assert f"{picture.sums.difference:.4f}" in said and f"{picture.sums.total:.4f}" in said
    switched = Change("decoder.layers.0.self_attn.mixed", "scale", head=1, value=0.0)  # A head that is off is a part of 0.
    assert made(changes=(switched,)).sums.exact


def test_the_question_names_both_words_and_what_lies_between() -> None:
    """A rival that is the word itself gives way to the likeliest other one."""
    trace = looked_into()
    parts = trace.why(1)
    asks = question(trace, HEAD, words("en")).caption
    assert all(unmarked(name) in asks.title for name in parts.names) and told(parts.difference, 4)[:4] in asks.formula
    assert asks.note == words("en")("why.not_asked")
    assert asked(trace, attrs.evolve(HEAD, rival=parts.word)).rival == parts.rival
    offered = rivals(trace, attrs.evolve(HEAD, rival=7))
    first, *_, last = offered
    assert (first, last, len(offered)) == (str(parts.rival), "7", 6)


def test_an_encoder_alone_says_why_not() -> None:
    """It writes no words."""
    trace = looked_into(architecture="encoder-only")
    assert account(trace, Look(), words()) is None and lens_map(trace, Look(), words()) is None
    assert "encoder-only" in question(trace, Look(), words("en")).caption.note


def test_until_the_weights_are_there_nothing_is_drawn() -> None:
    """The last picture stays, as for every finding."""
    trace = attrs.evolve(looked_into(), experiments={})
    assert account(trace, HEAD, words()) is None and lens_map(trace, HEAD, words()) is None
    assert question(trace, HEAD, words()).caption.title == words()("page.why")


@pytest.mark.parametrize(("architecture", "n"), [("encoder-decoder", 3), ("decoder-only", 2)])
def test_the_rows_of_the_lens_have_the_names_of_blocks(architecture: str, n: int) -> None:
    """The embedding, then each addition."""
    picture = lens_map(looked_into(architecture=architecture), HEAD, words("en"))
    assert picture is not None and picture.chosen == 1
    names = ("self", "cross", "feed-forward") if n == 3 else ("self", "feed-forward")
    assert picture.rows == ("embedding", *(f"L{layer} {name}" for layer in (0, 1) for name in names))


def test_numbers_keep_three_figures() -> None:
    """Shares of an untrained model are small."""
    assert [digits_for(size) for size in (12.0, 0.5, 0.04, 0.0031, 0.0, math.nan)] == [2, 2, 4, 5, 2, 2]
    assert [told(value) for value in (0.5, -0.25, 0.001, -0.001)] == ["+0.50", "−0.25", "0.00", "0.00"]
    assert np.isclose(made().sums.difference, looked_into().why(1).difference)
