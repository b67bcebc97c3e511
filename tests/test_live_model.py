"""`explorer.load_model`: a module that a person holds. Whatever is done to it takes effect in the next pass."""

import copy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import explorer
from explorer.api.lending import computer_of_process
from explorer.errors import BadReplacement, LiveNotFinite, ModelHasPreset, NotLoaded
from explorer.model.transformer import Transformer
from explorer.trace.trace import Trace
from tests.foreign.models import write_model

SENTENCE = "他在图书馆看书。"
LOGITS = "generator.logits"
MIXED = "decoder.layers.2.cross_attn.mixed"


@pytest.fixture(scope="module")
def plain() -> Trace:
    return explorer.explore(SENTENCE)


@pytest.fixture(scope="module")
def loaded() -> Transformer:
    return explorer.load_model("translator")  # type: ignore[return-value]


@pytest.fixture
def model(loaded: Transformer) -> Transformer:
    """A copy, which brings along what it was loaded as."""
    return copy.deepcopy(loaded)


def test_as_it_is_loaded_it_computes_what_the_preset_does(model: Transformer, plain: Trace) -> None:
    """The same translation, and every tensor to 1e-4: packed weights round otherwise in their last bits."""
    trace = explorer.explore(SENTENCE, model=model)
    assert trace.target == plain.target and trace.names() == plain.names()
    for name in plain.names():
        np.testing.assert_allclose(trace[name], plain[name], atol=1e-4, err_msg=name)


def test_a_forward_hook_takes_effect_and_goes_with_its_handle(model: Transformer, plain: Trace) -> None:
    """An ablated head changes what the model says, as the same Change does; without the hook all is as before."""
    first = explorer.explore(SENTENCE, model=model)
    handle = model.get_submodule(MIXED).register_forward_hook(lambda _tap, _args, output: output * 0)
    hooked = explorer.explore(SENTENCE, model=model)
    handle.remove()
    again = explorer.explore(SENTENCE, model=model)
    changed = explorer.explore(SENTENCE, changes=[explorer.Change(MIXED, "scale", value=0)])

    assert not hooked[MIXED].any() and hooked.target == changed.target != plain.target
    np.testing.assert_allclose(hooked[LOGITS], changed[LOGITS], atol=1e-4)
    assert again.target == first.target and np.array_equal(again[LOGITS], first[LOGITS])


