"""A trained translator: from its folder, through the compute thread's work, into a Trace."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import explorer
from explorer.engine.compute import Computer
from explorer.engine.decoding.beam import Decoding
from explorer.engine.decoding.greedy import greedy
from explorer.engine.request import Request
from explorer.engine.sources import translator as translator_module
from explorer.engine.sources.translator import Translator
from explorer.errors import BadPreset, BadText, BadVocabulary, BadWeights, TooLong
from explorer.lang import LANGUAGES, Words
from explorer.model import weights_file as trained
from explorer.model.ids import ids_tensor
from explorer.model.weights import build
from explorer.presets import FILE, load_preset
from explorer.resources import asset_text
from explorer.stops import Superseded
from explorer.tokens.bilingual import SOURCE_FILE, TARGET_FILE, Bilingual
from explorer.tokens.vocabulary import BEGIN, END, UNKNOWN, Vocabulary
from explorer.trace.changes import Change
from explorer.trace.trace import Trace
from tests.engine.sources.bundles import BILINGUAL, a_bundle, a_translator, config

pytestmark = pytest.mark.slow  # translations of the trained model


@pytest.fixture
def name(tmp_path: Path) -> str:
    """The preset of a tiny translator."""
    return a_bundle(tmp_path)


def request(name: str, text: str = "我爱北京", **fields: object) -> Request:
    knobs = fields.pop("knobs", {})
    return Request.from_preset(name, text, **knobs).wishing(**fields)


def ids(*words: str) -> tuple[int, ...]:
    return tuple(BILINGUAL.source.id_of(word) or UNKNOWN for word in words)


# Loading


def test_a_greedy_translation_is_guessed_from_greedy_ones_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wide search often finds another sentence."""
    computer = Computer()
    off = Change("decoder.layers.0.cross_attn.mixed", "scale", head=0, value=-9.0)
    drafts: list[tuple[int, ...]] = []

    def listening(*args: Any) -> object:
        drafts.append(args[4])
        return greedy(*args)

    monkeypatch.setattr("explorer.engine.sources.translator.greedy", listening)
    plain = computer(request(name)).trace.search.best
    computer(request(name, beam=4))
    changed = computer(request(name, changes=(off,))).trace.search.best
    computer(request(name, "我爱狗"))

    assert [(), plain, changed] == drafts


def test_a_folder_becomes_the_model_that_was_saved(tmp_path: Path) -> None:
    """Half precision, widened."""
    translator = a_translator(tmp_path)
    state = translator.model(config()).state_dict()

    for stored, tensor in load_file(tmp_path / trained.FILE).items():
        assert tensor.dtype == torch.float16
        assert torch.equal(state[stored], tensor.float())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("side", [SOURCE_FILE, TARGET_FILE])
def test_a_vocabulary_of_another_size_is_refused(tmp_path: Path, side: str, language: str) -> None:
    """With both numbers."""
    name = a_bundle(tmp_path)
    path = tmp_path / side
    path.write_text(path.read_text(encoding="utf-8") + "more\n", encoding="utf-8")
    with pytest.raises(BadVocabulary) as caught:
        Translator(load_preset(name))

    sentence = Words.load(language).error(caught.value)
    count = len(BILINGUAL.source if side == SOURCE_FILE else BILINGUAL.target)
    assert str(path) in sentence
    assert f"{count + 1} ≠ {count}" in sentence


def test_a_vocabulary_of_the_same_size_with_other_symbols_is_refused(tmp_path: Path) -> None:
    """It would translate fluently and wrong. Files that tell nothing about their symbols are taken as they are."""
    name = a_bundle(tmp_path)
    symbols = list(BILINGUAL.source.symbols)
    symbols[4:6] = reversed(symbols[4:6])
    Bilingual(Vocabulary(tuple(symbols)), BILINGUAL.target).write(tmp_path)
    with pytest.raises(BadVocabulary, match="SHA-256"):
        Translator(load_preset(name))

    trained.write_tensors(tmp_path / trained.FILE, load_file(tmp_path / trained.FILE), {"note": json.dumps("old")})
    Translator(load_preset(name))


