"""What a script that repeats a pass needs beside its Trace, and what only the model itself can say."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import attrs

from explorer.trace.recorded_pass import Tokens

TapsByPath = tuple[tuple[str, str], ...]
"""Paths of modules, each with the name of a tap."""


@attrs.frozen(kw_only=True)
class LayerPlaces:
    """Where the taps of one side's layers are; all layers are alike, so paths and names are those inside a layer.

    `layers` is the path of the list of layers. What a module gives out is at `outputs`, what it reads at `inputs`. `sums` are
    the modules whose output is added to the stream, each with the taps of that output and of the sum. With `post`, what the
    modules of `norms` give out is the stream from then on.
    """

    side: str
    layers: str
    outputs: TapsByPath = ()
    inputs: TapsByPath = ()
    sums: tuple[tuple[str, str, str], ...] = ()
    norms: TapsByPath = ()


@attrs.frozen(kw_only=True)
class ForeignPlaces:
    """Where the taps of a foreign model are: its folder, its class in transformers, and the paths of its modules.

    `attentions` are the modules that call the attention function. `outputs` are modules outside of the layers, `entered` the
    first layer of each side, whose input is the tap.
    """

    folder: Path
    kind: str
    attentions: TapsByPath
    outputs: TapsByPath = ()
    entered: TapsByPath = ()
    sides: tuple[LayerPlaces, ...] = ()


@attrs.frozen
class ScriptParts:
    """Where the `weights` of the model lie; None where they are drawn from a seed and are in no file.

    `lent` has the tokens of the other texts that changes of the kind "patch" take their numbers from, by text. Of somebody's
    model, which transformers computes, `foreign` says where its taps are; it reads its weights from its own folder.
    """

    weights: Path | None = None
    lent: Mapping[str, Tokens] = MappingProxyType({})
    foreign: ForeignPlaces | None = None
