"""The bundled language model: the very weights that its README speaks of, and what they say of rows that nobody trained on."""

import hashlib
import math

import numpy as np
import pytest
import torch

import explorer
from explorer import resources
from explorer.engine.sources.trained import Trained
from explorer.model.weights_file import FILE
from explorer.presets import load_preset
from explorer.resources import asset
from explorer.tokens.segment import Segmenter
from explorer.tokens.vocabulary import END, UNKNOWN
from explorer.training.corpus import read_corpus
from explorer.training.prepare import text_example
from tests.engine.sources.test_predicting import logits_of

pytestmark = pytest.mark.slow  # the trained model

PRESET = "language-model"
SHA256 = "880859c0166d4655148fff29e0ec1c4588e800610756d022f95c2c475fb9a43c"
FOLDER = asset(f"presets/{PRESET}")
SENTENCE = "冬天来了，天气越来越"


def test_the_weights_are_those_of_the_readme() -> None:
    """By their hash, which stands in the README too; the file is smaller than 12 MB."""
    path = FOLDER / FILE

    assert hashlib.sha256(path.read_bytes()).hexdigest() == SHA256
    assert SHA256 in (FOLDER / "README.md").read_text(encoding="utf-8")
    assert path.stat().st_size < 12e6


def test_its_logits_are_those_of_the_formulas() -> None:
    """The recorded pass against float64 in NumPy, from the numbers in the file."""
    trace = explorer.explore(SENTENCE, preset=PRESET)
    ids = [token.id for token in trace.tokens.target]
    wanted = logits_of(FOLDER, ids, n_layers=3, n_heads=6)

    assert trace.trained and all(token.known for token in trace.tokens.target)
    np.testing.assert_allclose(trace["generator.logits"], wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())


def test_held_out_rows_are_as_probable_as_they_were() -> None:
    """Two hundred validation rows of the pair file, one at a time; the recorded logits of one of them say the same."""
    predictor = Trained(load_preset(PRESET))
    model, segmenter = predictor.model(predictor.preset.config), Segmenter(resources.cache_folder())
    texts = [source for source, _target in read_corpus(asset("presets/translator/held-out.tsv")).valid[::10]]
    total = n_tokens = n_unknown = 0.0
    for text in texts:
        row = text_example(text, predictor.bilingual, segmenter).whole()
        with torch.inference_mode():
            logits = model(None, torch.tensor([row.given]))[0]
        total += float(torch.nn.functional.cross_entropy(logits, torch.tensor(row.expected), reduction="sum"))
        n_tokens += len(row.expected)
        n_unknown += row.expected.count(UNKNOWN)

    assert len(texts) == 200 and n_unknown / n_tokens < 0.01
    assert math.exp(total / n_tokens) == pytest.approx(44.7, rel=0.01)
    ids = text_example(texts[0], predictor.bilingual, segmenter).whole()
    trace = explorer.explore(texts[0], preset=PRESET)
    assert tuple(token.id for token in trace.tokens.target) == ids.given
    by_hand = trace["generator.logits"].astype(np.float64)
    by_hand -= np.log(np.exp(by_hand).sum(axis=1, keepdims=True))
    with torch.inference_mode():
        logits = model(None, torch.tensor([ids.given]))[0]
    nats = float(torch.nn.functional.cross_entropy(logits, torch.tensor(ids.expected), reduction="sum"))
    assert -by_hand[np.arange(len(ids.expected)), ids.expected].sum() == pytest.approx(nats, rel=1e-4)


def test_it_knows_that_sentences_end() -> None:
    """After a full stop, the end is what it finds likeliest."""
    trace = explorer.explore("我爱北京。", preset=PRESET)

    assert int(trace["generator.logits"][-1].argmax()) == END