@pytest.mark.parametrize(
    ("file", "content", "kind"),
    [
        (trained.FILE, b"half", BadWeights),
        (trained.FILE, None, BadWeights),
        (SOURCE_FILE, b"\xff", BadVocabulary),
        (TARGET_FILE, None, BadVocabulary),
        (FILE, b"[[[", BadPreset),
    ],
)
def test_a_damaged_folder_is_told_and_the_computer_lives_on(
    tmp_path: Path, computer: Computer, file: str, content: bytes | None, kind: type[Exception]
) -> None:
    """Other presets still work, and so does this one as soon as it is whole again."""
    name = a_bundle(tmp_path)
    whole = (tmp_path / file).read_bytes()
    (tmp_path / file).unlink()
    if content is not None:
        (tmp_path / file).write_bytes(content)
    with pytest.raises(kind) as caught:
        computer(request(name))

    assert all(str(tmp_path / file) in Words.load(language).error(caught.value) for language in LANGUAGES)
    assert computer(Request.from_preset("tiny", "我爱北京")).trace.target == "我爱北京"
    (tmp_path / file).write_bytes(whole)
    assert computer(request(name)).trace.trained


# Translating


def test_a_translation_is_read_from_the_best_sentence(tmp_path: Path) -> None:
    """As plain text."""
    translator = a_translator(tmp_path)
    source = ids("我", "爱", "北京")
    found = translator.search(source, config(), Decoding(beam=3))

    assert translator.translate(source, 3) == BILINGUAL.target_text(found.best)


def test_the_last_searches_are_remembered_by_all_that_decides_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Source, Config and decoding: a slider that changes any of them searches anew."""
    translator = a_translator(tmp_path)
    searched: list[object] = []
    for name in ("greedy", "search"):
        whole: Callable[..., Any] = getattr(translator_module, name)

        def counted(*given: object, whole: Callable[..., Any] = whole) -> Any:
            searched.append(given)
            return whole(*given)

        monkeypatch.setattr(translator_module, name, counted)
    one = (ids("我"), config(), Decoding())
    found = [translator.search(*one) for _ in range(3)]
    assert (len(searched), found[1] is found[0], found[2] is found[0]) == (1, True, True)

    for other in (
        (ids("你"), *one[1:]),
        (one[0], config(temperature=2), one[2]),
        (*one[:2], Decoding(beam=2)),
        (*one[:2], Decoding(prefix=(270,))),
    ):
        translator.search(*other)
    assert len(searched) == 5
    translator.search(*one)
    assert len(searched) == 5

    for more in range(1, 33):
        translator.search(one[0], config(temperature=2 + more / 100), one[2])
    translator.search(*one)
    assert len(searched) == 5 + 32 + 1  # the oldest was forgotten


def test_forward_knobs_act_on_the_trained_weights_and_can_be_taken_back(tmp_path: Path) -> None:
    """The weights are the same afterwards."""
    translator = a_translator(tmp_path)
    before = {name: value.clone() for name, value in translator.model(config()).state_dict().items()}
    first = translator.search(ids("我", "爱"), config(), Decoding(beam=2))
    other = translator.search(ids("我", "爱"), config(temperature=3, norm_placement="post"), Decoding(beam=2))
    again = translator.search(ids("我", "爱"), config(), Decoding(beam=2))

    assert first == again != other
    assert all(torch.equal(value, before[name]) for name, value in translator.model(config()).state_dict().items())


def test_dropout_while_translating_has_its_own_seed(tmp_path: Path) -> None:
    """The same seed says the same, and torch's own random numbers stay where they were."""
    translator = a_translator(tmp_path)
    before = torch.get_rng_state()
    active = config(dropout=0.5, dropout_active=True)
    one, two = (translator.search_all([ids("我", "爱")], active, Decoding(beam=2)) for _ in range(2))

    assert one == two
    assert torch.equal(torch.get_rng_state(), before)
    assert one != translator.search_all([ids("我", "爱")], active.changed(dropout_seed=5), Decoding(beam=2))


