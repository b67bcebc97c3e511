"""From a data file to a preset that translates."""

import itertools
import json
import random
import time
from pathlib import Path

import attrs
import pytest
import torch
from safetensors.torch import load_file

from explorer.config import Config
from explorer.engine.sources.translator import Translator
from explorer.errors import (
    BadCheckpoint,
    BadVocabulary,
    CannotCreate,
    CannotRead,
    DiskFull,
    EmptySplit,
    KnobNotAChoice,
    NoSuchDevice,
)
from explorer.lang import LANGUAGES, Words
from explorer.model import weights_file as trained
from explorer.presets import FILE, load_preset
from explorer.tokens.bilingual import SOURCE_FILE, Bilingual
from explorer.training import checkpoint
from explorer.training.bundle import write_bundle
from explorer.training.corpus import BadRow
from explorer.training.run import Run, chosen_device
from explorer.training.setup import TrainingSetup
from tests.model.test_weights_file import full_disk
from tests.training.runs import CHECKPOINTS, PAIRS, assert_equal, data_file, steps_of, weights, wish

pytestmark = pytest.mark.slow  # models are trained


def done(asked: TrainingSetup) -> Run:
    run = Run(asked)
    for _ in run.steps():
        pass
    return run


@pytest.fixture(scope="module")
def trained_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A whole training of one epoch, and its preset."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("run")
    run = done(wish(folder / "out", data_file(folder / "x.tsv", "train\tbad", "dev\t一\tone"), epochs=2))
    run.finish()
    return run


def test_what_is_left_is_a_preset(trained_run: Run) -> None:
    """With the text, the Config that was trained, and weights that are the average in half precision."""
    folder = trained_run.wish.out
    preset = load_preset(str(folder))
    translator = Translator(preset)

    assert (preset.text, preset.folder, preset.config) == ("我爱北京", folder, trained_run.config)
    assert (preset.config.vocab_size, preset.config.target_vocab_size) == (
        len(translator.bilingual.source),
        len(translator.bilingual.target),
    )
    state = translator.model(preset.config).state_dict()
    average = trained_run.training.averaged()
    assert_equal({name: state[name] for name in average}, {name: value.half().float() for name, value in average.items()})


def test_the_weights_tell_how_they_were_made(trained_run: Run) -> None:
    """Recipe, Config, data, precision and history stand in the file's header."""
    about = {name: json.loads(value) for name, value in trained.read_about(trained_run.wish.out / trained.FILE).items()}

    assert about["recipe"] == attrs.asdict(trained_run.wish.recipe)
    assert about["config"] == trained_run.config.values()
    assert (about["data_sha256"], about["precision"]) == (trained_run.prepared.sha256, "float32")
    assert [each["epoch"] for each in about["history"]] == [1, 2]
    assert about[trained.VOCABULARY] == trained_run.prepared.bilingual.sha256


def test_rows_become_examples_and_bad_ones_are_counted(trained_run: Run) -> None:
    """The first line is the header."""
    prepared = trained_run.prepared

    assert (len(prepared.train), len(prepared.valid)) == (len(PAIRS) - len(PAIRS[::6]), len(PAIRS[::6]))
    assert prepared.bad == (BadRow(len(PAIRS) + 2, "columns"), BadRow(len(PAIRS) + 3, "split"))


def test_an_example_is_its_sentence_in_ids(trained_run: Run) -> None:
    """Each word whole, if it is a symbol, or in its characters; the full stop is known as such."""
    prepared = trained_run.prepared
    symbols = prepared.bilingual.source.symbols
    rows = [pair for number, pair in enumerate(PAIRS) if number % 6]

    for (source, target), example in zip(rows, prepared.train, strict=True):
        for way in (0, -1):
            assert "".join(symbols[id_] for word in example.source for id_ in word[way]) == source
        assert all(len(word) == 1 or len(word[0]) == 1 < len(word[1]) for word in example.source)
        assert prepared.bilingual.target_text(example.target) == target
        assert example.has_stop
    library = prepared.train[[source for source, _ in rows].index("我找图书馆。")]
    assert [symbols[id_] for id_ in library.source_ids(0.0, 0.0, random.Random(0))][-2:] == ["图书馆", "。"]


