"""A tiny translator on disk, made in a moment: random weights, vocabularies of a few words."""

from pathlib import Path

from explorer.config import Config
from explorer.engine.sources.translator import Translator
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from explorer.model.weights_file import VOCABULARY
from explorer.presets import load_preset
from explorer.tokens.bilingual import Bilingual
from explorer.tokens.bpe import BYTES
from explorer.tokens.vocabulary import END, SPECIALS, Vocabulary
from explorer.training.bundle import write_bundle
from tests.model.models import randomized

SOURCE = ("我", "爱", "北京", "图书馆", "图", "书", "馆", "天安门", "猫", "。", "看", "你", "他")
TARGET = ("␣", *"aeghinov", "␣I", "␣love", "␣you", "␣cats", "ing", ".", ",", "␣the", "␣a")
BILINGUAL = Bilingual(Vocabulary((*SPECIALS, *SOURCE)), Vocabulary((*SPECIALS, *BYTES, *TARGET)))


def config(**knobs: object) -> Config:
    return Config().changed(
        **{
            "n_layers": 1,
            "n_heads": 2,
            "d_model": 16,
            "d_ff": 32,
            "max_len": 24,
            "vocab_size": len(BILINGUAL.source),
            "target_vocab_size": len(BILINGUAL.target),
            **knobs,
        }
    )


def a_model(own: Config) -> Transformer:
    """Its sentences end soon, and words are likelier than bytes."""
    model = randomized(build(own))
    model.generator.project.bias[END] += 2
    model.generator.project.bias[len(SPECIALS) + len(BYTES) :] += 3
    return model  # type: ignore[return-value]


def a_bundle(folder: Path, **knobs: object) -> str:
    """Write the translator's folder; its path is the preset's name."""
    own = config(**knobs)
    about = {VOCABULARY: BILINGUAL.sha256}
    write_bundle(folder, dict(a_model(own).named_parameters()), own, BILINGUAL, "我爱北京", about)
    return str(folder)


ENGLISH = Bilingual(
    Vocabulary(
        (
            *SPECIALS,
            *BYTES,
            "␣",
            *"abcdefghijklmnopqrstuvwxyz",
            "␣i",
            "ov",
            "ove",
            "love",
            "␣love",
            "␣c",
            "␣ca",
            "␣cat",
            ".",
            "'",
        )
    ),
    Vocabulary((*SPECIALS, *SOURCE)),
)


def an_english_preset(folder: Path, architecture: str = "encoder-decoder", **knobs: object) -> str:
    """Write the folder of a translator from English or of a language model of it; its path is the preset's name."""
    folder.mkdir(exist_ok=True)
    alone = architecture == "decoder-only"
    both = Bilingual.shared(ENGLISH.source) if alone else ENGLISH
    sizes = {"vocab_size": len(both.source), "target_vocab_size": 0 if alone else len(both.target)}
    own = config(**{"architecture": architecture, "tokenizer": "bpe", "tied_embeddings": True, "max_len": 60, **sizes, **knobs})
    model = randomized(build(own))
    write_bundle(folder, dict(model.named_parameters()), own, both, "I love cats.", {VOCABULARY: both.sha256})  # type: ignore[arg-type]
    return str(folder)


def a_translator(folder: Path, **knobs: object) -> Translator:
    return Translator(load_preset(a_bundle(folder, **knobs)))


def a_language_model(folder: Path, **knobs: object) -> str:
    """Write the folder of a language model; its path is the preset's name. Its last symbols are words of two characters."""
    own = config(**{"architecture": "decoder-only", "target_vocab_size": 0, "tied_embeddings": True, "n_layers": 2, **knobs})
    one = Bilingual.shared(BILINGUAL.source)
    model = randomized(build(own))
    write_bundle(folder, dict(model.named_parameters()), own, one, "我爱北京", {VOCABULARY: one.sha256})  # type: ignore[arg-type]
    return str(folder)
