"""Sentences that a model can hardly know, and those that it knows."""

import math
from pathlib import Path

import attrs
import numpy as np
import pytest

import explorer
from explorer.api.lending import alone
from explorer.engine.request import Request
from explorer.presets import load_preset, preset_names
from explorer.state.wish import Wish
from explorer.trace.found.doubts import LEAST_P, Doubt, broken, doubts, language_read, mean_p
from explorer.trace.measures.measures import log_p
from explorer.trace.trace import Trace
from tests.engine.sources.bundles import an_english_preset


def searched(text: str, beam: int = 4, **fields: object) -> Trace:
    """The pass of the bundled translator as the window asks for it."""
    with alone() as computer:
        return computer(Request(wish=attrs.evolve(Wish.from_preset("translator", text), beam=beam, **fields))).trace


def test_a_usual_sentence_raises_no_doubt() -> None:
    """The sentence that the program opens with, and one with a name in Latin letters that the vocabulary has."""
    assert doubts(searched("我爱北京天安门。")) == doubts(searched("Tom喜欢我。")) == ()


def test_a_character_that_the_vocabulary_lacks_is_named_once() -> None:
    """龘 stands twice in the sentence and once in the reason."""
    first = doubts(searched("龘爱龘"))[0]

    assert first == Doubt("unknown", ("龘",))


def test_a_latin_word_that_falls_apart_is_named() -> None:
    """ChatGPT becomes seven letters, each of which the vocabulary has."""
    trace = searched("ChatGPT 是什么？")

    assert all(token.known for token in trace.tokens.source)
    assert doubts(trace)[0] == Doubt("letters", ("ChatGPT",))


def test_a_chinese_word_that_falls_apart_is_no_doubt_by_itself() -> None:
    """Two sentences in five have one: 夜光杯 is cut into characters like them."""
    trace = searched("我喜欢夜光杯。")

    assert broken(trace.tokens.source)
    assert all(doubt.kind == "unsure" for doubt in doubts(trace))


def test_a_translation_of_small_probability_is_doubted() -> None:
    """The mean is that of the output's own numbers, and lies below the threshold for a bridge that was never seen."""
    trace = searched("南京市长江大桥")
    logs = log_p(trace["generator.logits"], np.array(trace.expected))

    assert mean_p(trace) == pytest.approx(math.exp(logs.mean()), rel=1e-5) and mean_p(trace) < LEAST_P
    assert [doubt.kind for doubt in doubts(trace)] == ["unsure"]


def test_a_greedy_translation_and_a_typed_target_are_not_judged() -> None:
    """The search may still find a better one, and a target says nothing about what the model knows."""
    greedy, typed = searched("南京市长江大桥", beam=1), searched("南京市长江大桥", target="A bridge.")

    assert math.isnan(mean_p(greedy)) and math.isnan(mean_p(typed))
    assert doubts(greedy) == doubts(typed) == ()


def test_given_words_do_not_count() -> None:
    """Of a translation that has to begin with some words, the mean is over those that the model chose."""
    trace = searched("我爱你。")
    given = searched("我爱你。", prefix=trace.expected[:1])
    logs = log_p(given["generator.logits"], np.array(given.expected))[1:]

    assert mean_p(given) == pytest.approx(math.exp(logs.mean()), rel=1e-5)


ENGLISH, CHINESE = "The animal did not cross the street.", "我爱北京。"


def test_english_is_what_a_model_of_chinese_does_not_read() -> None:
    """That alone is said, and not each of its words; the language model says the same."""
    assert [doubt.kind for doubt in doubts(searched(ENGLISH))][:1] == ["reads_chinese"]
    assert doubts(explorer.explore(ENGLISH, preset="language-model")) == (Doubt("reads_chinese"),)
    assert not any(doubt.kind in ("letters", "unknown") for doubt in doubts(searched(ENGLISH)))


@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only"])
def test_chinese_is_what_a_model_of_english_does_not_read(tmp_path: Path, architecture: str) -> None:
    """Each of its characters is three bytes. An English word may fall apart: all do, in a way; and so may one Chinese word."""
    preset = an_english_preset(tmp_path, architecture)

    def kinds(text: str, **knobs: str) -> list[str]:
        trace = explorer.explore(text, preset=preset, **knobs)
        assert language_read(trace) == "en"
        return [doubt.kind for doubt in doubts(trace)]

    assert kinds(CHINESE) == kinds(f"{CHINESE} I") == ["reads_english"]
    assert kinds(ENGLISH) == kinds(ENGLISH, tokenizer="spaces") == kinds(f"{ENGLISH} 我") == kinds("🙂🙂") == []


@pytest.mark.parametrize("preset", [name for name in preset_names() if load_preset(name).folder or name == "tiny"])
def test_a_pass_tells_which_language_its_model_reads(preset: str) -> None:
    """As the preset's file does: what a model writes tells it. Digits and random weights are of no language."""
    text = load_preset(preset).text
    assert language_read(explorer.explore(text, preset=preset)) == load_preset(preset).reads


def test_a_model_of_digits_reads_no_language() -> None:
    """Letters are unknown to it, and that is all."""
    for text in ("hello", "你好吗"):
        assert [doubt.kind for doubt in doubts(explorer.explore(text, preset="sort"))] == ["unknown"]


def test_rare_characters_are_not_another_language() -> None:
    """A Chinese text is one, also where most of it is unknown; one in another script is none."""
    assert [doubt.kind for doubt in doubts(searched("龘龘龘"))][:1] == ["unknown"]
    assert [doubt.kind for doubt in doubts(searched("Я люблю кошек."))][:1] == ["reads_chinese"]


def test_of_untrained_weights_nothing_is_said() -> None:
    """They know no sentence at all, even if a word is not in the vocabulary."""
    trace = explorer.explore("龘爱龘", preset="tiny")

    assert any(not token.known for token in trace.tokens.source) and doubts(trace) == ()


def test_a_model_of_others_is_asked_for_unknown_tokens_alone() -> None:
    """Its alphabet and its thresholds are its own; a trace without a Config stands for it."""
    trace = searched("龘和 ChatGPT")
    other = attrs.evolve(trace, config=None, card=trace.card)

    assert [doubt.kind for doubt in doubts(trace)][:2] == ["unknown", "letters"]
    assert [doubt.kind for doubt in doubts(other)] == ["unknown"]