def test_a_killed_and_resumed_run_leaves_the_same_preset(
    tmp_path: Path, trained_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading the data again included; the weights are the same to the last bit."""
    monkeypatch.setattr(CHECKPOINTS, 2)
    data = data_file(tmp_path / "x.tsv", "train\tbad", "dev\t一\tone")
    for count in (1, 3):
        steps_of(Run(wish(tmp_path / "out", data, epochs=2)).training, count)
    done(wish(tmp_path / "out", data, epochs=2)).finish()

    assert_equal(*(load_file(folder / trained.FILE) for folder in (tmp_path / "out", trained_run.wish.out)))


def test_a_run_that_is_done_has_no_more_steps(trained_run: Run) -> None:
    """Its preset can be written again."""
    again = Run(trained_run.wish)

    assert list(again.steps()) == []
    assert_equal(weights(again.training), weights(trained_run.training))


@pytest.mark.parametrize("change", ["data", "recipe", "config", "vocabulary"])
def test_another_training_in_the_same_folder_is_refused(tmp_path: Path, change: str) -> None:
    """Nothing is overwritten; the sentence says what differs."""
    data = data_file(tmp_path / "x.tsv")
    asked = wish(tmp_path / "out", data)
    done(asked)
    before = (tmp_path / "out" / checkpoint.FILE).read_bytes()
    if change == "data":
        data_file(data, "train\t一\tone")
    elif change == "vocabulary":
        old = Bilingual.read(tmp_path / "out")
        path = tmp_path / "out" / SOURCE_FILE
        path.write_text(path.read_text().replace(old.source.symbols[4], "龘"))
    else:
        asked = attrs.evolve(
            asked,
            **{"recipe": {"recipe": asked.recipe.changed(epochs=3)}, "config": {"config": asked.config.changed(seed=3)}}[
                change
            ],
        )
    told = {"recipe": "--epochs 1 ≠ 3", "config": "--seed 0 ≠ 3"}.get(change, change)
    with pytest.raises(BadCheckpoint, match=told):
        Run(asked)

    assert (tmp_path / "out" / checkpoint.FILE).read_bytes() == before


def test_rows_that_are_too_long_are_left_out(tmp_path: Path) -> None:
    """Of the source in characters or of the target; learned positions would have no place for them."""
    data = data_file(tmp_path / "x.tsv", f"train\t{'书' * 50}\tbooks", f"valid\t书\t{'books ' * 50}")
    asked = wish(tmp_path / "out", data)
    run = done(attrs.evolve(asked, config=asked.config.changed(position="learned")))

    assert run.prepared.bad == (BadRow(len(PAIRS) + 2, "too_long"), BadRow(len(PAIRS) + 3, "too_long"))
    assert len(run.training.history) == 1


def test_the_configs_vocabulary_sizes_are_upper_limits(tmp_path: Path) -> None:
    """Of both sides; the most frequent symbols are kept."""
    asked = wish(tmp_path / "out", data_file(tmp_path / "x.tsv"))
    small = Run(attrs.evolve(asked, config=asked.config.changed(vocab_size=16, target_vocab_size=270)))

    assert len(small.prepared.bilingual.source) == small.config.vocab_size == 16
    assert 260 < len(small.prepared.bilingual.target) <= 270


@pytest.mark.parametrize("split", ["train", "valid"])
def test_a_split_without_rows_is_told(tmp_path: Path, split: str) -> None:
    """Before anything is trained."""
    (tmp_path / "x.tsv").write_text(f"split\tzh\ten\n{'valid' if split == 'train' else 'train'}\t一\tone\n{split}\t一\n")
    with pytest.raises(EmptySplit) as caught:
        Run(wish(tmp_path / "out", tmp_path / "x.tsv"))

    assert split in Words.load("zh").error(caught.value)


def test_a_data_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    """By its path."""
    with pytest.raises(CannotRead, match=r"none\.tsv"):
        Run(wish(tmp_path / "out", tmp_path / "none.tsv"))


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """Here stands a file."""
    with pytest.raises(CannotCreate):
        Run(wish(data_file(tmp_path / "x.tsv"), tmp_path / "x.tsv"))


def test_a_damaged_checkpoint_is_told(tmp_path: Path) -> None:
    """With "auto" too, which reads it first."""
    asked = wish(tmp_path / "out", data_file(tmp_path / "x.tsv"))
    done(asked)
    (tmp_path / "out" / checkpoint.FILE).write_bytes(b"half")
    for precision in ("float32", "auto"):
        with pytest.raises(BadCheckpoint):
            Run(attrs.evolve(asked, precision=precision))


def test_damaged_vocabularies_are_told(tmp_path: Path) -> None:
    """They are read again when a training goes on."""
    asked = wish(tmp_path / "out", data_file(tmp_path / "x.tsv"))
    Run(asked)
    (tmp_path / "out" / SOURCE_FILE).write_bytes(b"half")
    with pytest.raises(BadVocabulary):
        Run(asked)


@pytest.mark.parametrize("knobs", [{"tokenizer": "characters"}, {"jieba_hmm": False}], ids=str)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_that_would_not_translate_is_refused(tmp_path: Path, knobs: dict[str, object], language: str) -> None:
    """Training always cuts by jieba; the model would come out as something else."""
    ((name, got),) = knobs.items()
    with pytest.raises(KnobNotAChoice) as caught:
        wish(tmp_path, tmp_path, Config().changed(**knobs))

    sentence = Words.load(language).error(caught.value)
    assert name in sentence
    assert str(got) in sentence


@pytest.mark.parametrize("device", ["cuda:99", "gpu", "", "meta", "xpu"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_device_that_is_not_there_is_told(device: str, language: str) -> None:
    """By its name, whether torch does not know it or this machine lacks it."""
    with pytest.raises(NoSuchDevice) as caught:
        chosen_device(device)

    assert device in Words.load(language).error(caught.value)


def test_a_device_can_be_named() -> None:
    """Or left to what is there."""
    assert chosen_device("cpu") == "cpu"
    assert chosen_device("auto") == ("cuda" if torch.cuda.is_available() else "cpu")


@pytest.mark.parametrize("kept", ["bfloat16", "float32"])
def test_a_resumed_training_keeps_its_precision(tmp_path: Path, kept: str) -> None:
    """Which its checkpoint says; another one that is asked for is another training."""
    data = data_file(tmp_path / "x.tsv")
    asked = attrs.evolve(wish(tmp_path / "out", data, agreement=0), precision=kept)
    done(asked)

    assert checkpoint.load(tmp_path / "out" / checkpoint.FILE)[0].about["precision"] == kept
    assert Run(attrs.evolve(asked, precision="auto")).precision == kept
    with pytest.raises(BadCheckpoint):
        Run(attrs.evolve(asked, precision={"bfloat16": "float32", "float32": "bfloat16"}[kept]))


def test_the_same_command_gives_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However fast the machine is at whichever moment: a new training is in float32 unless it is asked for in another."""
    clock = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock) ** 1.5)
    data = data_file(tmp_path / "x.tsv")
    made = []
    for name in ("one", "two"):
        asked = attrs.evolve(wish(tmp_path / name, data), precision="auto")
        assert Run(asked).precision == "float32"
        made.append(trained.read_tensors(done(asked).finish() / trained.FILE))

    assert all(torch.equal(made[0][name], made[1][name]) for name in made[0])


