"""Opening a foreign model: from a checked folder to a model with taps that computes as it does without them.

transformers never gets the folder. It receives settings and tensors that were read and checked here, so it finds no code to
run, and no name to look for in the network.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import signature
from typing import Any, Protocol

import attrs
import torch
from torch import Tensor, nn

from explorer.errors import (
    BadWeights,
    ExplorerError,
    LacksTensors,
    MissingWeights,
    NoAttention,
    NotFinite,
    NotInstalled,
    SelfCheckFailed,
    SharedLayers,
    UnknownClass,
    UnknownFamily,
    WantsMoreThanText,
    WeightsDoNotFit,
)
from explorer.foreign.attention import NAME, SeenAttention, register, seen_attentions
from explorer.foreign.classes import class_head
from explorer.foreign.folder import Folder
from explorer.foreign.going_on import comes_to_the_same
from explorer.foreign.kind import ModelClass, described, named_in_files, refuse_for_code
from explorer.foreign.lending import WeightLender
from explorer.foreign.model import Foreign
from explorer.foreign.probing import apart, looked_at, probed, tapped
from explorer.foreign.stream_probe import stream_map
from explorer.foreign.tensors import read_tensors
from explorer.foreign.thin import lend_half, lending, streamed
from explorer.foreign.unrolled import unroll
from explorer.model.weights_file import all_finite
from explorer.stops import Progress, Superseded

TOLERANCE = 1e-4  # The logits may differ from those of the model's own attention by this share of the largest.
_PASSES = 3  # that compare a model with and without taps
# What of the opening's time is over when transformers is there, and when the weights are: measured on GPT-2 small, about. A
# streamed model's weights are read in its passes.
_IMPORTED, _READ, _READ_LATER = 0.2, 0.7, 0.25
_ACROSS = re.compile(r"encoder_attn|EncDecAttention|crossattention|cross_attn|encoder_decoder_attention")
_LAYER = re.compile(r"\.(\d+)\.")


def _unwatched(_share: float) -> None:
    """Report no progress: the default."""


@attrs.frozen
class Opened:
    """A model with its taps, its attentions by name, how much the taps changed its logits, and the shape of each tap's tensor
    in a pass over a few tokens.

    `other_head` is True where its own head is left out, since none of that kind is shown; `code` is the key by which its folder
    asks for program code, which is not run.
    """

    foreign: Foreign
    attentions: Mapping[str, SeenAttention]
    difference: float
    shapes: Mapping[str, tuple[int, ...]]
    other_head: bool = False
    code: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the attention taps show what the model computes by itself; if not, they were taken away."""
        return self.difference <= TOLERANCE


class Faster(Protocol):
    """Has some of a model's modules compute the same numbers in another way."""

    def begin(self) -> bool:
        """Have them do so from now on. False where they cannot, and compute as before."""

    def end(self) -> None:
        """Have them compute as before."""


def open_model(folder: Folder, going: Progress = _unwatched, faster: Callable[[nn.Module], Faster] | None = None) -> Opened:
    """The model of a folder, with taps and checked against itself; `faster` see `with_taps`.

    `going` receives the share of the opening that is done, and ends it by raising Superseded.
    Raises NotInstalled, BadFolder, BadWeights.
    """
    going(0.0)
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
        os.environ.setdefault(name, "1")  # The library reads them once, when it is loaded.
    try:
        import transformers
    except ImportError as error:
        raise NotInstalled(name="transformers") from error
    going(_IMPORTED)
    register()
    read = _READ_LATER if folder.held == "streamed" else _READ
    with _quietly(transformers):
        model, kind = _loaded(transformers, folder, _part_of(going, _IMPORTED, read))
        try:
            opened = with_taps(model, str(folder.path), _part_of(going, read, 1.0), folder.labels, faster)
        except (ExplorerError, Superseded):
            raise
        except Exception as error:  # The model's own attention may refuse settings that ours takes.
            raise _why_not(model, str(folder.path)) from error
        return attrs.evolve(opened, other_head=kind.other_head, code=folder.code)


def _part_of(going: Progress, first: float, last: float) -> Progress:
    """A progress function for a part of the work, which maps it to a range of shares of the whole and never goes back."""
    farthest = first

    def told(share: float) -> None:
        nonlocal farthest
        farthest = max(farthest, first + (last - first) * share)
        going(farthest)

    return told


