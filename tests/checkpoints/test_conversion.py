"""A checkpoint of each course becomes a folder whose logits are those of the course's own class."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import explorer
from explorer.checkpoints import conversion
from explorer.checkpoints.conversion import Converted, Supplied, convert
from explorer.presets import load_preset
from tests.checkpoints import gpts, llamas
from tests.checkpoints.translators import TutorialA, TutorialB

pytestmark = pytest.mark.slow  # a process that imports torch reads each file, and transformers opens each folder

IDS = [3, 1, 4, 1, 5, 9, 2, 6]
TEXT = " ".join(map(str, IDS))
Saved = Callable[[nn.Module], object]


def nano(model: nn.Module) -> dict[str, Any]:
    """What nanoGPT's training saves, compiled and on several machines."""
    return {
        "model": {f"_orig_mod.module.{name}": tensor for name, tensor in model.state_dict().items()},
        "optimizer": {"state": {0: {"exp_avg": torch.zeros(3)}}, "param_groups": [{"lr": 1e-3, "params": [0]}]},
        "model_args": {"n_layer": gpts.LAYERS, "n_head": gpts.HEADS, "n_embd": gpts.WIDTH, "bias": False, "dropout": 0.0},
        "iter_num": 2000,
        "config": {"dataset": "shakespeare_char"},
    }


def half(model: nn.Module) -> dict[str, Tensor]:
    """What minimind saves."""
    return {name: tensor.half() for name, tensor in model.state_dict().items()}


def llama2_c(model: nn.Module) -> dict[str, Any]:
    """What llama2.c saves: sizes beside the weights."""
    return {"model": model.state_dict(), "model_args": {"dim": 32, "n_heads": llamas.HEADS, "n_kv_heads": 2, "max_seq_len": 64}}


def bare(model: nn.Module) -> object:
    return model.state_dict()


MODELS: Mapping[str, tuple[Callable[[], nn.Module], Saved, dict[str, Any], str]] = {
    "nanoGPT": (lambda: gpts.Gpt(bias=False), nano, {}, "gpt2"),
    "nanoGPT with biases and masks": (lambda: gpts.Gpt(mask=True), bare, {"n_heads": gpts.HEADS}, "gpt2"),
    "minGPT": (lambda: gpts.Gpt(mask=True, tied=False), bare, {"n_heads": gpts.HEADS}, "gpt2"),
    "the first minGPT": (gpts.FirstGpt, bare, {"n_heads": gpts.HEADS}, "gpt2"),
    "happy-llm": (llamas.Llama2, bare, {"n_heads": llamas.HEADS}, "llama"),
    "llama2.c": (lambda: llamas.Llama2(tied=False), llama2_c, {}, "llama"),
    "minimind 1": (lambda: llamas.Llama2(1e6), bare, {"n_heads": llamas.HEADS, "settings": {"rope_theta": 1e6}}, "llama"),
    "minimind 2": (llamas.Mind, bare, {"n_heads": llamas.HEADS}, "llama"),
    "minimind 3": (lambda: llamas.Mind(12), bare, {}, "qwen3"),
}


def converted(folder: Path, saved: object, **supplied: Any) -> Converted:
    torch.save(saved, folder / "ckpt.pt")
    return convert(folder / "ckpt.pt", folder / "made", Supplied(**supplied))


def own(model: nn.Module, *ids: list[int]) -> Tensor:
    """[position, vocab] the logits of the class itself."""
    logits: Tensor = model(*(torch.tensor([each]) for each in ids))[0]
    return logits


@pytest.mark.parametrize("name", MODELS)
def test_logits_are_those_of_the_courses_own_class(name: str, tmp_path: Path) -> None:
    """Biases that are not there, joined and turned matrices, tied outputs and both orders of rotary features."""
    make, save, supplied, family = MODELS[name]
    model = make()
    made = converted(tmp_path, save(model), **supplied)
    trace = explorer.explore(TEXT, preset=str(made.folder))

    assert json.loads((made.folder / "config.json").read_text())["model_type"] == family
    assert [token.id for token in trace.tokens.target] == IDS
    assert load_preset(str(made.folder)).text == made.vocabulary.text == "4 5 6 7"
    assert trace["generator.logits"] == pytest.approx(own(model, IDS).numpy(), abs=1e-5)


def test_another_activation_would_be_seen(tmp_path: Path) -> None:
    """The checkpoint says nothing of it, so the setting is named, and the comparison above can fail."""
    model = gpts.Gpt()
    made = converted(tmp_path, model.state_dict(), n_heads=gpts.HEADS, settings={"activation_function": "gelu_new"})
    logits = torch.tensor(explorer.explore(TEXT, preset=str(made.folder))["generator.logits"])

    assert made.assumed == {"layer_norm_epsilon": 1e-5}
    assert (logits - own(model, IDS)).abs().max() > 1e-5