EDITS: dict[str, Callable[[Tensor], object]] = {
    "in place": lambda weight: weight.mul_(0.5),
    "through data": lambda weight: weight.data.mul_(0.5),
    "through NumPy": lambda weight: np.multiply(weight.numpy(), 0.5, out=weight.numpy()),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edited_weight_takes_effect(model: Transformer, edit: Callable[[Tensor], object]) -> None:
    """However it is edited: the logits are those of the halved matrix, by a product in float64."""
    before = explorer.explore(SENTENCE, model=model)
    weight = model.generator.project.weight
    with torch.no_grad():
        edit(weight)
    after = explorer.explore(SENTENCE, before.target, model=model)

    x = torch.from_numpy(after["decoder.norm"].copy()).double()
    expected = x @ weight.double().T + model.generator.project.bias.double()
    np.testing.assert_allclose(after[LOGITS], expected.numpy(), atol=1e-4)
    assert np.abs(after[LOGITS] - before[LOGITS]).max() > 0.1


def leaves(model: nn.Module) -> list[str]:
    """The modules that compute something in a pass and hold no others."""
    return [name for name, module in model.named_modules() if not list(module.children()) and name]


@pytest.mark.slow  # a translation for each of two hundred modules
def test_no_leaf_module_is_silent(model: Transformer) -> None:
    """A hook on any of them is called by `explore`, and what it returns changes what is recorded."""
    silent = []
    target = explorer.explore(SENTENCE, model=model).target
    plain = explorer.explore(SENTENCE, target, model=model)
    for name in leaves(model):
        called: list[str] = []

        def shifted(_module: nn.Module, _args: object, output: Tensor, name: str = name, called: list[str] = called) -> Tensor:
            called.append(name)
            return output + 0.25 * torch.arange(output.shape[-1])

        handle = model.get_submodule(name).register_forward_hook(shifted)
        trace = explorer.explore(SENTENCE, target, model=model)
        handle.remove()
        if not called or all(np.array_equal(trace[tap], plain[tap], equal_nan=True) for tap in plain.names()):
            silent.append(name)

    assert silent == []


def test_hooks_and_edits_of_the_models_inside_are_noticed_too() -> None:
    """Whoever gets at the process's own model: nothing that was kept is told as the answer."""
    first = explorer.explore(SENTENCE)
    translator = computer_of_process().sources.translator("translator")
    assert translator is not None
    model = translator.model(translator.preset.config)
    handle = model.get_submodule(MIXED).register_forward_hook(lambda _tap, _args, output: output * 0)
    hooked = explorer.explore(SENTENCE)
    handle.remove()
    assert not hooked[MIXED].any() and hooked.target != first.target
    assert np.array_equal(explorer.explore(SENTENCE)[LOGITS], first[LOGITS])

    weight = model.get_submodule("decoder.layers.0.feed_forward.contract").weight
    with torch.no_grad():
        kept = weight.clone()  # type: ignore[operator]
        weight.mul_(0.5)  # type: ignore[operator]
    edited = explorer.explore(SENTENCE, first.target)
    assert np.abs(edited[LOGITS] - first[LOGITS]).max() > 1e-2
    with torch.no_grad():
        weight.copy_(kept)  # type: ignore[operator]
    np.testing.assert_allclose(explorer.explore(SENTENCE)[LOGITS], first[LOGITS], atol=1e-5)


def test_what_cannot_stand_in_is_refused_by_the_taps_name(model: Transformer) -> None:
    """Another shape; the pass ends with a sentence."""
    model.get_submodule("encoder.norm").register_forward_hook(lambda _tap, _args, output: output[:, :1])
    with pytest.raises(BadReplacement, match=r"encoder\.norm"):
        explorer.explore(SENTENCE, model=model)


def test_experiments_and_further_calls_compute_with_it(model: Transformer) -> None:
    """Ablation differs from that of the preset, and attribution's sum is that of the edited model."""
    with torch.no_grad():
        model.generator.project.weight.mul_(0.5)
    found = [explorer.explore(SENTENCE, experiments=["effects"], **given) for given in ({"model": model}, {})]
    halved, plain = (trace.experiments["effects"].heads for trace in found)
    assert not np.allclose(halved, plain, atol=1e-3)
    x = torch.from_numpy(found[0]["decoder.norm"].copy()).double()
    weight, bias = (each.double().numpy() for each in (model.generator.project.weight, model.generator.project.bias))
    logits = x.numpy() @ weight.T + bias
    parts = explorer.attribute(SENTENCE, 1, model=model)
    # The sum of all parts is the difference of the two logits of the halved matrix.
    assert parts.total == pytest.approx(logits[1, parts.word] - logits[1, parts.rival], abs=1e-3)


def test_untrained_models_and_knobs() -> None:
    """A preset without weights, with knobs that are given to `load_model`."""
    model = explorer.load_model("tiny", n_layers=1, temperature=0.5)
    trace, same = (
        explorer.explore("我爱北京", model=model),
        explorer.explore("我爱北京", preset="tiny", n_layers=1, temperature=0.5),
    )
    assert trace.config == same.config
    np.testing.assert_allclose(trace[LOGITS], same[LOGITS], atol=1e-5)


def test_a_model_of_others(tmp_path: Path) -> None:
    """Hooks at its taps, and in the modules of transformers themselves."""
    path = write_model(tmp_path / "gpt2", "gpt2")
    model = explorer.load_model(path)
    plain = explorer.explore("the fox", model=model)
    assert np.array_equal(plain[LOGITS], explorer.explore("the fox", preset=path)[LOGITS])
    for module in (model.get_submodule("decoder.layers.0.feed_forward.output"), model.model.transformer.h[0].mlp):  # type: ignore[union-attr,index]
        handle = module.register_forward_hook(lambda _tap, _args, output: output * 0)
        off = explorer.explore("the fox", model=model)
        handle.remove()
        assert np.abs(off[LOGITS] - plain[LOGITS]).max() > 1e-4
        assert np.array_equal(explorer.explore("the fox", model=model)[LOGITS], plain[LOGITS])


def test_its_parameters_are_those_that_it_has_when_they_are_asked_for(model: Transformer) -> None:
    """Edits included, in circuits as well; what was read before does not change, and cannot be written to."""
    name, block = "encoder.layers.0.self_attn.project_query.weight", "encoder.layers.0.self_attn"
    parameters = explorer.parameters(model=model)
    before, circuit = parameters[name], parameters[f"{block}.qk_circuit"]
    assert dict(parameters).keys() == {key for key, _ in model.named_parameters()}
    with torch.no_grad():
        model.get_parameter(name).mul_(2)
    np.testing.assert_array_equal(parameters[name], 2 * before)
    np.testing.assert_allclose(parameters[f"{block}.qk_circuit"], 2 * circuit, rtol=1e-6)
    assert not before.flags.writeable
    with pytest.raises(NotLoaded):
        explorer.parameters(model=nn.Linear(2, 2))


def test_arguments_that_it_has_already_are_refused(model: Transformer) -> None:
    """A knob, a preset; and a module that nobody loaded."""
    for given in ({"temperature": 0.5}, {"preset": "tiny"}, {"trained": False}):
        with pytest.raises(ModelHasPreset, match=next(iter(given))):
            explorer.explore(SENTENCE, model=model, **given)  # type: ignore[arg-type]
    for other, name in ((nn.Linear(2, 2), "Linear"), ("translator", "str")):
        with pytest.raises(NotLoaded, match=name):
            explorer.explore(SENTENCE, model=other)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_said_and_not_an_empty_translation(model: Transformer, number: float) -> None:
    """With the first such tensor; after it is mended, the model translates again."""
    name, weight = next(iter(model.named_parameters()))
    before = float(weight[3, 1])
    with torch.no_grad():
        weight[3, 1] = number
    with pytest.raises(LiveNotFinite) as caught:
        explorer.explore(SENTENCE, model=model)
    assert caught.value.values == {"tensor": name}
    with torch.no_grad():
        weight[3, 1] = before
    assert explorer.explore(SENTENCE, model=model).target
