"""English that is read: a translator into Chinese and a language model, from a data file to presets that open."""

import math
import random
import sys
from pathlib import Path

import attrs
import pytest
import torch
from safetensors.torch import load_file

import explorer
from explorer.cli import main as cli
from explorer.config import Config
from explorer.errors import KnobNotAChoice
from explorer.model import weights_file as trained
from explorer.presets import load_preset
from explorer.tokens.bilingual import Bilingual
from explorer.tokens.vocabulary import END
from explorer.training.run import Run
from explorer.training.setup import TrainingSetup
from tests.training import perplexities
from tests.training.runs import CHECKPOINTS, PAIRS, RECIPE, assert_equal, data_file, steps_of, wish

pytestmark = pytest.mark.slow  # models are trained

TINY = {"n_layers": 1, "n_heads": 2, "d_model": 16, "d_ff": 32, "max_len": 60, "tokenizer": "bpe"}
SOURCES = [en for number, (_zh, en) in enumerate(PAIRS) if number % 6]


def setup(folder: Path, architecture: str = "encoder-decoder", **recipe: object) -> TrainingSetup:
    """A whole training that takes seconds; the Chinese words have no more room than their characters."""
    folder.mkdir(exist_ok=True)
    config = Config(**TINY, architecture=architecture, vocab_size=330, target_vocab_size=24, tied_embeddings=True)  # type: ignore[arg-type]
    made = wish(
        folder / "out", data_file(folder / "x.tsv", "test\t我爱这些书。\tI love the books."), config, epochs=2, **recipe
    )
    return attrs.evolve(made, recipe=made.recipe.changed(average=RECIPE.average))


def done(asked: TrainingSetup) -> Run:
    run = Run(asked)
    for _ in run.steps():
        pass
    run.finish()
    return run


@pytest.fixture(scope="module")
def translator(tmp_path_factory: pytest.TempPathFactory) -> Run:
    torch.set_num_threads(1)
    return done(setup(tmp_path_factory.mktemp("translator")))


@pytest.fixture(scope="module")
def language_model(tmp_path_factory: pytest.TempPathFactory) -> Run:
    torch.set_num_threads(1)
    return done(setup(tmp_path_factory.mktemp("language"), "decoder-only"))


def test_an_example_is_its_sentence_in_ids(translator: Run) -> None:
    """The source in small letters, each word whole or in smaller pieces; the target in words and characters."""
    both = translator.prepared.bilingual
    assert both.reads_english and not both.writes_english
    rows = [pair for number, pair in enumerate(PAIRS) if number % 6]

    for (zh, en), example in zip(rows, translator.prepared.train, strict=True):
        for way in (0, -1):
            ids = [id_ for word in example.source for id_ in word[way]]
            assert both.turned().target_text(ids).lower() == en.lower()
        assert both.target_text(example.target) == zh
        assert example.has_stop
    smaller = [word for example in translator.prepared.train for word in example.source if len(word) > 1]
    assert smaller and all(len(whole) <= len(parts) for whole, parts in smaller)
    drawn = translator.prepared.train[0].source_ids(1.0, 1.0, random.Random(0))
    assert both.turned().target_text(drawn).lower() == SOURCES[0].lower().removesuffix(".")


def test_the_preset_translates_into_chinese(translator: Run) -> None:
    """Its trace has the typed text in byte pairs on one side, Chinese on the other; capitals change nothing."""
    trace = explorer.explore("You love cats.", preset=translator.wish.out)

    assert [token.text for token in trace.tokens.source][-1] == "."
    assert "".join(token.text for token in trace.tokens.source).replace("␣", " ").strip() == "You love cats."
    assert trace.trained and all(token.known for token in trace.tokens.source)
    small = explorer.explore("you love cats.", preset=translator.wish.out)
    assert (small["generator.logits"] == trace["generator.logits"]).all()


