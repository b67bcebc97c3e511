"""What the stops of the tour say about a sentence, held against a computation of its own on thirty sentences."""

import math
import re
from collections.abc import Callable, Mapping
from functools import cache

import attrs
import pytest
from torch import nn

import explorer
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.lang import LANGUAGES, Words
from explorer.lessons.fact_makers import Fact
from explorer.lessons.facts import FACTS, facts, left_out, needs
from explorer.lessons.followed import settings_of
from explorer.lessons.read import read_lesson
from explorer.lessons.unread import unread
from explorer.picture.makers.lesson import facts_html
from explorer.presets import load_preset
from explorer.resources import asset
from explorer.state.focus import Focus
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.tokens.bilingual import Bilingual
from explorer.tokens.vocabulary import BEGIN, END, PAD, UNKNOWN
from explorer.trace.found.without import Without
from explorer.trace.measures.measures import telling_cell
from explorer.trace.trace import Trace
from explorer.training.corpus import read_corpus
from tests.lessons.facts_by_hand import BEAM, D_HEAD, ByHand, translated
from tests.picture.examples import example
from tests.sweeps import sweep
from tests.translators import TRANSLATORS

pytestmark = pytest.mark.slow  # each sentence is translated six times

ROWS = read_corpus(asset("presets/translator/held-out.tsv")).valid[::50][:30]  # no bundled translator has learned them
SENTENCES = {preset: [row[("zh", "en").index(load_preset(preset).reads)] for row in ROWS] for preset in TRANSLATORS}
STOPS = {step.fact: step for step in read_lesson(asset("lessons/tour.toml")).steps if step.fact}


@pytest.fixture(scope="module")
def computer() -> Computer:
    return Computer()


@pytest.fixture(scope="module")
def model_of() -> Callable[[str], nn.Module]:
    return cache(explorer.load_model)


def symbols_of(preset: str) -> list[str]:
    """The symbols of the source; the file writes the space before a word as a wide low line."""
    symbols = asset(f"presets/{preset}/source.txt").read_text("utf-8").splitlines()
    return [re.sub("^＿", "␣", symbol) for symbol in symbols]


def look_of(kind: str, wish: Wish) -> Look:
    """What the stop of a kind looks at."""
    return Look(**dict(settings_of(STOPS[kind], wish, "en").look))


def told(computer: Computer, kind: str, wish: Wish) -> tuple[dict[str, Mapping[str, float | str]], Trace]:
    """The facts of a kind about an answer, by key; and the answer."""
    detail = {"experiments": needs(kind), "focus": Focus(without=left_out(kind))}
    trace = computer(Request(wish=wish).asking(**detail)).trace
    made = facts(kind, trace, look_of(kind, wish))
    assert made is not None
    return {fact.key: fact.values for fact in made}, trace


def plain(trace: Trace) -> list[str]:
    return [token.text.lstrip("␣▁") for token in trace.tokens.source]


def test_every_stop_but_the_last_has_a_fact() -> None:
    """Each of its own kind."""
    steps = read_lesson(asset("lessons/tour.toml")).steps
    assert [step.fact for step in steps] == [*FACTS, ""]