def with_taps(
    model: Any,
    path: str,
    going: Progress = _unwatched,
    labels: Sequence[str] = (),
    faster: Callable[[nn.Module], Faster] | None = None,
) -> Opened:
    """A model of transformers with taps; `path` is named in errors, `labels` are those of a classifier.

    `faster` receives the model before its taps. Its modules are used where the taps record what the model computes, as long as
    the output stays the same. Raises UnknownFamily, WantsMoreThanText, SharedLayers, NoAttention, SelfCheckFailed, Superseded.
    """
    model.eval().requires_grad_(False)
    if class_head(model) is not None and model.config.pad_token_id is None:
        model.config.pad_token_id = -1  # No token has it. Without one, some classifiers refuse several texts at once.
    family = model.config.model_type
    unroll(model)
    lender = lending(model)
    try:
        model.set_attn_implementation(NAME)
        _tell(lender, going, 0)
        seen, watched, logits, rows = looked_at(model)
        by_softmax = not seen
        if by_softmax:  # Its attention calls no function by name.
            model.set_attn_implementation("eager")
            seen, watched, logits, rows = looked_at(model, by_softmax=True)
    except (BadWeights, NotFinite, Superseded):  # The weights of a large model are read while it computes.
        raise
    except Exception as error:  # A hundred kinds of models can raise anything.
        raise _why_not(model, path) from error
    if not seen:
        raise NoAttention(path=path, family=family)
    if any(about.n_times > 1 for about in seen.values()):
        raise SharedLayers(path=path, family=family, count=max(about.n_times for about in seen.values()))
    named = _named(model, seen)
    if named is None:
        raise UnknownFamily(path=path, family=family)
    _tell(lender, going, 1)
    streams = stream_map(model, watched, named, {module: about.joined for module, about in seen.items()}, logits)
    before = probed(model) if by_softmax else _eager(model, path)
    fast = None if faster is None else faster(model)  # It has taps around it.
    n_heads = next(iter(seen.values())).n_heads
    foreign = Foreign(
        model,
        named,
        streams,
        by_softmax=by_softmax,
        n_heads=n_heads,
        classes=class_head(model, labels),
        rows={name: rows[module] for name, module in named.items() if module in rows},
    )
    _tell(lender, going, 2)
    packed = fast is not None and fast.begin()
    taken = tapped(foreign)
    if fast is not None and packed and not apart(taken.logits, before) <= TOLERANCE:  # Right products are the last bits apart.
        fast.end()
        taken = tapped(foreign)
    difference = apart(taken.logits, before)
    if not difference <= TOLERANCE:
        foreign.withhold_attention()
        model.set_attn_implementation("eager")
        taken = tapped(foreign)
        remaining = apart(taken.logits, before)
        if not remaining <= TOLERANCE:
            raise SelfCheckFailed(path=path, difference=f"{remaining:.2g}")
    foreign.goes_on = comes_to_the_same(foreign, taken.ids, taken.parts, taken.logits)
    return Opened(foreign, {name: seen[module] for name, module in named.items()}, difference, taken.shapes)


def _why_not(model: Any, path: str) -> UnknownFamily:
    """The error of a model that cannot read a text alone: it needs a picture or sound, or the reason is unknown."""
    wanted = [model.main_input_name, *(name for name in ("pixel_values",) if name in signature(model.forward).parameters)]
    reads = next((name for name in wanted if name != "input_ids"), "")
    if reads:
        return WantsMoreThanText(path=path, family=model.config.model_type, reads=reads)
    return UnknownFamily(path=path, family=model.config.model_type)


def _tell(lender: WeightLender | None, going: Progress, number: int) -> None:
    """Report which pass of the opening begins; a model whose weights are streamed also reports its progress within the pass."""
    going(number / _PASSES)
    if lender is not None:
        lender.going = lambda share: going((number + share) / _PASSES)


def _eager(model: Any, path: str) -> Tensor:
    """The same output with the model's own attention. Raises SelfCheckFailed if the model still uses ours."""
    made: list[Tensor] = []
    model.set_attn_implementation("eager")
    try:
        if seen_attentions(model, lambda: made.append(probed(model))):
            raise SelfCheckFailed(path=path, difference="?")  # The model kept our function.
    finally:
        model.set_attn_implementation(NAME)
    return made[0]


