"""A preset with a trained language model: what it shows of a text, with its own weights and with others."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import explorer
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.engine.sources.predicting import Predicting
from explorer.engine.sources.trained import Trained
from explorer.errors import BadVocabulary, NotATranslator
from explorer.lang import LANGUAGES, Words
from explorer.model.weights_file import FILE, read_tensors
from explorer.presets import load_preset
from explorer.state.wish import Wish
from explorer.tokens.bilingual import SOURCE_FILE
from tests.engine.sources.bundles import a_bundle, a_language_model

Numbers = NDArray[np.float64]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def logits_of(folder: Path, ids: list[int], n_layers: int, n_heads: int) -> Numbers:
    """[position, vocab] a pre-norm decoder in float64, written down from the paper's formulas and the names of the file."""
    W = {name: tensor.double().numpy() for name, tensor in read_tensors(folder / FILE).items()}
    table = W["decoder.embedding.look_up.weight"]
    n, d = len(ids), table.shape[1]

    def linear(x: Numbers, name: str) -> Numbers:
        return np.asarray(x @ W[f"{name}.weight"].T + W[f"{name}.bias"])

    def norm(x: Numbers, name: str) -> Numbers:
        centred = x - x.mean(axis=-1, keepdims=True)
        return np.asarray(
            centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * W[f"{name}.weight"] + W[f"{name}.bias"]
        )

    angles = np.arange(n)[:, None] / 10000 ** (np.arange(d) // 2 * 2 / d)
    x = table[ids] * np.sqrt(d) + np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))
    for layer in (f"decoder.layers.{i}" for i in range(n_layers)):
        h = norm(x, f"{layer}.around_self.normalize")
        q, k, v = (
            linear(h, f"{layer}.self_attn.project_{name}").reshape(n, n_heads, -1).swapaxes(0, 1)
            for name in ("query", "key", "value")
        )
        scores = np.where(np.tri(n, dtype=bool), q @ k.swapaxes(1, 2) / np.sqrt(d / n_heads), -np.inf)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        x = x + linear((weights @ v).swapaxes(0, 1).reshape(n, d), f"{layer}.self_attn.project_output")
        h = norm(x, f"{layer}.around_feed.normalize")
        x = x + linear(np.maximum(linear(h, f"{layer}.feed_forward.expand"), 0), f"{layer}.feed_forward.contract")
    x = norm(x, "decoder.normalize")
    return np.asarray(x @ table.T + W["generator.project.bias"])


def test_the_recorded_logits_are_those_of_the_formulas(tmp_path: Path) -> None:
    """Against a pass in NumPy with float64, from the numbers in the file; with one head more or less they would differ."""
    trace = explorer.explore("我爱图书馆的猫。", preset=a_language_model(tmp_path))
    ids = [token.id for token in trace.tokens.target]
    wanted = logits_of(tmp_path, ids, n_layers=2, n_heads=2)

    np.testing.assert_allclose(trace["generator.logits"], wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())
    assert np.abs(trace["generator.logits"] - logits_of(tmp_path, ids, n_layers=2, n_heads=4)).max() > 1e-3


def test_words_without_a_symbol_are_cut_into_characters(tmp_path: Path) -> None:
    """By the preset's own vocabulary; traditional characters are looked up in their usual form."""
    trace = explorer.explore("我愛書", preset=a_language_model(tmp_path))

    assert [(token.text, token.known) for token in trace.tokens.target] == [("我", True), ("愛", True), ("書", True)]
    assert [trace.symbols[token.id] for token in trace.tokens.target] == ["我", "爱", "书"]
    assert (trace.tokens.source, trace.trained, trace.expected, trace.target) == ((), True, (), "我愛書")


def test_random_weights_are_shown_the_same_tokens(tmp_path: Path) -> None:
    """The switch turns the weights alone."""
    preset = a_language_model(tmp_path)
    learned, random = (explorer.explore("我爱北京", preset=preset, trained=trained) for trained in (True, False))

    assert (learned.trained, random.trained) == (True, False)
    assert learned.tokens == random.tokens and learned.symbols == random.symbols
    assert not np.allclose(learned["generator.logits"], random["generator.logits"])