@pytest.mark.parametrize(
    "case",
    sweep(
        [(preset, text) for preset, texts in SENTENCES.items() for text in texts],
        telling=[(preset, text) for preset, texts in SENTENCES.items() for text in texts[::12]],
    ),
    ids=" · ".join,
)
def test_each_claim_holds_by_another_computation(
    case: tuple[str, str], computer: Computer, model_of: Callable[[str], nn.Module]
) -> None:
    """All twelve kinds, with every number that they name, of each bundled translator."""
    preset, text = case
    wish, model, symbols = attrs.evolve(Wish.from_preset(preset, text), beam=BEAM), model_of(preset), symbols_of(preset)
    found = {kind: told(computer, kind, wish) for kind in FACTS}
    trace = found["choice"][1]
    source = tuple(token.id for token in trace.tokens.source)
    names, word = plain(trace), next(place for place, name in enumerate(plain(trace)) if name.isalnum())
    best = translated(model, source)
    hand = ByHand(model, source, trace_ids(trace))

    assert [symbols[each].lstrip("␣▁") for each in source] == [name.lower() for name in names]
    check_text(found, trace, names, word, symbols)
    check_neighbours(found, hand, names, word, source, symbols)
    check_attention(found, hand, names, look_of("weight", wish))
    check_order(found, model, source)
    check_stream(found, hand, names, word)
    check_choice(found, trace, hand, look_of("cross", wish))
    n = len(trace.tokens.target)
    assert found["mask"][0]["mask.closed"] == ({"closed": n * (n - 1) // 2})
    alone = translated(model, source, "mask")
    assert ("mask.disturbed" in found["mask"][0]) == (alone.ids == best.ids and alone.p < best.p)
    both = computer.sources.translator(preset).bilingual
    for kind in FACTS:
        if left_out(kind):
            check_without(found[kind], both, translated(model, source, left_out(kind)), best)


Found = Mapping[str, tuple[Mapping[str, Mapping[str, float | str]], Trace]]


def trace_ids(trace: Trace) -> tuple[int, ...]:
    """What was generated, without the end."""
    return tuple(token.id for token in trace.tokens.target)[1:]


def check_text(found: Found, trace: Trace, names: list[str], word: int, symbols: list[str]) -> None:
    made = found["tokens"][0]
    assert made["tokens.count"]["n"] == len(names)
    assert made["tokens.id"] == {"token": names[word], "id": str(symbols.index(symbols[trace.tokens.source[word].id]))}
    if "tokens.split" in made:
        split = made["tokens.split"]
        assert split["word"] not in [symbol.lstrip("␣▁") for symbol in symbols]
        assert str(split["pieces"]).replace(" · ", "") == split["word"]


def check_neighbours(
    found: Found, hand: ByHand, names: list[str], word: int, source: tuple[int, ...], symbols: list[str]
) -> None:
    order, cosines = hand.neighbours(source[word])
    chance = math.sqrt(2 * math.log(len(symbols)) / 256)
    made = found["vectors"][0]
    if float(cosines[0]) <= chance:
        assert made["vectors.far"]["cosine"] == pytest.approx(float(cosines[0]), abs=1e-5)
        return
    near = [symbols[each].lstrip("␣▁") for each, cosine in zip(order[:3], cosines[:3].tolist(), strict=True) if cosine > chance]
    assert made == {
        "vectors.near": {"token": names[word], "names": " · ".join(near), "cosine": pytest.approx(float(cosines[0]), abs=1e-5)}
    }


def check_attention(found: Found, hand: ByHand, names: list[str], look: Look) -> None:
    here, head = f"encoder.layers.{look.layer}.self_attn", look.head
    scores, weights = hand.scores(here)[head], hand.weights(here)[head]
    places = range(len(names))
    a, b = max(((q, k) for q in places for k in places if q != k), key=lambda pair: float(weights[pair]))  # the marked cell
    made = found["projections"][0]
    assert made["projections.sizes"] == {"d_model": 256, "d_head": D_HEAD, "n_heads": 8}
    if names[a] != names[b]:
        both = made["projections.both_ways"]
        assert (both["a"], both["b"]) == (names[a], names[b])
        assert (both["there"], both["back"]) == pytest.approx((float(scores[a, b]), float(scores[b, a])), abs=1e-3)

    q, k = telling_cell(weights.numpy(), own=True)
    cell = found["weight"][0]["weight.cell"]
    assert (cell["query"], cell["at"], cell["n"], cell["d_head"]) == (names[q], names[k], len(names), D_HEAD)
    wanted = (float(scores[q, k]), float(scores[q, k]) / math.sqrt(D_HEAD), float(weights[q, k]))
    assert (cell["score"], cell["scaled"], cell["weight_share"]) == pytest.approx(wanted, abs=1e-3)
    undivided = float(scores[q].softmax(dim=-1).max())
    said = found["weight"][0].get("weight.undivided")
    if said is not None:
        assert (said["undivided_share"], said["largest_share"]) == pytest.approx((undivided, float(weights[q].max())), abs=1e-4)
        assert undivided > float(weights[q].max())

    check_heads(found["heads"][0], hand.weights(here)[:, a].argmax(dim=-1).tolist(), names, a)


def check_heads(made: Mapping[str, Mapping[str, float | str]], most: list[int], names: list[str], row: int) -> None:
    """`most` [head] is the key with the largest weight in the marked row."""
    told = made.get("heads.differ") or made["heads.same"]
    assert told["token"] == names[row]
    assert told.get("count", 1) == len(set(most))
    if "heads.differ" in made:
        pieces = [pair.rpartition(" (H") for pair in str(told["keys"]).rstrip(")").split(") · ")]
        listed = {(name, int(head)) for name, _, heads in pieces for head in heads.split("·")}
        assert listed == {(names[key], head) for head, key in enumerate(most)}


def check_order(found: Found, model: nn.Module, source: tuple[int, ...]) -> None:
    """Without positions, the same tokens from the last to the first become the same."""
    assert "position.order" in found["position"][0]
    as_read, backward = (translated(model, each, "position") for each in (source, source[::-1]))
    assert as_read.ids == backward.ids and as_read.p == pytest.approx(backward.p, abs=1e-4)


def check_stream(found: Found, hand: ByHand, names: list[str], word: int) -> None:
    made = found["residual"][0]
    said = made.get("residual.evened") or made["residual.norm"]
    before, after = hand.lengths("encoder.layers.2.residual2"), hand.lengths("encoder.norm")
    wanted = [float(each) for each in (before.min(), before.max(), after.min(), after.max())]
    assert [said[key] for key in ("low", "high", "low_after", "high_after")] == pytest.approx(wanted, rel=1e-4)
    assert ("residual.evened" in made) == (wanted[3] / wanted[2] < wanted[1] / wanted[0])

    units = found["feed_forward"][0]["feed_forward.units"]
    assert (units["token"], units["d_ff"]) == (names[word], 1024)
    assert float(units["zeros"]) == hand.zeros(f"encoder.layers.{int(units['layer'])}", word)

    cosines = hand.turned(word)
    further = cosines[0] > cosines[1] > cosines[2]
    made = found["layers"][0]
    assert made["layers.further" if further else "layers.turned"]["cosines"] == " · ".join(f"{each:.2f}" for each in cosines)


def check_choice(found: Found, trace: Trace, hand: ByHand, look: Look) -> None:
    """The step and where cross-attention looks at it; the candidates of the step."""
    made = found["choice"][0]
    said = made.get("choice.first") or made["choice.beam"]
    step = int(said["step"]) - 1
    ids = (*trace_ids(trace), END)
    row = hand.p[step]
    row[[PAD, UNKNOWN, BEGIN]] = 0
    assert (said["n"], said["vocab"]) == (len(ids), len(row))
    assert said["p_share"] == pytest.approx(float(row[ids[step]]), abs=1e-4)
    assert ("choice.first" in made) == (int(row.argmax()) == ids[step])
    row[ids[step]] = 0
    assert said["other_share"] == pytest.approx(float(row.max()), abs=1e-4)
    assert said["other"] == trace.symbols[int(row.argmax())].lstrip("␣▁")

    looks = found["cross"][0]["cross.looks"]
    weights = hand.weights(f"decoder.layers.{look.layer}.cross_attn")[look.head, step]
    assert looks["weight_share"] == pytest.approx(float(weights.max()), abs=1e-4)
    assert looks["at"] == plain(trace)[int(weights.argmax())]
    assert looks["word"] == trace.symbols[ids[step]].lstrip("␣▁")


def check_without(
    found: tuple[Mapping[str, Mapping[str, float | str]], Trace], both: Bilingual, got: object, best: object
) -> None:
    made, trace = found
    lack = trace.experiments["without_part"]
    assert isinstance(lack, Without)
    text, whole = (both.target_text(tuple(each for each in one.ids if each != END)) for one in (got, best))  # type: ignore[attr-defined]
    assert (lack.target, lack.target_whole) == (text, whole)
    assert (lack.p, lack.p_whole) == pytest.approx((got.p, best.p), abs=1e-4)  # type: ignore[attr-defined]
    key = next(key for key in made if key.endswith((".same", ".changed", ".nothing")))
    assert key.rpartition(".")[2] == ("same" if text == whole else "changed" if text else "nothing")
    if key.endswith("changed"):
        assert text.startswith(str(made[key]["without"]).removesuffix("…"))
    if "repeats" in made:
        again, times = str(made["repeats"]["again"]), int(made["repeats"]["times"])
        assert times >= 4 and text.replace(" ", "").endswith(times * again.replace(" ", ""))
    else:
        assert not text.endswith(4 * text[-1:]) or not text


def test_a_word_that_was_taken_because_another_was_closed_says_so(computer: Computer) -> None:
    """The knob forbids to write a word twice; the closed one is named with the model's own probability."""
    wish = Wish.from_preset("translator", "我爱你，你爱我。")
    trace = computer(Request(wish=attrs.evolve(wish, config=wish.config.changed(no_repeat_ngram=1)))).trace
    assert trace.search is not None
    probabilities = trace["generator.probabilities"]
    step = next(at for at, row in enumerate(probabilities) if int(row.argmax()) in trace.search.closed_at(at))
    (fact,) = facts("choice", trace, Look(position=step)) or ()
    assert fact.key == "choice.closed" and fact.values["other_share"] == pytest.approx(float(probabilities[step].max()))
    assert fact.values["other"] == trace.symbols[int(probabilities[step].argmax())].lstrip("␣▁")


def test_a_wrong_claim_would_be_found(computer: Computer, model_of: Callable[[str], nn.Module]) -> None:
    """A translation that is not the model's own is not taken for it."""
    text, model = SENTENCES["translator"][0], model_of("translator")
    found = told(computer, "position", Wish.from_preset("translator", text))
    source = tuple(token.id for token in found[1].tokens.source)
    with pytest.raises(AssertionError):
        both = computer.sources.translator("translator").bilingual
        check_without(found, both, translated(model, source, "feed_forward"), translated(model, source))


def test_nothing_is_claimed_where_the_words_are_not_the_models_own(computer: Computer) -> None:
    """A typed target is no consequence of a part, nor is that of random weights."""
    own = Wish.from_preset("translator", "我爱你。")
    for wish in (attrs.evolve(own, target="I love you."), attrs.evolve(own, trained=False)):
        for kind in FACTS:
            keys, _trace = told(computer, kind, wish)
            assert not [key for key in keys if key.endswith((".same", ".changed", ".nothing", ".beam"))]


def test_a_model_of_one_side_has_no_facts() -> None:
    """Nor a claim about a source that it does not read."""
    for architecture in ("encoder-only", "decoder-only"):
        trace = example(architecture)
        assert [facts(kind, trace, Look()) for kind in FACTS] == [()] * len(FACTS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fact_is_a_sentence_in_both_languages(language: str) -> None:
    """Shares are percentages, texts of strangers are not mark-up."""
    words = Words.load(language)
    fact = Fact(
        "choice.first",
        {"step": 2.0, "n": 3.0, "vocab": 6000.0, "word": "<b>", "p_share": 0.97, "other": "x", "other_share": 0.0001},
    )
    said = facts_html([fact], words)
    assert "97%" in said and "6,000" in said and "&lt;b&gt;" in said and "<b>&lt;0.1%</b>" in said


def test_what_cannot_be_read_is_named(computer: Computer) -> None:
    """A sentence without a Chinese character as a whole, else its unknown tokens."""
    asked = {
        text: unread(computer(Request.from_preset("translator", text)).trace)
        for text in ("I love you.", "我爱龘。", "我爱你。")
    }
    assert asked == {"I love you.": ("I love you.",), "我爱龘。": ("龘",), "我爱你。": ()}