def _named(model: Any, seen: Mapping[nn.Module, SeenAttention]) -> dict[str, nn.Module] | None:
    """The attentions by name, "decoder.layers.0.self_attn"; None where not each of them has a name of its own,
    or one of both sides has none."""
    paths = {module: path for path, module in model.named_modules()}
    both = model.config.is_encoder_decoder
    single = "decoder" if any(each.causal for each in seen.values()) else "encoder"
    named: dict[str, nn.Module] = {}
    for module, about in seen.items():
        path = paths[module]
        layer = _LAYER.search(f"{path}.")
        if layer is None or about.n_times != 1 or about.n_heads % about.n_kv_heads:
            return None
        side = single if not both else "encoder" if "encoder" in path.split(".")[:2] else "decoder"
        named[f"{side}.layers.{layer[1]}.{'cross_attn' if _ACROSS.search(path) else 'self_attn'}"] = module
    n_sides = len({name.partition(".")[0] for name in named})
    all_sides = n_sides == 2 or not both or getattr(model.base_model, "encoder", None) is None  # Settings may claim two.
    return named if len(named) == len(seen) > 0 and all_sides else None


def _loaded(transformers: Any, folder: Folder, going: Progress) -> tuple[Any, ModelClass]:
    """The model with its weights, held as the folder says, and its kind.

    Raises BadSettings, NeedsCode, UnknownFamily, WeightsDoNotFit, LacksTensors, NotFinite, BadWeights, TooLarge, Superseded.
    """
    path = str(folder.path)
    kind = described(transformers, folder)
    if folder.held == "streamed":
        try:
            return streamed(kind, folder, named_in_files), kind
        except (TypeError, AttributeError) as error:  # A family whose tensors cannot be told apart.
            raise UnknownFamily(path=path, family=folder.family) from error
        except MissingWeights:
            refuse_for_code(folder)
            raise
    tensors = read_tensors(folder, going)
    try:
        model, told = kind.of.from_pretrained(
            None,
            config=kind.config,
            state_dict=tensors,
            dtype=getattr(torch, folder.held),
            attn_implementation="eager",
            ignore_mismatched_sizes=True,  # They are refused here, with their names.
            output_loading_info=True,
            **kind.given,
        )
    except Exception as error:  # Foreign files can raise anything, too.
        raise WeightsDoNotFit(path=path, reason=str(error) or type(error).__name__) from error
    _check_loaded(folder, kind, model, told)
    return model if folder.held == "float32" else lend_half(model, path), kind


def _check_loaded(folder: Folder, kind: ModelClass, model: Any, told: Mapping[str, Any]) -> None:
    """Refuse a model that is not what its files hold. Raises NeedsCode, WeightsDoNotFit, LacksTensors, NotFinite."""
    path = str(folder.path)
    missing, other = sorted(told["missing_keys"]), sorted(str(each[0]) for each in told["mismatched_keys"])
    if missing or other:
        refuse_for_code(folder)
    if other:
        raise WeightsDoNotFit(path=path, reason=", ".join(other[:3]))
    if folder.gguf is not None and told["unexpected_keys"]:  # A row of `gguf_names` names them, so the model needs them.
        raise WeightsDoNotFit(path=path, reason=", ".join(sorted(told["unexpected_keys"])[:3]))
    if missing and kind.instead_of:
        like, lacking = type(model).__name__, ", ".join(missing[:3])
        raise UnknownClass(path=path, family=folder.family, kind=kind.instead_of, like=like, missing=lacking)
    if missing:  # transformers has filled them with random numbers.
        raise LacksTensors(path=path, kind=type(model).__name__, missing=", ".join(missing[:3]))
    for name, parameter in model.named_parameters():
        if not all_finite(parameter):
            raise NotFinite(path=path, tensor=name)


@contextmanager
def _quietly(transformers: Any) -> Iterator[None]:
    """Silence the warnings and progress bars of transformers inside the block."""
    logging = transformers.utils.logging
    level, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    restore: Callable[[], object] = logging.enable_progress_bar if bar else logging.disable_progress_bar
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        restore()
