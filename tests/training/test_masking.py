"""From sentences to a masked language model."""

import json
import math
import random
from pathlib import Path

import attrs
import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import explorer
from explorer.cli.main import main
from explorer.config import Config
from explorer.engine.compute import Computer
from explorer.engine.sources.source import never
from explorer.engine.sources.trained import Trained
from explorer.errors import BadVocabulary, NoMaskToken, NotATranslator
from explorer.model import weights_file as trained
from explorer.model.weights import build
from explorer.presets import load_preset
from explorer.state.wish import Wish
from explorer.tokens.bilingual import Bilingual
from explorer.tokens.tokenizer import Tokenizers
from explorer.tokens.vocabulary import MASK, PAD, SPECIALS, Vocabulary
from explorer.training.batches import BatchRow, TextExample, batch_of
from explorer.training.loss import log_probabilities
from explorer.training.masked_scores import masked_log_p, masked_scores
from explorer.training.masking import MaskedExample, Masking
from explorer.training.run import Run
from explorer.training.setup import TrainingSetup
from tests.training.runs import CHECKPOINTS, PAIRS, RECIPE, assert_equal, data_file, steps_of

CONFIG = Config(
    architecture="encoder-only", n_layers=1, n_heads=2, d_model=16, d_ff=32, max_len=40, vocab_size=100, tied_embeddings=True
)
TEXT = TextExample((((20,), (7, 8)), ((21,),), ((22,),), ((6,),)), has_stop=True)
GAPS = Masking(mask=4, n_symbols=30)


def wish(folder: Path, **recipe: object) -> TrainingSetup:
    """A whole training that takes a second or two."""
    folder.mkdir(exist_ok=True)
    return TrainingSetup(
        data=data_file(folder / "x.tsv"),
        out=folder / "out",
        config=CONFIG,
        recipe=RECIPE.changed(**{"epochs": 4, "batch_tokens": 60, "agreement": 0.0, "label_smoothing": 0.0} | recipe),
        device="cpu",
        precision="float32",
        text=f"我爱{MASK}。",
    )


def done(asked: TrainingSetup) -> Run:
    run = Run(asked)
    for _ in run.steps():
        pass
    return run


@pytest.fixture(scope="module")
def trained_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    torch.set_num_threads(1)
    run = done(wish(tmp_path_factory.mktemp("gaps")))
    run.finish()
    return run


def test_as_many_tokens_are_masked_as_the_paper_says_and_in_its_ways() -> None:
    """15 % of the symbols are expected back; 80 % of these are hidden, 10 % another symbol, 10 % as they are."""
    text = TextExample(tuple(((each,),) for each in (*range(5, 30), *range(5, 30))))
    rng = random.Random(1)
    hidden = other = same = 0
    for _ in range(2000):
        row = MaskedExample(text, GAPS).row(0.0, 0.0, rng)
        for given, expected in zip(row.source, row.expected, strict=True):
            hidden += expected != PAD and given == GAPS.mask
            other += expected != PAD and given not in (GAPS.mask, expected)
            same += expected == given
        assert all(len(SPECIALS) <= each < GAPS.n_symbols for each in row.source)
        assert row.given == ()
    total = hidden + other + same

    assert total / (2000 * 50) == pytest.approx(0.15, abs=0.005)
    assert hidden / total == pytest.approx(0.8, abs=0.01)
    # One of 25 other symbols is by chance the same.
    assert other / total == pytest.approx(0.1 * 24 / 25, abs=0.01)


def test_every_sentence_has_a_masked_token_and_is_drawn_as_text_is() -> None:
    """Words may be split and the full stop left out; both halves of a compared batch expect the same."""
    rng = random.Random(0)
    example = MaskedExample(TEXT, GAPS)
    rows = [example.row(0.5, 0.5, rng) for _ in range(200)]

    assert all(any(row.expected) for row in rows)
    assert {len(row.source) for row in rows} == {3, 4, 5}
    assert example.again(rows[0], 0.5, 0.5, rng) is rows[0]
    assert example.lengths == TEXT.lengths


