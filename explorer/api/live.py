"""Live models: loaded for a caller who adds hooks or edits weights, and run as they are.

Nothing of such a model is packed, rounded or kept between two passes, so that every edit takes effect.
"""

import shutil
import tempfile
import weakref
from pathlib import Path

import attrs
from torch import nn

from explorer.engine.compute import Computer
from explorer.engine.devices import devices
from explorer.engine.sources.folders import open_held
from explorer.engine.sources.foreign import ForeignModel
from explorer.engine.sources.source import never, silent
from explorer.engine.speed.foreign_packing import PackedLayer
from explorer.engine.speed.packed_linear import unpack
from explorer.errors import LiveNotFinite, ModelHasPreset, NeedsTokenizer, NotLoaded
from explorer.foreign.held import home_of, is_held, twin_of, write_reading
from explorer.foreign.model import Foreign
from explorer.model.transformer import Transformer
from explorer.model.weights_file import all_finite
from explorer.state.wish import Wish
from explorer.tokens.tokenizer import Tokenizers
from explorer.trace.model_card import ModelCard
from explorer.trace.own_card import card_of

_KEY = "explorer_live"  # A live module has this attribute, which copies of it take along.


@attrs.frozen(eq=False)
class Live:
    """What a live module was loaded as: the Wish of its preset and knobs, and of a foreign model the source."""

    wish: Wish
    source: ForeignModel | None


def load_live(wish: Wish, tokenizers: Tokenizers) -> nn.Module:
    """The model of a Wish, in memory of its own. Raises ExplorerError."""
    source = Computer(tokenizers).sources.of(wish)
    model: nn.Module = source.ready(wish.config, 0, never, silent)
    unpack(model)
    for module in (model.model if isinstance(model, Foreign) else model).modules():
        if isinstance(module.forward, PackedLayer):
            module.forward.unpack()
    setattr(model, _KEY, Live(wish, source if isinstance(source, ForeignModel) else None))
    return model


def load_held(held: nn.Module, tokenizer: object) -> nn.Module:
    """The live model of one of transformers that is in memory, on its device. What is done to its weights takes effect in both.

    Without a tokenizer it reads ids.

    Raises NotLoaded for any other module, NeedsTokenizer, CannotShare, ExplorerError.
    """
    if not is_held(held):
        raise NotLoaded(module=type(held).__name__)
    folder = Path(tempfile.mkdtemp(prefix="transformer-explorer-"))
    try:
        write_reading(held, tokenizer, folder)
        name: str = getattr(held.config, "name_or_path", "") or type(held).__name__
        missing = NeedsTokenizer(module=type(held).__name__, got=str(tokenizer and type(tokenizer).__name__))
        device = home_of(held) if home_of(held) in devices() else "cpu"
        source = open_held(twin_of(held, device), name, folder, missing)
        model: nn.Module = source.foreign
        setattr(model, _KEY, Live(Wish.from_preset(str(folder), device=device), source))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(model, shutil.rmtree, folder, ignore_errors=True)  # It goes with the live model.
    return model


def live_wish(model: object, given: frozenset[str]) -> Wish:
    """The Wish that a live module was loaded with; `given` are further arguments that it has already.

    Raises NotLoaded for a module that `load_live` did not make, ModelHasPreset.
    """
    live: Live | None = getattr(model, _KEY, None) if isinstance(model, nn.Module) else None
    if live is None:
        raise NotLoaded(module=type(model).__name__)
    if given:
        raise ModelHasPreset(names=", ".join(sorted(given)))
    return live.wish


def live_card(model: object) -> ModelCard:
    """The card of a live module. Raises NotLoaded."""
    wish = live_wish(model, frozenset())
    source: ForeignModel | None = getattr(model, _KEY).source
    return card_of(wish.config) if source is None else source.card(wish.config)


def live_computer(model: nn.Module, tokenizers: Tokenizers) -> Computer:
    """A Computer for one pass of a live module. Raises LiveNotFinite for weights with NaN or ∞, which translate nothing."""
    for name, weight in model.named_parameters():
        if not weight.is_meta and not all_finite(weight):  # Lent weights are in files, and were checked when they were opened.
            raise LiveNotFinite(tensor=name)
    live: Live = getattr(model, _KEY)
    if live.source is not None:
        return Computer(tokenizers, live=live.source.alone())
    assert isinstance(model, Transformer)  # `load_live` makes models of ours, and foreign ones with their source.
    return Computer(tokenizers, live=model)
