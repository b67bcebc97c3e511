"""From sentences to a preset that says what comes next."""

import json
import math
import random
from pathlib import Path

import attrs
import pytest
import torch
from safetensors.torch import load_file

import explorer
from explorer.config import Config
from explorer.errors import BadCheckpoint, EmptySplit, NotATranslator, SentencesNeedOneSide
from explorer.lang import LANGUAGES, Words
from explorer.model import weights_file as trained
from explorer.model.weights import build
from explorer.presets import load_preset
from explorer.tokens.bilingual import Bilingual
from explorer.tokens.vocabulary import END
from explorer.training.batches import BatchRow, TextExample, batch_of
from explorer.training.lens_fit import Fitting, LensFitter
from explorer.training.loss import log_probabilities
from explorer.training.run import Run
from explorer.training.setup import TrainingSetup
from explorer.training.teach import Teacher, Teaching
from tests.training.runs import CHECKPOINTS, PAIRS, RECIPE, assert_equal, data_file, steps_of

pytestmark = pytest.mark.slow  # models are trained

CONFIG = Config(
    architecture="decoder-only", n_layers=1, n_heads=2, d_model=16, d_ff=32, max_len=40, vocab_size=100, tied_embeddings=True
)
FURTHER = ("我們爱看书。", "他們在图书馆找猫。", "我爱北京。", "我愛書。")


def wish(folder: Path, **recipe: object) -> TrainingSetup:
    """A whole training that takes a second, on pairs and further sentences."""
    folder.mkdir(exist_ok=True)
    sentences = folder / "more.tsv"
    sentences.write_text("".join(f"1\tcmn\t{text}\n" for text in FURTHER), encoding="utf-8")
    return TrainingSetup(
        data=data_file(folder / "x.tsv"),
        sentences=sentences,
        out=folder / "out",
        config=CONFIG,
        recipe=RECIPE.changed(**{"epochs": 2, "batch_tokens": 60, "agreement": 1.0} | recipe),
        device="cpu",
        precision="float32",
        text="我爱北京",
    )


def done(asked: TrainingSetup) -> Run:
    run = Run(asked)
    for _ in run.steps():
        pass
    return run


@pytest.fixture(scope="module")
def trained_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    torch.set_num_threads(1)
    run = done(wish(tmp_path_factory.mktemp("language")))
    run.finish()
    return run


def test_what_is_left_is_a_preset_that_opens(trained_run: Run) -> None:
    """With one vocabulary and trained weights; `explore` runs it, and its text is the target side."""
    folder = trained_run.wish.out
    trace = explorer.explore("我爱书", preset=folder)

    assert sorted(path.name for path in folder.glob("*.t*")) == ["preset.toml", "source.txt"]
    assert load_preset(str(folder)).config == trained_run.config
    assert (trace.trained, trace.tokens.source, trace.card.architecture) == (True, (), "decoder-only")
    assert [token.text for token in trace.tokens.target] == ["我", "爱", "书"]
    assert len(trace.symbols) == trained_run.config.vocab_size == trace["generator.logits"].shape[1]
    about = json.loads(trained.read_about(folder / trained.FILE)[trained.VOCABULARY])
    assert about == Bilingual.read_shared(folder).sha256


def test_nothing_held_out_is_trained_on(trained_run: Run) -> None:
    """Read back from the ids: no sentence of validation, in whatever script it stood among the further ones."""
    symbols = trained_run.prepared.bilingual.source.symbols
    read = {
        split: {"".join(symbols[id_] for word in example.words for id_ in word[0]) for example in examples}
        for split, examples in (("train", trained_run.prepared.train), ("valid", trained_run.prepared.valid))
    }

    assert {zh for zh, _en in PAIRS[::6]} == read["valid"]
    assert not read["train"] & read["valid"]
    assert len(read["train"]) == len(trained_run.prepared.train) >= len(PAIRS) - len(PAIRS[::6])


def test_the_perplexities_are_those_of_each_row_by_itself(trained_run: Run) -> None:
    """exp of the mean cross-entropy, row by row and without padding; a character counts the end of a sentence as one."""
    run, total, n_tokens, n_characters = trained_run, 0.0, 0, 0
    model = run.training.model.eval()
    symbols = run.prepared.bilingual.source.symbols
    for example in run.prepared.valid:
        ids = [id_ for word in example.words for id_ in word[0]]
        with torch.inference_mode():
            logits = model(None, torch.tensor([ids]))[0]
        total += float(torch.nn.functional.cross_entropy(logits, torch.tensor([*ids[1:], END]), reduction="sum"))
        n_tokens += len(ids)
        n_characters += sum(len(symbols[id_]) for id_ in ids[1:]) + 1
    loss = run.training.history[-1].validation_loss

    assert loss == pytest.approx(total / n_tokens, rel=1e-5)
    assert run.perplexities(loss) == pytest.approx((math.exp(total / n_tokens), math.exp(total / n_characters)), rel=1e-4)


