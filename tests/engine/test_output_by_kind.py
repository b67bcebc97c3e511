"""Hidden words and sentence vectors: against single passes, and against pooling written down once more."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import explorer
from explorer.api import waiting
from explorer.cli.main import main
from explorer.engine.compute import Computer
from explorer.engine.errands import hiding
from explorer.errors import EmptyText, NoMaskToken, NoSentenceVectors, TooLong, UnknownPooling
from explorer.foreign.pooling import Pooling, read_pooling
from explorer.state.wish import Wish
from explorer.stops import Superseded
from explorer.trace.found.similarity import Similarity
from tests.foreign.models import fresh, write_model

TEXT = "the fox loves the dogs"
TEXTS = (TEXT, "the dog and the fox", "unable")
slow = pytest.mark.slow  # To import transformers takes seconds.


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a family's tiny model."""
    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in made:
            made[name] = write_model(tmp_path_factory.mktemp("kinds") / name.replace(" ", "-"), name)
        return made[name]

    return of


Folder = Callable[[str], Path]


def one_by_one(name: str, row: list[int], mask: int) -> np.ndarray[Any, Any]:
    """[place, vocab] log P of all symbols where each token but the ends is hidden, in passes of the model alone."""
    model = fresh(name)
    model.set_attn_implementation("eager")
    found = []
    for place in range(1, len(row) - 1):
        ids = torch.tensor([[*row[:place], mask, *row[place + 1 :]]])
        with torch.inference_mode():
            found.append(model(input_ids=ids).logits[0, place].log_softmax(-1).numpy())
    return np.stack(found)


@slow
@pytest.mark.parametrize(("name", "at_once"), [("bert", 1), ("bert", 2**23), ("albert", 2**23)])
def test_hidden_words_are_those_of_single_passes(
    name: str, at_once: int, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one batch and in several; the pseudo-log-likelihood is the sum, and another mask would be seen."""
    monkeypatch.setattr(hiding, "_CELLS_AT_ONCE", at_once)
    found = explorer.cloze(TEXT, folder(name))
    row = [token.id for token in explorer.explore(TEXT, preset=folder(name)).tokens.source]
    own = one_by_one(name, row, 39)  # [MASK] is the last of forty pieces.
    places = np.arange(len(row) - 2)

    assert found.ids == tuple(row[1:-1]) and found.positions == tuple(range(1, len(row) - 1))
    np.testing.assert_allclose(found.log_p, own[places, row[1:-1]], atol=1e-4)
    assert found.total == pytest.approx(own[places, row[1:-1]].sum(), abs=1e-3)
    assert (found.candidates[:, 0] == own.argmax(1)).all()
    np.testing.assert_allclose(found.probabilities, np.exp(np.take_along_axis(own, found.candidates, 1)), atol=1e-5)
    assert found.ranks.tolist() == [1 + int((line > line[id_]).sum()) for line, id_ in zip(own, row[1:-1], strict=True)]
    assert abs(found.log_p - one_by_one(name, row, 5)[places, row[1:-1]]).max() > 1e-2
    assert found.mask == "[MASK]" and "the" in repr(found)
    assert found.to_dict()["places"][0]["candidates"][0]["text"] == found.names[int(found.candidates[0, 0])]


@slow
@pytest.mark.parametrize("name", ["gpt2", "bert without an output", "t5"])
def test_other_kinds_fill_nothing_in(name: str, folder: Folder) -> None:
    """They say so; so does a model of our own."""
    with pytest.raises(NoMaskToken):
        explorer.cloze(TEXT, folder(name))


@slow
def test_hiding_can_be_stopped(folder: Folder) -> None:
    """At any tap of the batch."""
    with pytest.raises(Superseded):
        Computer().writing.cloze(Wish.from_preset(str(folder("bert")), TEXT), lambda: True)


@slow
def test_both_show_how_far_they_are(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that takes long has a bar, which counts each batch of hidden words and each text up to the last one."""
    shown: list[float] = []
    monkeypatch.setattr(waiting, "_SOON_S", -1.0)  # Every call takes long.
    monkeypatch.setattr(hiding, "_CELLS_AT_ONCE", 1)
    monkeypatch.setattr(waiting, "_Bar", lambda: SimpleNamespace(show=shown.append, end=lambda: shown.append(-1.0)))

    n = len(explorer.cloze(TEXT, folder("bert")).tokens)
    assert shown == [*((each + 1) / n for each in range(n)), -1.0]
    shown.clear()
    explorer.similar(TEXTS, folder("bert without an output"))
    assert shown == [1 / 3, 2 / 3, 1.0, -1.0]


def own_vectors(name: str, texts: tuple[str, ...], preset: Path) -> list[np.ndarray[Any, Any]]:
    """[position, feature] the last vectors of each text, by the model alone."""
    model = fresh(name)
    model.set_attn_implementation("eager")
    rows = [[token.id for token in explorer.explore(text, preset=preset).tokens.source] for text in texts]
    with torch.inference_mode():
        return [model(input_ids=torch.tensor([row])).last_hidden_state[0].numpy() for row in rows]


def write_pooling(folder: Path, *, kinds: tuple[str, ...] = ("Pooling",), **settings: object) -> Path:
    """The files of a sentence model beside a model."""
    parts = [
        {"idx": n, "path": f"{n}_{kind}", "type": f"sentence_transformers.models.{kind}"} for n, kind in enumerate(kinds, 1)
    ]
    first = {"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"}
    (folder / "modules.json").write_text(json.dumps([first, *parts]))
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(settings))
    return folder