def test_a_masked_batch_is_each_row_by_itself() -> None:
    """No query sees padding, and log P is that of the whole pass at the masks, in their order."""
    model = build(CONFIG)
    rows = [BatchRow((5, 4, 7), (), (PAD, 6, PAD)), BatchRow((4,), (), (8,))]
    together = log_probabilities(model, batch_of(rows))
    alone = [model(torch.tensor([row.source]), None)[0].log_softmax(dim=-1) for row in rows]

    torch.testing.assert_close(together, torch.stack([alone[0][1], alone[1][0]]), rtol=0, atol=1e-5)


def test_each_place_is_hidden_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """In batches the numbers are those of single passes, and a sentence longer than a batch goes on in the next one."""
    model, ids = build(CONFIG), (5, 6, 7, 8, 9)
    monkeypatch.setattr("explorer.training.masked_scores._MOST_ROWS", 2)
    found = masked_log_p(model, ids, 4)

    for place in range(5):
        hidden = (*ids[:place], 4, *ids[place + 1 :])
        with torch.inference_mode():
            expected = model(torch.tensor([hidden]), None)[0, place].log_softmax(dim=-1)
        torch.testing.assert_close(found[place], expected, rtol=0, atol=1e-5)


def test_a_vocabulary_without_a_mask_token_is_refused(tmp_path: Path) -> None:
    """It belongs to another kind of model."""
    with pytest.raises(BadVocabulary, match=MASK):
        Masking.of(Bilingual.shared(Vocabulary((*SPECIALS, "我"))), tmp_path)


@pytest.mark.slow  # a model is trained
def test_what_is_left_is_a_preset_that_opens(trained_run: Run) -> None:
    """A mask is one token of the typed text; taps are those of an encoder, the output is a distribution at each place."""
    folder = trained_run.wish.out
    trace = explorer.explore(f"我爱{MASK}。", preset=folder)

    assert sorted(path.name for path in folder.glob("*.t*")) == ["preset.toml", "source.txt"]
    assert load_preset(str(folder)).is_masked_lm
    assert not load_preset(str(folder)).translates
    assert (trace.trained, trace.tokens.target, trace.card.architecture) == (True, (), "encoder-only")
    assert [token.text for token in trace.tokens.source] == ["我", "爱", MASK, "。"]
    assert trace.tokens.source[2].id == len(SPECIALS)
    assert not any(name.startswith("decoder.") for name in trace.names())
    assert trace["generator.logits"].shape == (4, trained_run.config.vocab_size)
    about = json.loads(trained.read_about(folder / trained.FILE)[trained.VOCABULARY])
    assert about == Bilingual.read_shared(folder).sha256


@pytest.mark.slow  # a model is trained
def test_its_logits_are_those_of_float64_from_the_files(trained_run: Run) -> None:
    """The last norm's output times the embedding of the file, plus the file's bias."""
    folder = trained_run.wish.out
    trace = explorer.explore(f"我爱{MASK}。", preset=folder)
    weights = {name: tensor.double().numpy() for name, tensor in load_file(folder / trained.FILE).items()}
    embedding = weights["encoder.embedding.look_up.weight"]
    bias = weights.get("generator.project.bias", np.zeros(len(embedding)))

    np.testing.assert_allclose(
        trace["generator.logits"], trace["encoder.norm"].astype(np.float64) @ embedding.T + bias, atol=1e-4
    )


@pytest.mark.slow  # a model is trained
def test_it_learns_to_predict_masked_tokens(trained_run: Run) -> None:
    """After four epochs over forty made-up sentences its loss is below that of guessing."""
    losses = [each.validation_loss for each in trained_run.training.history]

    assert losses[-1] < min(losses[0], math.log(trained_run.config.vocab_size))


