"""Fitting a Jacobian lens: what is written is the mean of the matrices, what is measured can be counted again by hand."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import explorer
from explorer.cli.main import main
from explorer.engine.compute import Computer
from explorer.engine.experiments.jacobian_sums import jacobian_sums
from explorer.engine.experiments.lens_file import Fitted, read_fitted, weights_hash, write_fitted
from explorer.engine.request import Request
from explorer.errors import BadCheckpoint, BadWeights, EmptySplit, LensOfOtherKnobs, LensOfOtherWeights, NotTrained
from explorer.model.weights_file import FILE as WEIGHTS
from explorer.model.weights_file import read_about, read_tensors, save_weights
from explorer.presets import LENS
from explorer.resources import asset
from explorer.tokens.tokenizer import Tokenizers
from explorer.trace.found.findings import NotMade
from explorer.trace.found.lens import Agreement
from explorer.training.lens_fit import CHECKPOINT, Fitting, LensFitter, agreeing
from tests.engine.sources.bundles import a_bundle
from tests.mapped import is_mapped

pytestmark = pytest.mark.slow  # trains and fits

ROWS = """split	zh	en
valid	我爱图书馆。	I love the
valid	他看北京。	a big one
valid	你爱我	I love you
test	我看猫	cats
test	你看北京	you a
"""


def fitting(folder: Path, **changes: object) -> Fitting:
    """A tiny trained preset of two layers with a lens to be fitted beside its weights."""
    data = folder / "rows.tsv"
    data.write_text(ROWS, encoding="utf-8")
    (folder / "preset").mkdir(exist_ok=True)
    preset = a_bundle(folder / "preset", n_layers=2)
    return Fitting(**{"preset": preset, "data": data, "out": Path(preset), "sentences": 3, **changes})  # type: ignore[arg-type]


def fitted(wish: Fitting) -> LensFitter:
    fitter = LensFitter(wish)
    for _ in fitter.steps():
        pass
    fitter.finish()
    return fitter


def explored(preset: str, tokenizers: Tokenizers, **knobs: object) -> explorer.Trace:
    request = Request.from_preset(preset, "我爱北京", **knobs).asking(experiments=frozenset({"lens", "jacobian"}))
    return Computer(tokenizers)(request).trace


def test_what_is_written_is_the_mean_over_all_places(tmp_path: Path, tokenizers: Tokenizers) -> None:
    """Of three sentences; the pass with these weights then has the lens, and its agreement."""
    fitter = fitted(fitting(tmp_path))
    batches = [fitter.batch(row) for row in fitter.rows]
    found = read_fitted(tmp_path / "preset" / LENS)
    assert not is_mapped(tmp_path / "preset" / LENS)  # Another fit may replace it.
    places = sum(batch.given.shape[1] for batch in batches)
    for tap, matrix in found.matrices.items():
        total = sum(jacobian_sums(fitter.model, each.source, each.given, lambda: False)[tap] for each in batches)
        torch.testing.assert_close(matrix, total / places, atol=2e-3, rtol=2e-3)
    assert found.weights == weights_hash(fitter.model)
    lens = explored(str(tmp_path / "preset"), tokenizers).lens(jacobian=True)
    assert lens.agreement == fitter.agreement == found.agreement
    assert lens.agreement is not None and lens.agreement.fitted == 3 and lens.agreement.sentences == 2


def test_a_fit_that_was_ended_goes_on_as_if_nothing_had_happened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After two of three sentences; the same numbers to the last bit. One of another seed begins anew."""
    monkeypatch.setattr("explorer.training.lens_fit._KEPT_EVERY", 1)
    whole = fitted(fitting(tmp_path)).matrices
    wish = fitting(tmp_path)
    steps = LensFitter(wish).steps()
    assert [next(steps).done for _ in range(2)] == [1, 2]
    steps.close()
    again = LensFitter(wish)
    assert again.done == 2 and not is_mapped(wish.out / CHECKPOINT)  # It is replaced from now on.
    assert LensFitter(fitting(tmp_path, seed=5)).done == 0
    for _ in again.steps():
        pass
    assert all(torch.equal(again.matrices[tap], whole[tap]) for tap in whole)
    again.finish()
    assert not (wish.out / CHECKPOINT).exists()


def test_the_agreement_is_counted_place_by_place(tmp_path: Path, tokenizers: Tokenizers) -> None:
    """Against the lenses of whole passes with the held-out rows as targets: how often each layer's word is the output's."""
    fitter = fitted(fitting(tmp_path))
    lens, carried, places = (np.zeros(len(fitter.taps), int) for _ in range(3))
    for source, target in fitter.held_out:
        request = Request.from_preset(str(tmp_path / "preset"), source).wishing(target=target)
        found = Computer(tokenizers)(request.asking(experiments=frozenset({"lens", "jacobian"}))).trace
        for counts, one in ((lens, found.lens()), (carried, found.lens(jacobian=True))):
            counts += (one.ids[:, :, 0] == one.ids[-1, :, 0]).sum(axis=1)
        places += len(found.lens().written)
    assert fitter.agreement.lens == tuple(lens) and fitter.agreement.jacobian == tuple(carried)
    assert fitter.agreement.places == places[0]
    assert lens[-1] == carried[-1] == places[0]


