"""Where a layer of somebody's model keeps its parts, found by its family's row."""

from torch import nn

from explorer.foreign.experts import output_path, router_of
from explorer.foreign.families import Family, Side, Sublayer


def found_in(layer: nn.Module, paths: tuple[str, ...]) -> nn.Module | None:
    """The first of these modules that there is."""
    known = dict(layer.named_modules())
    return next((known[path] for path in paths if path and path in known), None)


def norm_of(layer: nn.Module, sublayer: Sublayer) -> nn.Module:
    """The norm through which a sublayer reads, or in post-norm models the one behind its addition.

    Raises AttributeError where the layer has none of these names.
    """
    found = found_in(layer, sublayer.norms)
    if found is None:
        raise AttributeError(sublayer.norm)
    return found


def fits(base: nn.Module, family: Family) -> bool:
    """Whether the parts that a family's row names are there, in every layer."""
    try:
        for side in family.sides:
            for path in filter(None, (side.tokens, side.positions, side.segments, side.embedding_norm, side.final_norm)):
                base.get_submodule(path)
            for layer in base.get_submodule(side.layers):  # type: ignore[attr-defined]  # a list of modules
                if not _layer_fits(layer, side):
                    return False
    except AttributeError:
        return False
    return True


def _layer_fits(layer: nn.Module, side: Side) -> bool:
    """Whether a layer has all parts. Raises AttributeError where one of them is missing."""
    for kind, sublayer in side.sublayers:
        layer.get_submodule(output_path(layer, side, kind, sublayer))
        norm_of(layer, sublayer)
        if sublayer.after:
            layer.get_submodule(sublayer.after)
    return router_of(layer, side) is not None or found_in(layer, side.hidden) is not None