@slow
@pytest.mark.parametrize("way", ["cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "lasttoken"])
def test_vectors_are_pooled_as_the_files_say(way: str, folder: Folder, tmp_path: Path) -> None:
    """Each way written down once more, with all tokens of a text, the special ones too; cosines from torch."""
    import shutil

    preset = Path(shutil.copytree(folder("bert without an output"), tmp_path / "model"))
    write_pooling(preset, **{f"pooling_mode_{way}": True})
    found = explorer.similar(TEXTS, preset)
    vectors = own_vectors("bert without an output", TEXTS, preset)
    pooled = {
        "cls_token": [each[0] for each in vectors],
        "mean_tokens": [each.mean(0) for each in vectors],
        "max_tokens": [each.max(0) for each in vectors],
        "mean_sqrt_len_tokens": [each.sum(0) / np.sqrt(len(each)) for each in vectors],
        "lasttoken": [each[-1] for each in vectors],
    }[way]
    wanted = torch.tensor(np.stack(pooled))
    cosines = torch.nn.functional.cosine_similarity(wanted[:, None], wanted[None], dim=-1)

    assert found.told and not found.normalises
    np.testing.assert_allclose(found.vectors, wanted, atol=1e-4)
    np.testing.assert_allclose(found.cosines, cosines, atol=1e-5)


@slow
def test_without_files_the_mean_is_assumed_and_said(folder: Folder) -> None:
    """Its vectors have the length 1; a text too long for the model is refused, and so is another kind."""
    preset = folder("bert without an output")
    found = explorer.similar(TEXTS, preset)

    assert not found.told and found.pooling == ("mean",)
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(np.diag(found.cosines), 1, atol=1e-5)
    with pytest.raises(TooLong):
        explorer.similar(["fox " * 40], preset)
    with pytest.raises(EmptyText):
        explorer.similar([], preset)
    for other in ("gpt2", "bert"):
        with pytest.raises(NoSentenceVectors):
            explorer.similar(TEXTS, folder(other))


@slow
def test_the_commands_say_the_same(folder: Folder, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """In lines for people, as JSON all numbers; a file's lines are texts."""
    masked, headless = str(folder("bert")), str(folder("bert without an output"))
    assert main(["cloze", TEXT, "--preset", masked, "--language", "en"]) == 0
    assert f"{explorer.cloze(TEXT, masked).total:.3f}" in capsys.readouterr().out
    assert main(["cloze", TEXT, "--preset", masked, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["places"]) > 4
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS) + "\n\n", encoding="utf-8")
    assert main(["similar", str(tmp_path / "texts.txt"), "--preset", headless, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert tuple(found["texts"]) == TEXTS
    np.testing.assert_allclose(found["cosines"], explorer.similar(TEXTS, headless).cosines, atol=1e-6)
    assert main(["similar", *TEXTS, "--preset", headless, "--language", "en"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert "assumed" in told[0] and len(told) == 4


def test_the_files_of_a_pooling_are_read_as_data(tmp_path: Path) -> None:
    """Switches, or a name; a further layer, a strange path and broken JSON are refused."""
    assert read_pooling(tmp_path) == Pooling()
    both = write_pooling(tmp_path, pooling_mode_max_tokens=True, pooling_mode_cls_token=True, pooling_mode_mean_tokens=False)
    assert read_pooling(both) == Pooling(("cls", "max"), normalises=False, told=True)
    assert read_pooling(write_pooling(tmp_path, kinds=("Pooling", "Normalize"), pooling_mode="mean")).normalises
    for wrong in ({"pooling_mode": "strange"}, {}, {"pooling_mode_weightedmean_tokens": True}):
        with pytest.raises(UnknownPooling):
            read_pooling(write_pooling(tmp_path, **wrong))
    with pytest.raises(UnknownPooling):
        read_pooling(write_pooling(tmp_path, kinds=("Pooling", "Dense"), pooling_mode="mean"))
    for text in ("{", "{}", '[{"type": 3}]', '[{"type": "a.Pooling", "path": "../x"}]', '[{"type": "my.Code", "path": ""}]'):
        (tmp_path / "modules.json").write_text(text)
        with pytest.raises(UnknownPooling):
            read_pooling(tmp_path)


def test_a_vector_of_zeros_has_no_cosine() -> None:
    """It is NaN, and not 0, which would look like a right angle."""
    found = Similarity(("a", "b"), np.array([[0, 0], [3, 4]], np.float32))
    assert np.isnan(found.cosines[0]).all() and found.cosines[1, 1] == pytest.approx(1)
    assert "2 texts" in repr(found)
