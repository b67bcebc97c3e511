"""One pass over a text or through any torch module, and attributions and lenses of it."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from explorer.api.asking import as_ids, as_text, request_of, request_of_live, with_gradients
from explorer.api.lending import alone
from explorer.api.waiting import watched
from explorer.errors import NoSuchStep
from explorer.presets import DEFAULT
from explorer.trace.found.experiments import JACOBIAN, LENS, READERS, WHY

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import NDArray
    from torch import Tensor, nn

    from explorer.config import KnobValues
    from explorer.trace.changes import Change
    from explorer.trace.found.lens import Lens
    from explorer.trace.found.why import Parts
    from explorer.trace.trace import Trace


def explore(
    text: str = "",
    target: str | None = None,
    preset: str | Path = DEFAULT,
    *,
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    experiments: Iterable[str] = (),
    adapter: str | Path | None = None,
    chat: bool = False,
    taps: Iterable[str] = (),
    gradients: Literal["target"] | int | None = None,
    ids: "Sequence[Any] | Tensor | NDArray[Any] | None" = None,
    model: "nn.Module | None" = None,
    **knobs: "Unpack[KnobValues]",
) -> "Trace":
    """Run one pass over `text` and return every tensor that it recorded.

    `preset` is a preset's name or a folder: one that was trained here, or a Hugging Face model (config.json, *.safetensors,
    tokenizer.json), which brings its own tokenizer and taps. `adapter` is the folder of a LoRA adapter in PEFT's layout, which
    is added to the weights of such a model. `target` None means a trained model's own greedy translation; an untrained model
    is given the source text itself. `trained` False draws random weights in the shape of the trained ones. `changes` are made
    inside the pass, also while a trained model generates its translation. `experiments` are names from
    explorer.trace.found.experiments.EXPERIMENTS; each runs extra passes. `chat` writes the text as a message in a foreign
    model's chat template: the tokens are those of the whole prompt. `knobs` are fields of explorer.config.Config.

    `taps` are names of taps, with * for any part: ["*.weights", "encoder.norm"]. Only these are recorded, and the Trace has no
    others.

    `gradients` asks for the gradient of log p at every tap: of the whole "target", or of the word at a step, counted from 0.
    `trace.gradients["encoder.norm"]` has the shape of the tap; `.products` is by tap the sum of value × gradient.

    `ids` are given in place of a text: one row of ids, [[15, 27, 3]] as a tokenizer returns them or [15, 27, 3], a tensor or
    lists. The tokens are exactly those, with no special ones added. A model without a tokenizer reads nothing else.

    `model` is a module from `load_model`: the pass runs it as it is, with its hooks and edited weights, and with the preset and
    knobs that it was loaded with. Or it is a model of transformers that you have in memory, with its `tokenizer`: it stays as
    it is, and a twin with the same weights computes, in float32 on the processor.

    Raises explorer.errors.ExplorerError for anything a caller can correct; its `str()` is the sentence.
    """
    written = as_text(text) if ids is None else as_ids(ids, text)
    if model is not None:
        from explorer.foreign.held import is_held

        others: dict[str, Any] = dict(knobs)
        model = _held(model, others.pop("tokenizer", None), others) if is_held(model) else model
        given = {"preset": preset != DEFAULT, "trained": not trained, "adapter": adapter is not None}
        given |= dict.fromkeys(others, True)
        request = request_of_live(model, written, target, changes, frozenset(name for name in given if given[name]))
    else:
        request = request_of(written, target, preset, trained, changes, {**knobs, "adapter": adapter})
    taps = (taps,) if isinstance(taps, str) else tuple(taps)
    request = request.wishing(chat=chat, by_ids=ids is not None, taps=taps).asking(experiments=frozenset(experiments))
    if gradients is not None:
        request = with_gradients(request, gradients)
    with watched() as (stop, progress), alone(model) as computer:
        trace = computer(request, stop, progress).trace
    if gradients is not None and gradients not in ("target", trace.gradients.position):
        raise NoSuchStep(got=gradients, last=trace.gradients.position)
    return trace


def _held(model: "nn.Module", tokenizer: object, beside: Mapping[str, Any]) -> "nn.Module":
    """The live model of one of transformers in memory. Raises ModelHasPreset for what else was given, NotLoaded."""
    from explorer.api.live import load_held
    from explorer.errors import ModelHasPreset

    others = sorted(name for name, value in beside.items() if value is not None)
    if others:
        raise ModelHasPreset(names=", ".join(others))
    with alone():
        return load_held(model, tokenizer)


def load_model(
    preset: "str | Path | nn.Module" = DEFAULT,
    *,
    trained: bool = True,
    adapter: str | Path | None = None,
    **knobs: "Unpack[KnobValues]",
) -> "nn.Module":
    """The live model of a preset or folder: a torch module to which you may add hooks, and whose weights you may edit.

    In place of a preset it takes a model of transformers that is in memory, with its `tokenizer`, so that it is looked through
    once and not at each `explore`; its weights are shared, and its own hooks are those that it had at that moment.

    Each call loads a new model. Its taps are modules, `model.get_submodule("encoder.layers.0.self_attn.weights")`; whatever a
    forward hook of a tap returns continues through the pass. `explore`, `why` and `lens` run the model as it is when they are
    given `model=model`. Its parameters require no gradients until you ask for them. Of a Hugging Face folder, `model.model` is
    the module of transformers. The arguments are those of `explore`. Raises explorer.errors.ExplorerError.
    """
    if not isinstance(preset, (str, Path)):
        beside: dict[str, Any] = {**knobs, "trained": None if trained else False, "adapter": adapter}
        return _held(preset, beside.pop("tokenizer", None), beside)
    request = request_of("", None, preset, trained, (), {**knobs, "adapter": adapter})
    with alone() as computer:
        from explorer.api.live import load_live

        return load_live(request.wish, computer.sources.tokenizers)


def record(module: "nn.Module", *inputs: Any, axes: "Mapping[str, str] | None" = None, **named: Any) -> "Trace":
    """Run `module(*inputs, **named)` once, without gradients, and return what was recorded in it.

    Recorded are our Taps in any torch module, the `weights` [head, query, key] and `output` of every nn.MultiheadAttention, and
    the `masked` scores and `weights` of attentions that call torch's softmax or its fused attention: those of a nanoGPT, a ViT,
    a module of transformers. Weights are those before dropout, computed once more where the pass does not have them, and the
    module's result does not change. Names come from module paths: `layers.3.self_attn` is "encoder.layers.3.self_attn".

    `axes` names further modules whose output is recorded, by path: {"layers.0": "batch position feature"}. A batch has one
    sentence; tokens are positions. torch's fast path for encoder layers is off during the pass, because it never calls the
    attention: numbers may then differ in their last bits. Raises NoTaps if nothing is found, UnknownTap, BadAxes,
    SeveralSentences, and whatever the module raises.
    """
    from explorer.engine.recording.any_module import record_module

    return record_module(module, inputs, named, axes)


def attribute(
    text: str,
    step: int | None = None,
    rival: int | str | None = None,
    *,
    word: int | str | None = None,
    preset: str | Path = DEFAULT,
    **given: Any,
) -> "Parts":
    """Direct logit attribution: the logit of the word at a `step` minus that of a rival, as an exact sum of parts.

    `step` None takes the one where the model was least sure, `word` None the word that it generated, `rival` None the likeliest
    other one; ids or texts. `given` is what `explore` takes. Raises explorer.errors.ExplorerError.

    Each part opens, down to the embedding: `.inside("decoder.cross_attn", 1, 4)` is a head by its keys, and `.inside(0,
    "query", 17)` that one feature of Q at key 0, as a sum over the residual stream that it was computed from; its heads open
    again.
    """
    return explore(text, preset=preset, experiments=(WHY.key, READERS.key), **given).why(step, rival, word=word)


def lens(text: str, preset: str | Path = DEFAULT, *, jacobian: bool = False, **given: Any) -> "Lens":
    """The logit lens: what each decoder layer would predict at each position, through the final norm and the generator.

    It is exact for the last layer and a heuristic before. `jacobian` first maps each layer's residual stream to the last
    layer's by matrices that were fitted for exactly these weights (Jacobian lens); `.agreement` holds what was measured on
    held-out rows. `given` is what `explore` takes. Raises explorer.errors.ExplorerError.
    """
    experiment = JACOBIAN if jacobian else LENS
    return explore(text, preset=preset, experiments=(experiment.key,), **given).lens(jacobian=jacobian)