def test_a_stopped_search_is_superseded_and_not_remembered(tmp_path: Path) -> None:
    """The next one is whole."""
    translator = a_translator(tmp_path)
    with pytest.raises(Superseded):
        translator.search(ids("我"), config(), Decoding(), lambda: True)

    assert translator.search(ids("我"), config(), Decoding()).ends


# Through the compute thread's work


def test_a_trace_shows_the_models_own_translation(name: str, computer: Computer) -> None:
    """Its tokens begin with the begin symbol, its probabilities are those of the search."""
    trace = computer(request(name, beam=3)).trace
    best = trace.search.path(trace.search.ends[0])

    assert trace.trained
    assert [token.id for token in trace.tokens.target] == [BEGIN, *trace.search.best]
    assert trace.target == BILINGUAL.target_text(trace.search.best)
    assert trace.expected == (*trace.search.best, END)
    assert trace.symbols == BILINGUAL.target.symbols
    logits = trace["generator.logits"].astype(np.float64)
    log_p = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    said = [trace.search.nodes[node] for node in best]
    assert [node.log_p for node in said] == pytest.approx([log_p[place, node.id] for place, node in enumerate(said)], abs=1e-4)


def test_a_trace_computes_what_the_saved_weights_compute(name: str, tmp_path: Path, computer: Computer) -> None:
    """A pass by hand over the same ids."""
    trace = computer(request(name)).trace
    model = build(config(), trained.load_weights(tmp_path / trained.FILE, config()))
    sides = (ids_tensor(tuple(token.id for token in side)) for side in (trace.tokens.source, trace.tokens.target))

    np.testing.assert_allclose(trace["generator.logits"], model(*sides)[0].numpy(), atol=1e-5)


def test_the_trace_of_a_translation_comes_back_from_its_file(name: str, tmp_path: Path, computer: Computer) -> None:
    """With its whole search."""
    trace = computer(request(name, beam=4)).trace
    trace.save(tmp_path / "x.npz")
    again = Trace.load(tmp_path / "x.npz")

    assert (again.search, again.trained, again.tokens, again.target) == (trace.search, True, trace.tokens, trace.target)
    assert again.expected == trace.expected


def test_traditional_text_is_translated_like_simplified(name: str, computer: Computer) -> None:
    """It keeps its own characters on screen."""
    simplified, traditional = (computer(request(name, text)).trace for text in ("我爱图书馆", "我愛圖書館"))

    assert "".join(token.text for token in traditional.tokens.source) == "我愛圖書館"
    assert [token.id for token in traditional.tokens.source] == [token.id for token in simplified.tokens.source]
    assert traditional.search == simplified.search
    assert all(token.known for token in traditional.tokens.source)


def test_a_target_of_ones_own_is_cut_and_not_searched_for(name: str, computer: Computer) -> None:
    """The begin symbol stands before it."""
    trace = computer(request(name, target="I a, I.")).trace

    assert [token.text for token in trace.tokens.target] == ["<bos>", "␣I", "␣a", ",", "␣I", "."]
    assert trace.search is None
    assert trace.trained


def test_a_prefix_opens_the_translation(name: str, computer: Computer) -> None:
    """Chosen in the tree: the search goes on from there."""
    prefix = tuple(BILINGUAL.target.id_of(symbol) for symbol in ("␣you", "␣love"))
    trace = computer(request(name, prefix=prefix, beam=2)).trace

    assert trace.search.best[:2] == prefix
    assert trace.target.startswith("you love")
    assert [node.forced for node in trace.search.nodes][:3] == [True, True, False]


