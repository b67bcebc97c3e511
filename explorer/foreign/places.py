"""Where the taps of a foreign model are, as paths of its modules: for a script that uses torch's own hooks.

It mirrors `foreign.model`; `tests/foreign/test_scripts.py` holds the numbers of such a script against a Trace.
"""

from pathlib import Path

from torch import nn

from explorer.foreign.experts import output_path, router_of
from explorer.foreign.families import SidePaths
from explorer.foreign.model import Foreign
from explorer.trace.script_parts import ForeignPlaces, LayerPlaces, TapsByPath


def places_of(foreign: Foreign, folder: Path) -> ForeignPlaces | None:
    """The places of the taps of a model from a folder; None where its taps need more than hooks on modules.

    None stands for models whose attention is tapped at its softmax alone, and for those with experts or differing layers.
    """
    model = foreign.model
    paths = {module: path for path, module in model.named_modules()}
    if foreign.by_softmax or not foreign.attentions:
        return None
    begin = paths[model.base_model]
    sides = []
    outputs: list[tuple[str, str]] = []
    entered: list[tuple[str, str]] = []
    for name, side in foreign.rows.items():
        layers = list(model.base_model.get_submodule(side.layers))
        alike = {_layer(name, _joined(begin, side.layers), layer, side) for layer in layers}
        found = alike.pop()
        if alike or found is None:
            return None
        sides.append(found)
        outputs += [(_joined(begin, path), f"{name}.{tap}") for path, tap in _outside(side)]
        entered.append((f"{found.layers}.0", f"{name}.embedding.output"))
    return ForeignPlaces(
        folder=folder.absolute(),
        kind=type(model).__name__,
        attentions=tuple((paths[module], name) for name, module in foreign.attentions.items()),
        outputs=tuple(outputs),
        entered=tuple(entered),
        sides=tuple(sides),
    )


def _joined(*parts: str) -> str:
    return ".".join(filter(None, parts))


def _outside(side: SidePaths) -> TapsByPath:
    """The modules outside of the layers whose output is a tap."""
    named = (
        (side.tokens, "embedding.tokens"),
        (side.positions, "embedding.positions"),
        (side.segments, "embedding.segments"),
        (side.final_norm, "norm"),
    )
    return tuple((path, tap) for path, tap in named if path)


def _layer(name: str, layers: str, layer: nn.Module, side: SidePaths) -> LayerPlaces | None:
    """The places inside one layer; None for one with experts, and for one that keeps its norms elsewhere."""
    known = dict(layer.named_modules())
    if router_of(layer, side) is not None or not all(sublayer.norm in known for _kind, sublayer in side.sublayers):
        return None
    hidden = next(path for path in side.hidden if path in known)
    outputs = [(hidden, "feed_forward.hidden")]
    if side.gate in known and side.gate:
        outputs.append((side.gate, "feed_forward.gate"))
    norms = [(sublayer.norm, f"norm{place}") for place, (_kind, sublayer) in enumerate(side.sublayers, start=1)]
    sums = [
        (output_path(layer, side, kind, sublayer), f"{kind}.output", f"residual{place}")
        for place, (kind, sublayer) in enumerate(side.sublayers, start=1)
    ]
    return LayerPlaces(
        side=name,
        layers=layers,
        outputs=tuple(outputs if side.post else [*outputs, *norms]),
        inputs=((side.feed_forward.output, "feed_forward.activated"),),
        sums=tuple(sums),
        norms=tuple(norms) if side.post else (),
    )