def test_a_changed_weight_withdraws_the_lens(tmp_path: Path, tokenizers: Tokenizers) -> None:
    """One number of one matrix in the file of weights; the sentence says so. So does another value of a knob."""
    wish = fitting(tmp_path)
    fitted(wish)
    path = Path(wish.preset) / WEIGHTS
    assert not isinstance(explored(wish.preset, tokenizers).experiments["jacobian"], NotMade)
    knob = explored(wish.preset, tokenizers, temperature=2.0).experiments["jacobian"]
    assert isinstance(knob, NotMade) and isinstance(knob.error, LensOfOtherKnobs) and "emperature" in str(knob.error)
    weights = read_tensors(path)
    weights["generator.project.bias"][7] += 0.5
    save_weights(path, weights, read_about(path))
    none = explored(wish.preset, tokenizers).experiments["jacobian"]
    assert isinstance(none, NotMade) and isinstance(none.error, LensOfOtherWeights)
    random = Request.from_preset(wish.preset, "我").wishing(trained=False).asking(experiments=frozenset({"jacobian"}))
    assert isinstance(Computer(tokenizers)(random).trace.experiments["jacobian"], NotMade)


def test_a_broken_file_is_told_and_nothing_else_breaks(tmp_path: Path, tokenizers: Tokenizers) -> None:
    """A lens cut short, figures that cannot be, and a checkpoint of nonsense."""
    wish = fitting(tmp_path)
    fitter = fitted(wish)
    path = wish.out / LENS
    good = read_fitted(path)
    impossible = Agreement(("a",), (3,), (1,), 2, 1, 1)
    write_fitted(path, Fitted(good.matrices, good.weights, good.knobs, impossible))
    with pytest.raises(BadWeights):
        read_fitted(path)
    path.write_bytes(path.read_bytes()[:200])
    none = explored(wish.preset, tokenizers).experiments["jacobian"]
    assert isinstance(none, NotMade) and isinstance(none.error, BadWeights)
    (wish.out / CHECKPOINT).write_bytes(b"nonsense")
    with pytest.raises(BadCheckpoint):
        LensFitter(wish)
    assert fitter.agreement.better + fitter.agreement.worse <= len(fitter.taps) - 1


def test_mistakes_are_told(tmp_path: Path) -> None:
    """A preset without trained weights; a file without rows to fit on, or to measure on."""
    with pytest.raises(NotTrained):
        LensFitter(fitting(tmp_path, preset="tiny"))
    for split, kept in (("valid", "test"), ("test", "valid")):
        (tmp_path / "some.tsv").write_text(
            "".join(line for line in ROWS.splitlines(keepends=True) if not line.startswith(split)), encoding="utf-8"
        )
        with pytest.raises(EmptySplit, match=split):
            LensFitter(fitting(tmp_path, data=tmp_path / "some.tsv"))
        assert kept


def test_the_command_fits_and_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each layer with both shares, and the sentence about small models; the lens command has the same figures."""
    wish = fitting(tmp_path)
    call = ["fit-lens", "--preset", wish.preset, "--data", str(wish.data), "--sentences", "2", "--language", "en"]
    assert main(call) == 0
    said = capsys.readouterr().out
    assert "decoder.layers.1.residual3" in said and "100.0%" in said and "over-read" in said and LENS in said
    assert main(["lens", "我爱北京", "--preset", wish.preset, "--jacobian", "--json", "--language", "en"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["agreement_on_held_out"]["fitted"] == 2 and told["rows"][-1]["exact"]
    assert main(["fit-lens", "--preset", "tiny", "--language", "en"]) == 2


def test_the_shipped_lens_fits_the_shipped_weights(tokenizers: Tokenizers) -> None:
    """Its file is below 2 MB, and every fortieth of its held-out rows, counted again, gives about its figures."""
    path = asset(f"presets/translator/{LENS}")
    assert path.stat().st_size < 2 * 2**20
    told = read_fitted(path)
    wish = Fitting(preset="translator", data=asset("presets/translator/held-out.tsv"), out=path.parent)
    fitter = LensFitter(wish)
    assert told.weights == weights_hash(fitter.model) == fitter.weights
    assert told.agreement.taps == fitter.taps and told.agreement.sentences == len(fitter.held_out)
    rows = fitter.held_out[::40]
    agrees = [agreeing(fitter, fitter.batch(row), told.matrices) for row in rows]  # [lens, tap, position]
    shares = np.concatenate([each.numpy() for each in agrees], axis=-1).mean(axis=-1)  # [lens, tap]
    for jacobian in (False, True):
        assert shares[int(jacobian)] == pytest.approx(told.agreement.shares(jacobian=jacobian), abs=0.1)
    assert told.agreement.shares(jacobian=True)[-1] == 1.0
