"""Where the taps of a foreign model are, as paths of its modules: for a script that uses torch's own hooks.

It mirrors `foreign.model`; `tests/foreign/test_scripts.py` holds the numbers of such a script against a Trace.
"""

from pathlib import Path

from explorer.foreign.model import Foreign
from explorer.foreign.stream_map import LayerPaths, SidePaths
from explorer.foreign.unrolled import copies_of
from explorer.trace.script_parts import ForeignPlaces, LayerPlaces, TapsByPath


def places_of(foreign: Foreign, folder: Path) -> ForeignPlaces | None:
    """The places of the taps of a model from a folder; None where its taps need more than hooks on modules.

    None stands for models whose attention is tapped at its softmax alone, and for those with experts, with layers that differ,
    or with layers that are one module.
    """
    model = foreign.model
    paths = {module: path for path, module in model.named_modules()}
    if foreign.by_softmax or not foreign.attentions or copies_of(model):
        return None
    sides = []
    outputs: list[tuple[str, str]] = []
    entered: list[tuple[str, str]] = []
    for name, side in foreign.sides.items():
        alike = {_layer(name, side, layer) for layer in side.each}
        found = alike.pop()
        if alike or found is None:
            return None
        sides.append(found)
        outputs += [(path, f"{name}.{tap}") for path, tap in _outside(side)]
        entered.append((f"{side.layers}.0", f"{name}.embedding.output"))
    return ForeignPlaces(
        folder=folder.absolute(),
        kind=type(model).__name__,
        attentions=tuple((paths[module], name) for name, module in foreign.attentions.items()),
        outputs=tuple(outputs),
        entered=tuple(entered),
        sides=tuple(sides),
    )


def _outside(side: SidePaths) -> TapsByPath:
    """The modules outside of the layers whose output is a tap."""
    named = (
        (side.tokens, "embedding.tokens"),
        (side.positions, "embedding.positions"),
        (side.segments, "embedding.segments"),
        (side.final_norm, "norm"),
    )
    return tuple((path, tap) for path, tap in named if path)


def _layer(name: str, side: SidePaths, layer: LayerPaths) -> LayerPlaces | None:
    """The places inside one layer; None for one whose taps need more than hooks on modules.

    Those are layers whose blocks run in parallel, or whose output is scaled, normed or gated before it is added, and experts.
    """
    if layer.parallel or not all(block.is_matrix and block.norm for block in layer.blocks):
        return None
    if any(block.after or block.factor != 1 or block.gated or block.gate == block.hidden != "" for block in layer.blocks):
        return None
    network = layer.blocks[-1]
    if not network.hidden or any(block.kind == "other" for block in layer.blocks):
        return None
    outputs = [(network.hidden, "feed_forward.hidden")]
    if network.gate:
        outputs.append((network.gate, "feed_forward.gate"))
    norms = [(block.norm, f"norm{place}") for place, block in enumerate(layer.blocks, start=1)]
    sums = [(block.output, f"{block.kind}.output", f"residual{place}") for place, block in enumerate(layer.blocks, start=1)]
    return LayerPlaces(
        side=name,
        layers=side.layers,
        outputs=tuple(outputs if side.post else [*outputs, *norms]),
        inputs=((network.output, "feed_forward.activated"),),
        sums=tuple(sums),
        norms=tuple(norms) if side.post else (),
    )