# The preset's files


@pytest.mark.parametrize("text", ['say "好"\\n', "第一行\n第二行\t", "’“”…", ""])
def test_any_text_and_any_knobs_come_back(tmp_path: Path, trained_run: Run, text: str) -> None:
    """Quotes and line breaks; small, large and true."""
    config = trained_run.config.changed(
        dropout=0.05, position_base=1e6, temperature=0.1, tied_embeddings=True, seed=9999, activation="gelu", bias=False
    )
    write_bundle(tmp_path, trained_run.training.averaged(), config, trained_run.prepared.bilingual, text, {})
    preset = load_preset(str(tmp_path))

    assert (preset.text, preset.config) == (text, config)


def test_a_full_disk_leaves_the_older_preset(tmp_path: Path, trained_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights come first: without them nothing else is replaced."""
    write = (trained_run.training.averaged(), trained_run.config, trained_run.prepared.bilingual)
    write_bundle(tmp_path, *write, "old", {})
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(trained, "save_file", full_disk)
    with pytest.raises(DiskFull):
        write_bundle(tmp_path, *write, "new", {})

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert set(before) == {trained.FILE, "source.txt", "target.txt", FILE}


def test_progress_climbs_while_rows_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the whole."""
    monkeypatch.setattr("explorer.training.prepare._TOLD_EVERY", 8)
    shares: list[float] = []
    Run(wish(tmp_path / "out", data_file(tmp_path / "x.tsv")), shares.append)

    assert shares == [pytest.approx(count / 48) for count in range(8, 49, 8)]


def test_a_training_may_start_from_trained_weights(trained_run: Run, tmp_path: Path) -> None:
    """With their vocabularies, in half precision as they were written; a checkpoint in the folder goes first."""
    start = trained_run.wish.out
    asked = attrs.evolve(wish(tmp_path / "out", trained_run.wish.data), start=start)
    run = Run(asked)
    kept = trained.load_weights(start / trained.FILE, run.config)

    assert run.prepared.bilingual == trained_run.prepared.bilingual
    begun = weights(run.training)
    assert_equal({name: kept[name] for name in begun}, begun)
    for _ in run.steps():
        pass
    ended = weights(run.training)
    assert not torch.equal(ended["generator.project.weight"], begun["generator.project.weight"])
    assert_equal(ended, weights(Run(asked).training))
