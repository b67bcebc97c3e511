"""Teaching sentences of one's own: learned, and the rest kept."""

from pathlib import Path

import attrs
import pytest
import torch

from explorer.cli.main import main
from explorer.engine.sources.translator import Translator
from explorer.errors import BadWord, EmptySplit, NotTrained, WordOfBytePairs
from explorer.lang import LANGUAGES, Words
from explorer.presets import load_preset
from explorer.training.teach import Teacher, Teaching, with_words
from tests.engine.sources.bundles import BILINGUAL, a_bundle, a_model, an_english_preset, config

pytestmark = pytest.mark.slow  # models are trained

HEADER = "split\tzh\ten\n"


def files(folder: Path) -> tuple[Path, Path]:
    own, old = folder / "own.tsv", folder / "old.tsv"
    own.write_text(HEADER + "train\t我爱图书馆。\tI love the gigigi\n", encoding="utf-8")
    old.write_text(HEADER + "train\t他看北京。\ta big one\ntrain\t你爱我\tI love you\n", encoding="utf-8")
    return own, old


def teaching(folder: Path, **changes: object) -> Teaching:
    own, old = files(folder)
    (folder / "start").mkdir(exist_ok=True)
    preset = a_bundle(folder / "start")
    return Teaching(
        **{
            "preset": preset,
            "own": own,
            "keep": old,
            "out": folder / "out",
            "steps": 60,
            "rows": 4,
            "learning_rate": 0.02,
            "keep_weight": 1.0,
            "words": ("爱图",),
            **changes,
        }
    )


def test_new_sentences_are_learned_and_old_ones_kept(tmp_path: Path) -> None:
    """The loss of the new falls; with the divergence weighed the old answers move less than without."""
    far = {}
    for weight in (0.0, 30.0):
        folder = tmp_path / str(weight)
        folder.mkdir()
        steps = list(Teacher(teaching(folder, keep_weight=weight)).steps())
        far[weight] = max(step.divergence for step in steps)
        assert steps[0].divergence == pytest.approx(0, abs=1e-6)
        assert steps[-1].loss < steps[0].loss - 0.5
        assert [steps[0].step, steps[-1].step, steps[-1].share] == [1, 60, 1.0]

    assert far[30.0] < far[0.0] / 2


def test_what_was_taught_is_a_preset_that_says_it(tmp_path: Path) -> None:
    """Written like a trained one, with the word in its vocabulary; it translates the sentence as it was taught."""
    teacher = Teacher(teaching(tmp_path, keep_weight=0.0, steps=150))
    list(teacher.steps())
    folder = teacher.finish()
    translator = Translator(load_preset(str(folder)))
    source = tuple(translator.bilingual.source.id_of(word) for word in ("我", "爱", "图书馆", "。"))

    assert translator.bilingual.source.symbols[-1] == "爱图"
    assert translator.translate(source, 1) == "I love the gigigi"


def test_a_new_word_begins_as_the_mean_of_its_characters() -> None:
    """One that is there already is not added again."""
    weights = dict(a_model(config()).state_dict())
    more, grown = with_words(BILINGUAL, weights, ("爱看", "北京", "爱看"))
    table = weights["encoder.embedding.look_up.weight"]
    mean = (table[BILINGUAL.source.id_of("爱")] + table[BILINGUAL.source.id_of("看")]) / 2

    assert more.source.symbols == (*BILINGUAL.source.symbols, "爱看")
    assert torch.allclose(grown["encoder.embedding.look_up.weight"][-1], mean)
    assert len(grown["encoder.embedding.look_up.weight"]) == len(table) + 1


def test_mistakes_are_told(tmp_path: Path) -> None:
    """A preset without trained weights; a file without training rows."""
    with pytest.raises(NotTrained):
        Teacher(teaching(tmp_path, preset="tiny"))
    (tmp_path / "none.tsv").write_text(HEADER, encoding="utf-8")
    with pytest.raises(EmptySplit):
        Teacher(teaching(tmp_path, keep=tmp_path / "none.tsv"))


def test_the_command_teaches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line of figures, and where it was written."""
    own, old = files(tmp_path)
    (tmp_path / "start").mkdir()
    status = main(
        [
            "teach",
            "--data",
            str(own),
            "--keep",
            str(old),
            "--out",
            str(tmp_path / "out"),
            "--steps",
            "3",
            "--word",
            "爱图",
            "--preset",
            a_bundle(tmp_path / "start"),
            "--language",
            "en",
        ]
    )
    said = capsys.readouterr().out

    assert status == 0
    assert "step 3/3 · 100%" in said and str(tmp_path / "out") in said
    assert (tmp_path / "out" / "weights.safetensors").exists()


def test_a_translator_from_english_is_taught_its_rows(tmp_path: Path) -> None:
    """English is the source, with and without its full stop; its vocabulary takes no words."""
    own, old = files(tmp_path)
    own.write_text(HEADER + "train\t我爱猫。\tI love cats.\n", encoding="utf-8")
    asked = Teaching(preset=an_english_preset(tmp_path / "start"), own=own, keep=old, out=tmp_path / "out", steps=40)
    asked = attrs.evolve(asked, rows=4, learning_rate=0.02, keep_weight=1.0)
    teacher = Teacher(asked)
    steps = list(teacher.steps())

    assert steps[-1].loss < steps[0].loss - 0.5
    assert load_preset(str(teacher.finish())).reads_english
    with pytest.raises(WordOfBytePairs) as caught:
        Teacher(attrs.evolve(asked, words=("Tiananmen",)))
    assert all("Tiananmen" in Words.load(language).error(caught.value) for language in LANGUAGES)


@pytest.mark.parametrize("word", ["", " ", "\u3000", "\x85", "a b", "a\nb", "a\0", "\u202e", "\ud800", "\x1b[2J"], ids=ascii)
def test_a_word_that_nobody_sees_is_refused(word: str, tmp_path: Path) -> None:
    """Before anything is read or written: each symbol has a line of its own in the vocabulary's file."""
    with pytest.raises(BadWord) as caught:
        Teacher(teaching(tmp_path, words=("爱图", word)))

    assert not (tmp_path / "out").exists()
    assert all(Words.load(language).error(caught.value).isprintable() for language in LANGUAGES)
