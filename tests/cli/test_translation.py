"""train, evaluate and translate: what they write, and what they say when something is wrong."""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import explorer
from explorer.cli import main as cli
from explorer.errors import KnobOutOfRange, NotTrained
from explorer.resources import asset
from explorer.training.corpus import read_corpus
from tests.engine.sources.bundles import a_bundle
from tests.training.runs import data_file

pytestmark = pytest.mark.slow

SMALL = (
    "--n-layers",
    "1",
    "--n-heads",
    "2",
    "--d-model",
    "16",
    "--d-ff",
    "32",
    "--max-len",
    "40",
    "--target-vocab-size",
    "300",
    "--epochs",
    "2",
    "--batch-tokens",
    "60",
    "--warmup-steps",
    "4",
    "--language",
    "en",
)


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command; its status, what it says, what it complains."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = cli.main(list(arguments))
        return status, *capsys.readouterr()

    return run


Say = Callable[..., tuple[int, str, str]]


def test_training_writes_a_preset_that_translates(say: Say, tmp_path: Path) -> None:
    """Bad rows are told with their lines and left out; the second call finds nothing left to do."""
    data = data_file(tmp_path / "pairs.tsv", "train\tone column", "train\t \tempty", "test\t猫爱书。\tCats love books.")
    out = tmp_path / "out"
    status, said, complained = say("train", "--data", str(data), "--out", str(out), *SMALL)

    assert 0 == status
    assert "line 50 left out: the number of columns" in complained
    assert "line 51 left out: a sentence is empty" in complained
    assert "2 rows left out" in complained
    assert "40 training rows, 8 validation rows; cpu" in said
    assert 2 == said.count("validation loss")
    assert {"preset.toml", "weights.safetensors", "source.txt", "target.txt"} <= {path.name for path in out.iterdir()}

    status, again, _ = say("train", "--data", str(data), "--out", str(out), *SMALL)
    assert (0, 0) == (status, again.count("validation loss"))
    assert "continuing after epoch 2" in again
    assert (0, "\n", "") == (status, *_translated(say, out))
    status, scores, _ = say("evaluate", "--preset", str(out), "--data", str(data), "--beam", "2", "--language", "en")
    assert 0 == status
    assert "1 rows, 1 different sentences, beam 2" in scores
    assert "猫爱书。\n  = Cats love books.\n  → " in scores
    assert "nrefs:1|case:mixed|eff:no|tok:13a" in scores


def _translated(say: Say, folder: Path) -> tuple[str, str]:
    """A text is one line, whatever the little model says."""
    status, said, complained = say("translate", "--preset", str(folder), "我爱北京。")
    assert 0 == status
    return said[said.index("\n") :], complained


def test_training_a_decoder_alone_tells_perplexities(say: Say, tmp_path: Path) -> None:
    """At each epoch, per token and per character; the preset then shows what comes next, and does not translate."""
    further = tmp_path / "more.tsv"
    further.write_text("1\tcmn\t我們看書！\n2\tcmn\t\n", encoding="utf-8")
    data, out = data_file(tmp_path / "pairs.tsv"), tmp_path / "out"
    call = ("train", "--data", str(data), "--out", str(out), *SMALL, "--sentences", str(further))
    status, said, complained = say(*call, "--architecture", "decoder-only")

    assert 0 == status
    assert 2 == said.count("per token ·") == said.count("per character")
    assert "line 2 left out: a sentence is empty" in complained
    assert {"preset.toml", "weights.safetensors", "source.txt"} <= {path.name for path in out.iterdir()}
    assert explorer.explore("我爱北京", preset=out).trained
    for command in (("translate", "我"), ("evaluate",)):
        status, _, complained = say(*command, "--preset", str(out), "--language", "en")
        assert (2, f"The preset {out} is a language model: it cannot translate.\n") == (status, complained)
    status, _, complained = say(*call)
    assert 2 == status and "A translator is trained on pairs" in complained


