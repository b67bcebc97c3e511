"""LoRA adapters: what is added is PEFT's formula, it comes off again to the bit, and what is not plain LoRA is refused."""

import json
import math
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file

import explorer
from explorer.cli.main import main
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.errors import (
    AdapterDoesNotFit,
    AdapterNeedsModel,
    AdapterNotThere,
    BadFolder,
    BadWeights,
    ExplorerError,
    NeedsSafetensors,
    NotAnAdapter,
    NotANumber,
    NotNumbers,
    TextForNumber,
    UnknownAdapter,
)
from explorer.foreign import thin
from explorer.foreign.adapter import Dressed, read_adapter
from explorer.foreign.folder import check_folder
from explorer.foreign.opening import open_model
from explorer.lang import LANGUAGES, Words
from tests.foreign.models import fresh, write_model

RANK, ALPHA = 3, 6.0
TEXT = "the fox loves the dogs"
SETTINGS: dict[str, Any] = {"peft_type": "LORA", "r": RANK, "lora_alpha": ALPHA, "bias": "none", "use_rslora": False}
GPT2 = {"transformer.h.0.attn.c_attn": (32, 96), "transformer.h.1.mlp.c_proj": (128, 32)}  # in, out
LLAMA = {"model.layers.0.self_attn.q_proj": (32, 32), "model.layers.1.self_attn.v_proj": (32, 16)}


def matrices(layers: dict[str, tuple[int, int]], rank: int = RANK) -> dict[str, NDArray[np.float32]]:
    """The tensors of an adapter for layers of these sizes (in, out), as PEFT names them."""
    chance = np.random.default_rng(7)
    return {
        f"base_model.model.{name}.lora_{which}.weight": chance.normal(size=shape).astype(np.float32) / 4
        for name, (n_in, n_out) in layers.items()
        for which, shape in (("A", (rank, n_in)), ("B", (n_out, rank)))
    }


def write_adapter(folder: Path, tensors: dict[str, NDArray[np.float32]], **changed: Any) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "adapter_config.json").write_text(json.dumps(SETTINGS | changed))
    save_file({name: torch.from_numpy(array) for name, array in tensors.items()}, folder / "adapter_model.safetensors")
    return folder


def merged(
    base: Path, tensors: dict[str, NDArray[np.float32]], scale: float, *, transposed: bool
) -> dict[str, NDArray[np.float64]]:
    """W + s·B·A of every layer in float64, from the files alone; GPT-2's weights are [in, out]."""
    weights = {name: tensor.double().numpy() for name, tensor in load_file(base / "model.safetensors").items()}
    known = {name.removeprefix("transformer."): name for name in weights}
    for name in [each for each in tensors if each.endswith("lora_A.weight")]:
        a, b = (tensors[name.replace("lora_A", which)].astype(np.float64) for which in ("lora_A", "lora_B"))
        path = name.removeprefix("base_model.model.").removesuffix("lora_A.weight") + "weight"
        path = known[path.removeprefix("transformer.")]
        added = scale * b @ a
        weights[path] = weights[path] + (added.T if transposed else added)
    return weights


def said_by(name: str, weights: dict[str, NDArray[np.float64]], trace: explorer.Trace) -> NDArray[Any]:
    """[position, vocab] the logits of a fresh model of the library with these weights, on the tokens of a Trace."""
    model = fresh(name).eval()
    told = model.load_state_dict({each: torch.from_numpy(array).float() for each, array in weights.items()}, strict=False)
    assert not told.unexpected_keys
    ids = torch.tensor([[token.id for token in trace.tokens.target]])
    with torch.inference_mode():
        return model(ids, use_cache=False).logits[0].numpy()


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("bases")
    return {name: write_model(folder / name, name) for name in ("gpt2", "llama")}


CASES = [
    pytest.param("gpt2", GPT2, {"fan_in_fan_out": True}, ALPHA / RANK, id="gpt2"),
    pytest.param("llama", LLAMA, {}, ALPHA / RANK, id="llama"),
    pytest.param("llama", LLAMA, {"use_rslora": True}, ALPHA / math.sqrt(RANK), id="rank stabilized"),
    pytest.param("llama", LLAMA, {"alpha_pattern": {"v_proj": 9, "q_proj": 9}}, 9 / RANK, id="alpha by layer"),
    pytest.param(
        "llama", LLAMA, {"r": 8, "rank_pattern": {"v_proj": 3, "self_attn.q_proj": 3}}, ALPHA / RANK, id="rank by layer"
    ),
]


