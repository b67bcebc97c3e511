"""Scripts of models of others compute what was recorded: by transformers, from the folder, with torch's hooks."""

import ast
from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import explorer
from explorer.engine.compute import Computer
from explorer.engine.errands.script_parts import script_parts
from explorer.engine.request import Request
from explorer.errors import NoScriptForModel
from explorer.export.pytorch.foreign import noted
from explorer.export.pytorch.script import pytorch_script
from explorer.foreign import folder as folder_room
from explorer.lang import LANGUAGES, Words
from explorer.trace.changes import Change
from explorer.trace.script_parts import ScriptParts
from tests.export.pytorch.test_scripts import differing
from tests.foreign.models import write_tokenizer

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
TEXT = "the fox and dog 我爱"
FAMILIES = ("gpt2", "llama", "bert without an output", "t5 gated", "marian", "starcoder2")


def _changes(side: str) -> tuple[Change, ...]:
    at = f"{side}.layers"
    return (
        Change(f"{side}.embedding.output", "scale", value=0.5),
        Change(f"{at}.0.self_attn.mixed", "scale", head=1, value=0.0),
        Change(f"{at}.0.residual2", "patch", rows=[1], text="dog and fox"),
        Change(f"{at}.1.residual1", "add", value=0.5),
        Change(f"{at}.1.norm1", "scale", value=0.5),
        Change(f"{at}.1.self_attn.masked", "close", rows=[3], columns=[1]),
    )


def _classifier(folder: Path, kind: str, **settings: object) -> Path:
    """A tiny classifier as its own library writes it."""
    import transformers

    torch.manual_seed(2)
    sizes = {"vocab_size": 40, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2}
    getattr(transformers, kind)(transformers.BertConfig(**sizes, **settings)).save_pretrained(folder)
    write_tokenizer(folder)
    return folder


@pytest.fixture(scope="module")
def requests(folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Request]:
    """A Request for each script."""
    made = {name.replace(" ", "_"): Request.from_preset(str(folder(name)), TEXT) for name in FAMILIES}
    for name, side in (("gpt2", "decoder"), ("t5 gated", "decoder"), ("marian", "encoder")):
        made[f"{name.replace(' ', '_')}_changed"] = Request.from_preset(str(folder(name)), TEXT).wishing(changes=_changes(side))
    made["warm"] = Request.from_preset(str(folder("starcoder2")), TEXT, temperature=2.0)
    here = tmp_path_factory.mktemp("classifiers")
    kinds = (
        ("text", "BertForSequenceClassification", {"num_labels": 3}),
        ("tokens", "BertForTokenClassification", {"num_labels": 4}),
        ("number", "BertForSequenceClassification", {"num_labels": 1}),
        ("several", "BertForSequenceClassification", {"num_labels": 3, "problem_type": "multi_label_classification"}),
    )
    for name, kind, settings in kinds:
        made[name] = Request.from_preset(str(_classifier(here / name, kind, **settings)), TEXT)
    return made


def test_scripts_of_models_of_others_compute_every_tap(requests: dict[str, Request]) -> None:
    """Families of all kinds, with changes, at another temperature, and classifiers. None of them imports this package."""
    computer = Computer(most_threads=1)
    for number, (name, request) in enumerate(requests.items()):
        trace, parts = computer(request).trace, script_parts(computer.sources, request.wish)
        text = pytorch_script(trace, parts, Words.load(LANGUAGES[number % len(LANGUAGES)]))
        imported = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
        assert {ast.unparse(node).split()[1].partition(".")[0] for node in imported} == {"math", "torch", "transformers"}
        assert differing(trace, _run(text)) == [], name
    # A step that the script leaves out is seen.
    wrong = text.replace("scores * factor", "scores")
    assert wrong != text and f"{next(iter(parts.foreign.attentions))[1]}.scaled" in differing(trace, _run(wrong))


@pytest.mark.parametrize("name", ["gemma2", "gpt_neox", "modernbert"])
def test_a_family_of_another_structure_has_a_right_script_or_none(folder: Callable[[str], Path], name: str) -> None:
    """Whatever its row says of norms behind the output or of sublayers side by side: no script notes something else."""
    computer, request = Computer(most_threads=1), Request.from_preset(str(folder(name)), TEXT)
    trace = computer(request).trace
    try:
        text = pytorch_script(trace, script_parts(computer.sources, request.wish), Words.load("en"))
    except NoScriptForModel:
        return
    assert differing(trace, _run(text)) == []


def _run(text: str) -> dict[str, NDArray[np.float32]]:
    """What a script computes, here: transformers takes seconds to load in a process of its own."""
    space: dict[str, object] = {"__name__": "script"}
    exec(text, space)
    taps = space["run"]()  # type: ignore[operator]
    return {name: tensor.numpy() for name, tensor in taps.items()}


def test_what_hooks_do_not_show_whole_has_no_script(
    folder: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Experts, attention that is seen by its softmax alone, layers that are one; nothing is written then."""
    for name in ("mixtral", "bloom", "albert"):
        with pytest.raises(NoScriptForModel, match=name):
            explorer.to_pytorch(TEXT, tmp_path / "x.py", preset=folder(name))
    assert not list(tmp_path.iterdir())
    computer, request = Computer(), Request.from_preset(str(folder("gpt2")), TEXT)
    trace = computer(request).trace
    places = script_parts(computer.sources, request.wish).foreign
    assert places is not None and noted(places, trace) == set(trace)
    # Taps that the script would not note, or that the model has not: nothing may come out wrong.
    for other in (None, attrs.evolve(places, outputs=()), attrs.evolve(places, outputs=(*places.outputs, ("h", "more")))):
        with pytest.raises(NoScriptForModel):
            pytorch_script(trace, ScriptParts(foreign=other), Words.load("en"))
    worn = request.wishing(adapter=str(tmp_path), adapted=False)
    assert script_parts(computer.sources, worn.wish).foreign is not None
    monkeypatch.setattr(folder_room, "way_to_hold", lambda _path, _sizes: "bfloat16")
    with pytest.raises(NoScriptForModel):
        script_parts(Computer().sources, request.wish)


def test_a_script_of_somebodys_model_is_written_without_weights(folder: Callable[[str], Path], tmp_path: Path) -> None:
    """They are in the model's folder, which the script names."""
    text = explorer.to_pytorch(TEXT, tmp_path / "x.py", preset=folder("gpt2"), language="en")
    assert {path.name for path in tmp_path.iterdir()} == {"x.py", "x.py.json"}
    assert repr(str(folder("gpt2"))) in text and "through gpt2," in text