def test_a_knob_of_the_pass_keeps_the_trained_weights(tmp_path: Path) -> None:
    """And going back gives the same numbers again."""
    preset = a_language_model(tmp_path)
    before = explorer.explore("我爱北京", preset=preset)
    sharp = explorer.explore("我爱北京", preset=preset, temperature=0.5)
    after = explorer.explore("我爱北京", preset=preset)

    assert sharp.trained and not np.array_equal(sharp["generator.logits"], before["generator.logits"])
    np.testing.assert_array_equal(after["generator.logits"], before["generator.logits"])


@pytest.mark.parametrize(
    ("knobs", "source", "target"),
    [
        ({"architecture": "encoder-only"}, ["我", "爱", "猫"], []),
        ({"architecture": "encoder-decoder"}, ["我", "爱", "猫"], ["我", "爱", "猫"]),
        ({"n_layers": 3}, [], ["我", "爱", "猫"]),
        ({"vocabulary": "sentence"}, [], ["我爱猫"]),
    ],
    ids=str,
)
def test_another_shape_has_random_weights(
    tmp_path: Path, knobs: dict[str, object], source: list[str], target: list[str]
) -> None:
    """A shape with two sides is given the text on both. The text as its own vocabulary is cut by jieba alone."""
    trace = explorer.explore("我爱猫", preset=a_language_model(tmp_path), **knobs)

    assert not trace.trained
    assert [token.text for token in trace.tokens.source] == source
    assert [token.text for token in trace.tokens.target] == target


def test_a_target_of_its_own_vocabulary_size_has_no_symbol_beyond_it(tmp_path: Path) -> None:
    """A typed target is cut as the text is; what lies beyond the smaller vocabulary is unknown."""
    trace = explorer.explore(
        "我爱猫", "我看他", preset=a_language_model(tmp_path), architecture="encoder-decoder", target_vocab_size=16
    )

    assert [(token.text, token.known) for token in trace.tokens.target] == [("我", True), ("看", True), ("他", False)]
    assert len(trace.symbols) == 16


def test_effects_lens_and_batch_reach_a_language_model(tmp_path: Path) -> None:
    """Every experiment that a decoder by itself has taps for."""
    preset = a_language_model(tmp_path)
    trace = explorer.explore("我爱北京", preset=preset)
    found = explorer.ablate("我爱北京", preset=preset)
    lens = explorer.lens("我爱北京", preset=preset)

    assert found.heads.shape == (1, 2, 2, len(trace.tokens.target) - 1) and np.isfinite(found.heads).all()
    np.testing.assert_allclose(lens.probabilities[-1, :, 0], trace["generator.probabilities"].max(axis=1), rtol=1e-4)
    frame = Computer()(Request(wish=Wish.from_preset(preset, "我爱北京")).wishing(batch=("你爱猫",)))
    assert frame.trace.trained


def test_the_source_of_the_preset_reads_and_never_translates(tmp_path: Path) -> None:
    """One model is kept; a translator's place is taken by it."""
    language, translator = a_language_model(_made(tmp_path / "a")), a_bundle(_made(tmp_path / "b"))
    computer = Computer()

    assert isinstance(computer.sources.of(Wish.from_preset(language, "我")), Predicting)
    assert type(computer.sources.trained(language)) is Trained
    assert computer.sources.trained(language) is computer.sources.trained(language)
    assert computer.sources.translator(translator) is not None
    with pytest.raises(NotATranslator) as caught:
        computer.sources.translator(language)
    assert [Words.load(name).error(caught.value) != "" for name in LANGUAGES] == [True, True]
    assert not Wish.from_preset(language, "我").searches
    assert not load_preset(language).translates and load_preset(translator).translates


def test_a_vocabulary_of_other_weights_is_refused(tmp_path: Path) -> None:
    """By its size, or by the name in the weights' header."""
    preset = a_language_model(tmp_path)
    path = tmp_path / SOURCE_FILE
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace("猫", "狗"), encoding="utf-8")
    with pytest.raises(BadVocabulary, match="SHA-256"):
        Trained(load_preset(preset))
    path.write_text(whole + "狗\n", encoding="utf-8")
    with pytest.raises(BadVocabulary, match="≠"):
        Trained(load_preset(preset))