def test_one_line_comes_out_for_each_that_goes_in(say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty line stays one; a line that cannot be translated becomes one, and is told by its number."""
    preset = a_bundle(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO("我爱北京。\n\n我\0爱\n你看书。"))
    status, said, complained = say("translate", "--preset", preset, "--language", "en")

    lines = said.split("\n")
    assert (2, 5, "") == (status, len(lines), lines[-1])
    assert ["", ""] == lines[1:3]
    wanted = [explorer.translate(text, preset=preset) for text in ("我爱北京。", "你看书。")]
    assert wanted == [lines[0], lines[3]]
    assert "line 3: Character 2 is the control character U+0000: delete it.\n" == complained


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("translate", "我", "--preset", "tiny"), "The preset tiny has no trained weights and cannot translate."),
        (("evaluate", "--preset", "tiny"), "The preset tiny has no trained weights and cannot translate."),
        (("train", "--data", "TMP/none.tsv", "--out", "TMP/out"), "Cannot read TMP/none.tsv: No such file or directory."),
        (
            ("train", "--data", "TMP/bad.tsv", "--out", "TMP/out"),
            "TMP/bad.tsv has no columns split, zh, en: a data file is a table with tabs and a header row.",
        ),
        (("train", "--data", "TMP/empty.tsv", "--out", "TMP/out"), "TMP/empty.tsv has no usable row in the split train."),
        (("train", "--data", "TMP/empty.tsv", "--out", "TMP/out", "--device", "abacus"), "This machine has no device abacus."),
        (("train", "--data", "TMP/empty.tsv", "--out", "TMP/out", "--epochs", "0"), "epochs must be from 1 to 1000, not 0."),
        (
            ("translate", "我", "--preset", "TMP/torn"),
            "The weights TMP/torn/weights.safetensors are damaged or of another model",
        ),
    ],
)
def test_a_mistake_is_one_sentence(say: Say, tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    """On stderr, with exit status 2."""
    (tmp_path / "bad.tsv").write_text("a\tb\n1\t2\n")
    (tmp_path / "empty.tsv").write_text("split\tzh\ten\n")
    (tmp_path / "torn").mkdir()
    a_bundle(tmp_path / "torn")
    weights = tmp_path / "torn" / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    status, said, complained = say(*(each.replace("TMP", str(tmp_path)) for each in arguments), "--language", "en")

    assert (2, "") == (status, said)
    assert sentence.replace("TMP", str(tmp_path)) in complained
    assert 1 == complained.count("\n")


def test_translate_in_python_says_what_is_wrong(tmp_path: Path) -> None:
    """In the sentence for people."""
    with pytest.raises(NotTrained) as caught:
        explorer.translate("我", preset="tiny")
    assert "预设 tiny 没有训练过的权重，不能翻译。" == str(caught.value)
    with pytest.raises(KnobOutOfRange):
        explorer.translate("我", beam=9, preset=a_bundle(tmp_path))


def test_the_bundled_held_out_rows_are_whole() -> None:
    """What `evaluate` scores without a data file: no row is bad, none is for training."""
    corpus = read_corpus(asset("presets/translator/held-out.tsv"))

    assert (0, 2000, 1010, 0) == (len(corpus.train), len(corpus.valid), len(corpus.test), len(corpus.bad))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("我爱北京天安门。", {"love", "Beijing"}),
        ("他在图书馆看书。", {"He", "library"}),
        ("我昨天买了一本新书。", {"bought", "new", "book", "yesterday"}),
    ],
)
def test_the_bundled_translator_knows_everyday_sentences(source: str, words: set[str]) -> None:
    """By beam search, as plain text without marks."""
    said = explorer.translate(source, beam=4)

    assert words <= set(said.rstrip(".").split())
    assert "␣" not in said and "<" not in said


def test_explore_holds_the_translation() -> None:
    """As target tokens behind the begin symbol; cross-attention has a row for each."""
    trace = explorer.explore("他在图书馆看书。", preset="translator")

    assert trace.trained
    assert "<bos>" == trace.tokens.target[0].text
    assert trace.target == "".join(token.text for token in trace.tokens.target[1:]).replace("␣", " ").strip()
    for layer in range(3):
        assert (8, len(trace.tokens.target), 5) == trace[f"decoder.layers.{layer}.cross_attn.weights"].shape
    assert 6000 == trace["generator.logits"].shape[1] == len(trace.symbols)