@pytest.mark.slow  # To import transformers takes seconds.
@pytest.mark.parametrize(("name", "layers", "changed", "scale"), CASES)
def test_the_weights_are_pefts_formula_in_float64(
    name: str, layers: dict[str, tuple[int, int]], changed: dict[str, Any], scale: float, bases: dict[str, Path], tmp_path: Path
) -> None:
    """The logits with the adapter are those of the library's own model with W + s·B·A; another factor would be noticed."""
    tensors = matrices(layers)
    adapter = write_adapter(tmp_path / "adapter", tensors, **changed)
    base = bases[name]

    plain, adapted = explorer.explore(TEXT, preset=base), explorer.explore(TEXT, preset=base, adapter=adapter)

    transposed = name == "gpt2"
    expected = said_by(name, merged(base, tensors, scale, transposed=transposed), adapted)
    wrong = said_by(name, merged(base, tensors, 1.1 * scale, transposed=transposed), adapted)
    largest = np.abs(expected).max()
    assert np.abs(adapted["generator.logits"] - expected).max() < 1e-5 * largest
    assert np.abs(adapted["generator.logits"] - wrong).max() > 1e-3 * largest
    assert np.abs(adapted["generator.logits"] - plain["generator.logits"]).max() > 1e-2 * largest
    assert adapted.card.name == f"{plain.card.name} + adapter"


@pytest.mark.slow  # To import transformers takes seconds.
def test_it_comes_off_again_to_the_bit(bases: dict[str, Path], tmp_path: Path) -> None:
    """On, off, another one, off: the base gives the same bits as before, and so does the adapter."""
    one = write_adapter(tmp_path / "one", matrices(GPT2))
    two = write_adapter(tmp_path / "two", matrices({"transformer.h.0.mlp.c_fc": (32, 128)}))
    logits = {}
    for turn, adapter in enumerate((None, one, None, two, one, None)):
        found = explorer.explore(TEXT, preset=bases["gpt2"], adapter=adapter)["generator.logits"]
        before = logits.setdefault(adapter, found)
        np.testing.assert_array_equal(found, before, err_msg=str(turn))
    assert len({found.tobytes() for found in logits.values()}) == 3


@pytest.mark.slow  # To import transformers takes seconds.
def test_it_is_compared_with_its_base(bases: dict[str, Path], tmp_path: Path) -> None:
    """The compared Wish has the adapter off; both sides of the comparison are what they are alone."""
    adapter = write_adapter(tmp_path / "adapter", matrices(LLAMA))
    plain, adapted = (
        explorer.explore(TEXT, preset=bases["llama"]),
        explorer.explore(TEXT, preset=bases["llama"], adapter=adapter),
    )
    request = Request.from_preset(str(bases["llama"]), TEXT).wishing(adapter=str(adapter))
    request = request.wishing(compared_with=attrs.evolve(request.wish, adapted=False))
    computer = Computer()
    for _ in range(2):
        trace = computer(request).trace
        np.testing.assert_array_equal(trace["generator.logits"], adapted["generator.logits"])
        assert trace.compared_with is not None
        np.testing.assert_array_equal(trace.compared_with["generator.logits"], plain["generator.logits"])