def test_numbers_keep_their_type(tmp_path: Path) -> None:
    """minimind saves half of each number; the folder has the same bits."""
    from safetensors.torch import load_file

    saved = half(llamas.Mind())
    made = converted(tmp_path, saved, n_heads=llamas.HEADS)
    tensors = load_file(made.folder / "model.safetensors")

    assert {tensor.dtype for tensor in tensors.values()} == {torch.float16}
    assert all(torch.equal(tensor, saved[name]) for name, tensor in tensors.items())
    assert saved.keys() - tensors.keys() == {"lm_head.weight"}  # It is the embedding.


@pytest.mark.parametrize(
    ("make", "position"),
    [(TutorialA, "sinusoidal-doubled"), (lambda: TutorialA(doubled=False), "sinusoidal"), (TutorialB, "sinusoidal")],
)
def test_a_tutorials_class_becomes_our_own_model(make: Callable[[], nn.Module], position: str, tmp_path: Path) -> None:
    """Its table of positions says which formula it has: that of the tutorial's code, or the paper's."""
    model = make()
    made = explorer.convert(saved_at(tmp_path, model.state_dict()), n_heads=4)
    trace = explorer.explore("5 7 9 11 4", target="6 8 4 19", preset=made)
    source, target = ([token.id for token in side] for side in (trace.tokens.source, trace.tokens.target))

    assert (source, target) == ([5, 7, 9, 11, 4], [2, 6, 8, 4, 19])
    assert trace["generator.logits"] == pytest.approx(own(model, source, target).numpy(), abs=1e-5)
    assert (trace.config.position, trace.config.norm_kind, trace.config.mask_value) == (position, "std-eps", "-1e9")


def saved_at(folder: Path, saved: object) -> Path:
    torch.save(saved, folder / "ckpt.pt")
    return folder / "ckpt.pt"


def test_the_characters_of_the_training_text_are_the_vocabulary(tmp_path: Path) -> None:
    """In the order of their codes, as nanoGPT and minGPT number them; a text with any other character is refused."""
    text = tmp_path / "input.txt"
    text.write_text("the cat sat\r\non a mat, oh!", encoding="utf-8", newline="")
    letters = sorted(set("the cat sat\non a mat, oh!"))
    model = gpts.Gpt(vocab=len(letters))
    made = converted(tmp_path, model.state_dict(), n_heads=gpts.HEADS, characters=text)
    ids = [letters.index(each) for each in "a hat"]
    trace = explorer.explore("a hat", preset=str(made.folder))

    assert [token.id for token in trace.tokens.target] == ids
    assert trace["generator.logits"] == pytest.approx(own(model, ids).numpy(), abs=1e-5)
    with pytest.raises(explorer.errors.NoTokenFor) as caught:
        explorer.explore("a bat", preset=str(made.folder))
    assert caught.value.values["piece"] == "b"


def test_a_tokenizer_is_taken_along(tmp_path: Path) -> None:
    """From a folder that has one."""
    first = converted(tmp_path, gpts.Gpt().state_dict(), n_heads=gpts.HEADS)
    made = convert(tmp_path / "ckpt.pt", tmp_path / "other", Supplied(n_heads=gpts.HEADS, tokenizer=first.folder))
    assert made.vocabulary.kind == "tokenizer"
    assert (made.folder / "tokenizer.json").read_bytes() == (first.folder / "tokenizer.json").read_bytes()


def test_a_file_beside_its_config_keeps_its_names(tmp_path: Path) -> None:
    """pytorch_model.bin of transformers: the same logits as its own class."""
    import transformers

    config = transformers.GPT2Config(vocab_size=40, n_embd=32, n_layer=1, n_head=4, n_positions=32)
    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(config).eval()
    config.save_pretrained(tmp_path)
    torch.save(model.state_dict(), tmp_path / "pytorch_model.bin")
    made = convert(tmp_path / "pytorch_model.bin", tmp_path / "made")
    with torch.inference_mode():
        expected = model(torch.tensor([IDS])).logits[0]

    assert made.course == "gpt2"
    assert explorer.explore(TEXT, preset=str(made.folder))["generator.logits"] == pytest.approx(expected.numpy(), abs=1e-5)


def test_a_conversion_that_is_stopped_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a folder nor its beginning, whether it was reading or writing."""
    path = saved_at(tmp_path, gpts.Gpt().state_dict())

    def stopped(*_args: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        convert(path, tmp_path / "made", Supplied(n_heads=gpts.HEADS), stopped)
    monkeypatch.setattr(conversion, "written_vocabulary", stopped)
    with pytest.raises(KeyboardInterrupt):
        convert(path, tmp_path / "made", Supplied(n_heads=gpts.HEADS))
    assert list(tmp_path.iterdir()) == [path]