def test_the_command_line_trains_scores_and_translates_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--tokenizer bpe` makes English the source; `evaluate` then reads the pairs in that direction and counts characters."""
    data, out = data_file(tmp_path / "x.tsv", "test\t他们爱猫。\tThey love cats."), tmp_path / "out"
    shape = [f"--{name.replace('_', '-')}={value}" for name, value in TINY.items()]
    sizes = ["--vocab-size=330", "--target-vocab-size=24", "--epochs=1", "--batch-tokens=60", "--language=en"]

    assert cli.main(["train", "--data", str(data), "--out", str(out), *shape, *sizes]) == 0
    assert cli.main(["evaluate", "--preset", str(out), "--data", str(data), "--language", "en"]) == 0
    said = capsys.readouterr().out
    assert "They love cats.\n  = 他们爱猫。" in said
    assert "tok:zh" in said
    assert cli.main(["translate", "--preset", str(out), "They love cats."]) == 0
    assert load_preset(str(out)).text == PAIRS[0][1]  # The first of the validation rows; the usual sentence is Chinese.


def test_a_language_model_keeps_capitals(language_model: Run) -> None:
    """Because it writes them; one vocabulary serves both sides."""
    both = language_model.prepared.bilingual

    assert both.source is both.target and both.reads_english
    texts = {both.target_text([id_ for word in example.words for id_ in word[0]]) for example in language_model.prepared.train}
    assert texts == set(SOURCES)
    assert both == Bilingual.read_shared(language_model.wish.out)


def test_its_perplexities_are_those_of_each_row_by_itself(language_model: Run) -> None:
    """exp of the mean cross-entropy; what is counted per character is what the tokens after the first show, and the end."""
    run, total, n_tokens, n_characters = language_model, 0.0, 0, 0
    both, model = run.prepared.bilingual, run.training.model.eval()
    for example in run.prepared.valid:
        ids = [id_ for word in example.words for id_ in word[0]]
        with torch.inference_mode():
            logits = model(None, torch.tensor([ids]))[0]
        total += float(torch.nn.functional.cross_entropy(logits, torch.tensor([*ids[1:], END]), reduction="sum"))
        n_tokens += len(ids)
        n_characters += len(both.target_text(ids)) - len(both.target_text(ids[:1])) + 1
    loss = run.training.history[-1].validation_loss

    assert run.perplexities(loss) == pytest.approx((math.exp(total / n_tokens), math.exp(total / n_characters)), rel=1e-4)


def test_it_is_compared_with_n_grams_of_the_same_sentences(
    language_model: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`tests.training.perplexities` reads the English side; its first token is given, and the end counts."""
    asked = ["perplexities", "--preset", str(language_model.wish.out), "--data", str(language_model.wish.data)]
    monkeypatch.setattr(sys, "argv", asked)
    perplexities.main()
    said = capsys.readouterr().out

    both = language_model.prepared.bilingual
    ids = both.target_ids("I love the books.")
    n_characters = len("I love the books.") - len(both.target_text(ids[:1])) + 1
    assert f"test: 1 rows, {len(ids)} tokens (0 unknown), {n_characters} characters" in said
    assert said.count("language model") == 2 and said.count("4-gram") == 2


def test_the_language_model_goes_on_with_spaces_between_words(language_model: Run) -> None:
    """What it writes joins what was typed: a word begins with its space, a part of a word does not."""
    typed = "He loves"
    both = language_model.prepared.bilingual
    begin = (*both.target_ids("books"), *both.target_ids("the library.")[:-1])
    written = explorer.generate(typed, preset=language_model.wish.out, tokens=20, begin=begin)

    assert written.text.startswith(" books the library")
    assert typed + written.text == both.target_text((*both.target_ids(typed), *written.ids))


@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only"])
def test_a_killed_and_resumed_run_leaves_the_same_preset(
    tmp_path: Path, translator: Run, language_model: Run, monkeypatch: pytest.MonkeyPatch, architecture: str
) -> None:
    """To the last bit, reading the data again included."""
    monkeypatch.setattr(CHECKPOINTS, 2)
    for count in (1, 3):
        steps_of(Run(setup(tmp_path / "same", architecture)).training, count)
    done(setup(tmp_path / "same", architecture))

    whole = translator if architecture == "encoder-decoder" else language_model
    assert_equal(*(load_file(folder / trained.FILE) for folder in (tmp_path / "same" / "out", whole.wish.out)))


def test_a_masked_model_of_english_is_refused(tmp_path: Path) -> None:
    """Byte pairs have no symbol that a gap could stand for."""
    with pytest.raises(KnobNotAChoice, match="tokenizer"):
        setup(tmp_path, "encoder-only")