def test_a_killed_and_resumed_run_leaves_the_same_preset(
    tmp_path: Path, trained_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last bit, reading the data again included."""
    monkeypatch.setattr(CHECKPOINTS, 2)
    for count in (1, 3):
        steps_of(Run(wish(tmp_path / "same")).training, count)
    done(wish(tmp_path / "same")).finish()

    assert_equal(*(load_file(folder / trained.FILE) for folder in (tmp_path / "same" / "out", trained_run.wish.out)))


def test_other_sentences_are_another_training(tmp_path: Path) -> None:
    """The checkpoint knows the further sentences as well."""
    asked = wish(tmp_path)
    steps = Run(asked).steps()
    for step in steps:
        if step.finished is not None:
            break
    assert asked.sentences is not None
    asked.sentences.write_text("1\tcmn\t他看书。\n", encoding="utf-8")
    with pytest.raises(BadCheckpoint, match="data"):
        Run(asked)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translator_takes_no_further_sentences(tmp_path: Path, language: str) -> None:
    """It is trained on pairs; the sentence says what the file is for."""
    with pytest.raises(SentencesNeedOneSide) as caught:
        attrs.evolve(wish(tmp_path), config=CONFIG.changed(architecture="encoder-decoder"))
    assert "decoder-only" in Words.load(language).error(caught.value)


def test_rows_that_do_not_fit_leave_nothing(tmp_path: Path) -> None:
    """A model of three places reads no sentence of four tokens."""
    asked = wish(tmp_path)
    with pytest.raises(EmptySplit):
        Run(attrs.evolve(asked, config=CONFIG.changed(max_len=2)))


def test_a_language_model_goes_on_from_another(tmp_path: Path, trained_run: Run) -> None:
    """With its vocabulary and weights."""
    run = Run(attrs.evolve(wish(tmp_path), start=trained_run.wish.out))

    assert run.prepared.bilingual == trained_run.prepared.bilingual
    name = "decoder.layers.0.self_attn.project_query.weight"
    assert torch.equal(
        dict(run.training.model.named_parameters())[name], load_file(trained_run.wish.out / trained.FILE)[name].float()
    )


def test_a_language_model_is_not_taught_to_translate(trained_run: Run, tmp_path: Path) -> None:
    """Nor asked to."""
    preset = str(trained_run.wish.out)
    with pytest.raises(NotATranslator):
        Teacher(Teaching(preset=preset, own=tmp_path, keep=tmp_path, out=tmp_path))
    with pytest.raises(NotATranslator):
        LensFitter(Fitting(preset=preset, data=tmp_path, out=tmp_path))
    with pytest.raises(NotATranslator):
        explorer.translate("我爱书", preset=preset)


def test_a_batch_without_sources_is_each_row_by_itself() -> None:
    """Padding stands after the end, where the causal mask keeps it from what counts."""
    model = build(CONFIG)
    rows = [BatchRow((), (5, 6, 7), (6, 7, END)), BatchRow((), (8,), (END,))]
    together = log_probabilities(model, batch_of(rows))
    alone = torch.cat([model(None, torch.tensor([row.given]))[0].log_softmax(dim=-1) for row in rows])

    torch.testing.assert_close(together, alone, rtol=0, atol=1e-5)


def test_both_halves_of_a_compared_batch_expect_the_same() -> None:
    """A sentence is drawn once, though its words may be split; a pair would be drawn anew."""
    example = TextExample((((20,), (4, 5)), ((21,), (7, 8)), ((6,),)), has_stop=True)
    rng = random.Random(0)
    row = example.row(0.5, 0.5, rng)

    assert example.again(row, 0.5, 0.5, rng) is row
    assert row.expected == (*row.given[1:], END)
    assert {example.row(0.5, 0.5, rng).given for _ in range(60)} == {
        (*first, *second, *stop) for first in ((20,), (4, 5)) for second in ((21,), (7, 8)) for stop in ((6,), ())
    }
    assert (example.lengths, example.longest, example.whole().given) == ((0, 2), 5, (20, 21, 6))