@pytest.mark.slow  # To import transformers takes seconds.
def test_the_command_line_takes_it(bases: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`show TEXT --preset BASE --adapter FOLDER` says the next token of the adapted model; effects take it from Python."""
    adapter = write_adapter(tmp_path / "adapter", matrices(LLAMA))
    told = []
    for more in ([], ["--adapter", str(adapter)]):
        assert main(["--language", "en", "show", TEXT, "--preset", str(bases["llama"]), *more]) == 0
        told.append(capsys.readouterr().out)

    assert told[0] != told[1]


@pytest.mark.slow  # To import transformers takes seconds.
def test_an_adapter_of_another_model_is_refused(bases: dict[str, Path], tmp_path: Path) -> None:
    """By a layer that is not there, by a shape, by a tied output; the base goes on as before."""
    before = explorer.explore(TEXT, preset=bases["gpt2"])["generator.logits"]
    for number, layers in enumerate(
        (LLAMA, {"transformer.h.0.attn.c_attn": (32, 95)}, {"lm_head": (32, 40)}, {"transformer.wte": (32, 40)})
    ):
        adapter = write_adapter(tmp_path / str(number), matrices(layers))
        with pytest.raises(AdapterDoesNotFit, match=next(iter(layers)).rpartition(".")[2].replace("wte", "wte|=")):
            explorer.explore(TEXT, preset=bases["gpt2"], adapter=adapter)
        np.testing.assert_array_equal(explorer.explore(TEXT, preset=bases["gpt2"])["generator.logits"], before)


@pytest.mark.slow  # To import transformers takes seconds.
@pytest.mark.parametrize("size", [1e19, 3e38])
def test_finite_numbers_that_make_nan_are_said(size: float, bases: dict[str, Path], tmp_path: Path) -> None:
    """The sum of the weights is beyond float32, or what is computed with it; the base goes on as before, to the bit."""
    before = explorer.explore(TEXT, preset=bases["gpt2"])["generator.logits"]
    adapter = write_adapter(tmp_path / "large", {name: np.full_like(each, size) for name, each in matrices(GPT2).items()})
    for _again in range(2):
        with pytest.raises(NotNumbers, match="NaN"):
            explorer.explore(TEXT, preset=bases["gpt2"], adapter=adapter)
        np.testing.assert_array_equal(explorer.explore(TEXT, preset=bases["gpt2"])["generator.logits"], before)


def test_one_of_our_own_models_takes_none(tmp_path: Path) -> None:
    """An adapter belongs to somebody's model."""
    with pytest.raises(AdapterNeedsModel, match="adapter"):
        explorer.explore("我", preset="tiny", adapter=write_adapter(tmp_path / "adapter", matrices(GPT2)))


@pytest.mark.parametrize(
    ("changed", "error", "named"),
    [
        ({"use_dora": True}, UnknownAdapter, "use_dora"),
        ({"use_qalora": True}, UnknownAdapter, "use_qalora"),
        ({"modules_to_save": ["lm_head"]}, UnknownAdapter, "modules_to_save"),
        ({"peft_type": "LOHA"}, UnknownAdapter, "LOHA"),
        ({"peft_type": None}, UnknownAdapter, "peft_type"),
        ({"bias": "all"}, UnknownAdapter, "bias"),
        ({"init_lora_weights": "pissa"}, UnknownAdapter, "pissa"),
        ({"alpha_pattern": {"(a+)+$": 3}}, UnknownAdapter, "alpha_pattern"),
        ({"lora_alpha": "much"}, TextForNumber, '"much"'),
        ({"r": "2"}, TextForNumber, '"2"'),
        ({"r": True}, NotANumber, "true"),
        ({"rank_pattern": {"c_attn": [2]}}, NotANumber, "rank_pattern.c_attn"),
        ({"lora_alpha": math.inf}, NotAnAdapter, "lora_alpha"),
        ({"lora_alpha": math.nan}, NotAnAdapter, "lora_alpha"),
        ({"lora_alpha": 10**400}, NotAnAdapter, "401"),
        ({"lora_alpha": -(10**250)}, NotAnAdapter, "lora_alpha"),
        ({"alpha_pattern": {"c_attn": 10**400}}, NotAnAdapter, "401"),
        ({"r": 4}, BadWeights, "r = 4"),
    ],
    ids=str,
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_not_plain_lora_is_one_sentence(
    changed: dict[str, Any], error: type[ExplorerError], named: str, language: str, tmp_path: Path
) -> None:
    """With the setting that stands in the way."""
    folder = write_adapter(tmp_path / "adapter", matrices(GPT2), **changed)
    with pytest.raises(error) as caught:
        read_adapter(folder)

    assert named in Words.load(language).error(caught.value)


def test_a_folder_that_is_not_there_is_said_to_be_so() -> None:
    """And no settings are missed in it."""
    with pytest.raises(AdapterNotThere) as caught:
        read_adapter(Path("/nowhere"))

    assert "/nowhere does not exist" in Words.load("en").error(caught.value)
    assert "/nowhere 不存在" in Words.load("zh").error(caught.value)


def test_wrong_files_are_one_sentence(tmp_path: Path) -> None:
    """No folder, no settings, a pickle, half a pair, other tensors, NaN, a cut file; nothing is unpickled."""
    good = matrices(GPT2)
    first = next(iter(good))
    without_b = {name: array for name, array in good.items() if name != first.replace("lora_A", "lora_B")}
    for number, tensors in enumerate(
        (without_b, {**good, "base_model.model.lm_head.weight": good[first].copy()}, {"x": good[first]})
    ):
        with pytest.raises(BadWeights if number == 0 else UnknownAdapter):
            read_adapter(write_adapter(tmp_path / str(number), tensors))
    spoiled = good | {first: np.full_like(good[first], np.nan)}
    with pytest.raises(BadWeights, match="NaN"):
        read_adapter(write_adapter(tmp_path / "nan", spoiled))
    with pytest.raises(NotAnAdapter):
        read_adapter(tmp_path / "nowhere")
    folder = write_adapter(tmp_path / "cut", good)
    whole = (folder / "adapter_model.safetensors").read_bytes()
    (folder / "adapter_model.safetensors").write_bytes(whole[:-3])
    with pytest.raises(BadWeights):
        read_adapter(folder)
    (folder / "adapter_model.safetensors").unlink()
    with pytest.raises(NotAnAdapter):
        read_adapter(folder)
    (folder / "adapter_model.bin").write_bytes(b"\x80\x04.")
    with pytest.raises(NeedsSafetensors):
        read_adapter(folder)
    for text in ("", "[]", "{", "[" * 50_000, '{"peft_type": "LORA", "rank_pattern": 7}'):
        (folder / "adapter_config.json").write_text(text)
        with pytest.raises(BadFolder):
            read_adapter(folder)


def test_nothing_changes_where_it_does_not_fit(tmp_path: Path) -> None:
    """Of two layers the second does not fit: the first is as it was, and so is what was worn before."""
    model = torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.Linear(5, 6))
    before = [each.weight.clone() for each in model]
    good = read_adapter(write_adapter(tmp_path / "good", matrices({"0": (4, 5)})))
    dressed = Dressed(model)
    dressed.wear(good)
    worn = model[0].weight.clone()
    with pytest.raises(AdapterDoesNotFit):
        dressed.wear(read_adapter(write_adapter(tmp_path / "bad", matrices({"0": (4, 5), "1": (5, 7)}))))

    assert torch.equal(model[0].weight, worn)
    assert not torch.equal(worn, before[0])
    dressed.wear(None)
    assert all(torch.equal(each.weight, then) for each, then in zip(model, before, strict=True))


@pytest.mark.slow  # To import transformers takes seconds.
@pytest.mark.parametrize("held", ["bfloat16", "streamed"])
@pytest.mark.parametrize(("name", "layers"), [("gpt2", GPT2), ("llama", LLAMA)])
def test_a_model_whose_weights_are_lent_wears_it_too(
    held: str,
    name: str,
    layers: dict[str, tuple[int, int]],
    bases: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Streamed it gives the numbers of the whole model; of half the width, those of its own weights with the same sum."""
    monkeypatch.setattr(thin, "SMALL", 64)
    adapter = read_adapter(write_adapter(tmp_path / "adapter", matrices(layers)))
    wrong = read_adapter(write_adapter(tmp_path / "wrong", matrices({"lm_head": (32, 40)})))
    thinly, whole = (open_model(attrs.evolve(check_folder(bases[name]), held=each)).foreign for each in (held, "float32"))
    if held == "bfloat16":
        with torch.no_grad():
            for parameter in whole.model.parameters():
                parameter.copy_(parameter.bfloat16().float())
    dressed = [Dressed(each.model, each.model.base_model_prefix) for each in (thinly, whole)]
    ids = torch.tensor([[5, 9, 30, 9]])

    def logits() -> list[torch.Tensor]:
        with torch.inference_mode():
            return [each(None, ids) for each in (thinly, whole)]

    plain = logits()
    for each in dressed:
        each.wear(adapter)
    adapted = logits()
    for each in dressed:
        each.wear(None)

    torch.testing.assert_close(adapted[0], adapted[1], rtol=0, atol=1e-5)
    assert (adapted[1] - plain[1]).abs().max() > 0.05
    for after, before in zip(logits(), plain, strict=True):
        assert torch.equal(after, before)
    if name == "gpt2":
        with pytest.raises(AdapterDoesNotFit, match="lm_head"):
            dressed[0].wear(wrong)