@pytest.mark.parametrize("fields", [{"trained": False}, {"knobs": {"n_layers": 2}}, {"knobs": {"seed": 3}}], ids=str)
def test_fresh_weights_are_shown_with_what_the_trained_ones_said(
    name: str, computer: Computer, fields: dict[str, object]
) -> None:
    """All else is equal; nothing was searched for with them."""
    own, fresh = computer(request(name)).trace, computer(request(name, **fields)).trace

    assert (fresh.trained, fresh.search) == (False, None)
    assert fresh.tokens == own.tokens
    assert (fresh["generator.logits"] != own["generator.logits"]).any()


def test_a_slider_back_finds_the_trained_weights(name: str, computer: Computer) -> None:
    """To the bit."""
    before = computer(request(name)).trace
    computer(request(name, knobs={"n_layers": 2}))
    computer(request(name, knobs={"temperature": 2.0}))
    after = computer(request(name)).trace

    assert (before["generator.logits"] == after["generator.logits"]).all()


@pytest.mark.parametrize("text", ["", " \n", "我\x00", "\ud800"])
def test_a_text_that_cannot_be_worked_on_is_told(name: str, computer: Computer, text: str) -> None:
    """As without a translator."""
    with pytest.raises(BadText):
        computer(request(name, text))


def test_a_source_with_more_tokens_than_places_is_too_long(name: str, computer: Computer) -> None:
    """One more is too many; as many as there are places is not."""
    assert len(computer(request(name, "猫" * 24)).trace.tokens.source) == 24
    with pytest.raises(TooLong):
        computer(request(name, "猫" * 25))


@pytest.mark.parametrize("text", ["🦄龘\u200b", "a", "\u200b", "．", "🇨🇳" * 3])
def test_any_text_has_a_translation(name: str, computer: Computer, text: str) -> None:
    """Unknown through and through."""
    trace = computer(request(name, text)).trace

    assert trace.tokens.source
    assert all(np.isfinite(trace["generator.logits"]).flatten())


LOOPS = "三把叉子是一家供应啤酒的酒吧，其目标客户是旅行者。"


def test_the_bundled_translator_repeats_no_trigram_and_an_altered_one_shows_what_it_writes() -> None:
    """In the window, on the command line and in the library alike; with the knob at 0 it goes round in circles."""
    looping, asked = "the goals are the goals of the goals", Request.from_preset("translator", LOOPS).wishing(beam=4)
    whole = Computer()(asked).trace
    assert looping not in whole.target and any(node.closed for node in whole.search.nodes)  # type: ignore[union-attr]
    assert whole.target == explorer.translate(LOOPS, beam=4)
    change = Change("decoder.layers.0.cross_attn.mixed", "scale", head=0, value=0.999)
    knobs = ({"no_repeat_ngram": 0}, {"temperature": 1.001})
    altered = [{"config": asked.wish.config.changed(**each)} for each in knobs]
    for fields in (*altered, {"changes": (change,)}):
        trace = Computer()(asked.wishing(**fields)).trace
        assert looping in trace.target and not any(node.closed for node in trace.search.nodes)  # type: ignore[union-attr]


def test_what_the_knob_for_no_positions_promises() -> None:
    """The sentence of its hint is a row of the bundled file, and never comes to an end without positions; others stay, as
    the hint says too."""
    rows = asset_text("presets/translator/held-out.tsv").split("\n")
    assert any(row.split("\t")[1:2] == ["不要放弃！"] for row in rows)
    assert all("不要放弃！" in Words.load(language)("knob.position.hint") for language in LANGUAGES)
    for text, with_positions, starts in (("不要放弃！", "Don't give up!", "Don't give up! Don't give up! Don't give up!"),):
        assert explorer.explore(text).target == with_positions
        assert explorer.explore(text, position="none").target.startswith(starts)
    assert explorer.explore("谢谢。").target == explorer.explore("谢谢。", position="none").target
