"""The parameters and circuits that the command `export` writes."""

from collections.abc import Iterator

import attrs
import numpy as np

from explorer.engine.compute import Computer
from explorer.engine.errands.parameter_pieces import ready_parameters
from explorer.engine.errands.parameters import named, numbers_of, parameters_of, rows_of
from explorer.engine.request import Request
from explorer.errors import UnknownHead
from explorer.export import formats
from explorer.export.job import Export
from explorer.picture.kinds import Heatmap, Strips
from explorer.picture.makers.parameters import parameter_map
from explorer.picture.picture import captioned
from explorer.picture.scales import robust_scale
from explorer.trace.found.matrix_reader import read_at_once


def parameter_exports(
    computer: Computer, request: Request, common: Export, name: str, head: str, *, in_folder: bool
) -> Iterator[Export]:
    """The files of a parameter, or of the chosen heads of a circuit: one for each matrix in a folder, else one of all.

    A figure of a large matrix shows blocks of it, and a file of numbers has them all. Raises UnknownParameter, UnknownHead,
    ExplorerError.
    """
    model, card, labels = ready_parameters(computer.sources, request.wish)
    parameter = named(parameters_of(model, card), name)
    known = {str(number): number for number in range(parameter.n_matrices)}
    if head != "all" and head not in known:
        raise UnknownHead(got=head, last=parameter.n_matrices - 1)
    is_figure = formats.find(common.format, formats.formats_of(figure=True, numbers=True, page=True)).is_figure

    def drawn(number: int) -> Heatmap:
        read = read_at_once(rows_of(model, card, parameter, number), parameter, number, labels(parameter))
        if not is_figure and read.block > 1:
            read = attrs.evolve(read, values=numbers_of(model, card, parameter, number), block=1, levels=None)
        return parameter_map(read, common.look, common.words)

    numbers = tuple(known.values()) if head == "all" else (known[head],)
    if not in_folder:
        yield attrs.evolve(
            common, picture=drawn(numbers[0]) if len(numbers) == 1 else _together([drawn(each) for each in numbers])
        )
        return
    for number in numbers:
        stem = name if parameter.n_matrices == 1 else f"{name}.head{number}"
        yield attrs.evolve(common, picture=drawn(number), out=common.out / f"{stem}.{common.format}")


def _together(made: list[Heatmap]) -> Strips:
    """Several heads beside each other, on one scale."""
    scale = robust_scale(np.concatenate([band.values.ravel() for band in made]), made[0].scale.colours)
    bands = tuple(captioned(attrs.evolve(band, scale=scale), title=f"H{band.head}") for band in made)
    return Strips(bands=bands, caption=attrs.evolve(made[0].caption, title=made[0].caption.title.partition(" · ")[0]))
