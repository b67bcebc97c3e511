"""What the model of a training answered at a snapshot, against passes that are made one by one."""

from pathlib import Path

import attrs
import numpy as np
import pytest

import explorer
from explorer.engine.errand import ReadMoments
from explorer.engine.errands.moment_reader import MomentReader
from explorer.engine.sources.source import never
from explorer.engine.sources.sources import Sources
from explorer.presets import load_preset
from explorer.runs.snapshots import moment_name, steps_kept
from explorer.tokens.tokenizer import Tokenizers
from explorer.tokens.vocabulary import END, MASK
from explorer.trace.moments import ModelMoment
from explorer.training.run import Run
from explorer.training.setup import usual_setup
from explorer.training.tasks import answer_of, question

pytestmark = pytest.mark.slow  # models are trained

SMALL = {"n_layers": 1, "n_heads": 2, "d_model": 16, "d_ff": 32, "epochs": 2, "examples": 200, "batch_tokens": 200}
TEXT = "31524=12345"


def moments_of(folder: Path, architecture: str) -> tuple[ModelMoment, ...]:
    """A training of the task sort, as it was at its first and last snapshot."""
    wish = usual_setup(folder, "sort", None, None, {**SMALL, "architecture": architecture})
    run = Run(attrs.evolve(wish, snapshot_mb=1))
    for _ in run.steps():
        pass
    run.finish()
    steps = steps_kept(folder)
    asked = question(TEXT, architecture, answer_of(TEXT, "sort"))
    errand = ReadMoments(preset=str(folder), text=TEXT, asked=asked, steps=(steps[0], steps[-1]))
    reader = MomentReader(Sources(Tokenizers()))
    found = [reader.piece(errand, number, never) for number in range(2)]
    assert all(isinstance(each, ModelMoment) for each in found), found
    return tuple(each for each in found if isinstance(each, ModelMoment))


def likeliest(text: str, preset: str) -> list[int]:
    """[position] the likeliest id after each token, or at it where the model is an encoder."""
    return [int(each) for each in explorer.explore(text, preset=preset)["generator.logits"].argmax(axis=-1)]


def test_a_decoder_goes_on_after_the_separator(tmp_path: Path) -> None:
    """One token at a time, until it writes the end or the answer is as long as answers get."""
    for moment in moments_of(tmp_path, "decoder-only"):
        preset = moment_name(str(tmp_path), moment.step)
        symbols = load_preset(preset).folder.joinpath("source.txt").read_text("utf-8").split("\n")
        written = ""
        while len(written) < 26 and (following := likeliest("31524=" + written, preset)[-1]) != END:
            written += symbols[following]
        assert moment.answer == written
        closed = moment.trace.map("decoder.layers.0.self_attn.weights").closed
        np.testing.assert_array_equal(closed, np.triu(np.ones((len(TEXT), len(TEXT)), bool), 1))  # of the whole row


def test_an_encoder_fills_in_all_masks_at_once(tmp_path: Path) -> None:
    """The answer is what stands in the place of the mask tokens, as in training."""
    asked = "31524=" + 5 * MASK
    for moment in moments_of(tmp_path, "encoder-only"):
        preset = moment_name(str(tmp_path), moment.step)
        symbols = load_preset(preset).folder.joinpath("source.txt").read_text("utf-8").split("\n")
        assert moment.answer == "".join(symbols[each] for each in likeliest(asked, preset)[-5:])