@pytest.mark.slow  # a model is trained
def test_scores_are_those_of_a_loop(trained_run: Run) -> None:
    """Accuracy and pseudo-perplexity, symbol by symbol in whole passes of `explore`."""
    folder = trained_run.wish.out
    texts = [zh for zh, _en in PAIRS[:3]]
    found = masked_scores(Trained(load_preset(str(folder))), texts, Tokenizers())

    nats = right = count = 0.0
    for text in texts:
        tokens = explorer.explore(text, preset=folder).tokens.source
        for place, token in enumerate(tokens):
            hidden = f"{text[: token.start]}{MASK}{text[token.end :]}"
            row = explorer.explore(hidden, preset=folder)["generator.logits"][place].astype(np.float64)
            nats += np.log(np.exp(row - row.max()).sum()) + row.max() - row[token.id]
            right += row.argmax() == token.id
            count += 1
    assert (found.n_sentences, found.n_tokens) == (3, count)
    assert found.accuracy == pytest.approx(right / count)
    assert found.pseudo_perplexity == pytest.approx(math.exp(nats / count), rel=1e-3)


@pytest.mark.slow  # a model is trained
def test_each_token_is_hidden_in_turn_as_in_the_scores(trained_run: Run) -> None:
    """`cloze` has the log P of the evaluation, of every place; random weights of the same shape fill nothing in."""
    folder, text = trained_run.wish.out, "我爱你。"
    found, own = explorer.cloze(text, folder), Trained(load_preset(str(folder)))
    trace = explorer.explore(text, preset=folder)
    ids = tuple(token.id for token in trace.tokens.source)
    wanted = masked_log_p(own.model(own.preset.config), ids, len(SPECIALS)).numpy()

    assert (found.mask, found.ids, trace.card.mask) == (MASK, ids, len(SPECIALS))
    np.testing.assert_allclose(found.log_p, wanted[np.arange(len(ids)), ids], atol=1e-4)
    assert (found.candidates[:, 0] == wanted.argmax(1)).all()
    with pytest.raises(NoMaskToken):
        Computer().writing.cloze(attrs.evolve(Wish.from_preset(str(folder), text), trained=False), never)


@pytest.mark.slow  # models are trained
def test_a_killed_and_resumed_run_leaves_the_same_preset(
    tmp_path: Path, trained_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last bit, the masks of the next batch included."""
    monkeypatch.setattr(CHECKPOINTS, 2)
    for count in (1, 3):
        steps_of(Run(wish(tmp_path / "same")).training, count)
    done(wish(tmp_path / "same")).finish()

    assert_equal(*(load_file(folder / trained.FILE) for folder in (tmp_path / "same" / "out", trained_run.wish.out)))


@pytest.mark.slow  # a model is trained
def test_it_goes_on_from_another_and_translates_nothing(tmp_path: Path, trained_run: Run) -> None:
    """With the vocabulary of the other one; a plain language model's vocabulary has no mask token and is refused."""
    run = Run(attrs.evolve(wish(tmp_path), start=trained_run.wish.out))
    assert run.prepared.bilingual == trained_run.prepared.bilingual
    with pytest.raises(NotATranslator):
        explorer.translate("我爱书", preset=trained_run.wish.out)
    with pytest.raises(BadVocabulary, match=MASK):
        Run(attrs.evolve(wish(tmp_path / "other"), start=Path("assets/presets/language-model")))


@pytest.mark.slow  # a model is trained
def test_the_command_line_trains_and_scores_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`train --architecture encoder-only` tells how many masked tokens are right, `evaluate` the pseudo-perplexity."""
    data, out = data_file(tmp_path / "x.tsv"), tmp_path / "out"
    knobs = (
        "--architecture encoder-only --n-layers 1 --n-heads 2 --d-model 16 --d-ff 32 --vocab-size 100 --max-len 40 --epochs 1"
    )
    command = ["train", "--data", str(data), "--out", str(out), "--device", "cpu", *knobs.split()]
    assert main(["--language", "en", *command]) == 0
    assert "masked tokens right" in capsys.readouterr().out

    score = ["--language", "en", "evaluate", "--preset", str(out), "--data", str(data), "--split"]
    assert main([*score, "valid"]) == 0
    assert "8 sentences" in (said := capsys.readouterr().out)
    assert "pseudo-perplexity" in said
    assert main([*score, "test"]) == 2
