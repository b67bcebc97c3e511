"""The parameters of a model as pictures: their list, one of them as a map, and how its numbers are distributed.

Decision: a large matrix is a map of blocks, and each row and column of the map says which rows and columns it stands for.
Rejected: the levels of large recorded maps, which need every number in memory when one zooms in.
"""

import numpy as np

from explorer.lang import Words
from explorer.picture.cell_text import rough
from explorer.picture.kinds import Axis, Caption, Heatmap, Waves
from explorer.picture.makers.taps import TapList
from explorer.picture.scales import Scale, robust_scale
from explorer.state.look import Look
from explorer.trace.found.parameters import CIRCUITS, Kind, Parameter, ParameterList, ParameterNumbers
from explorer.trace.tap_names import place_of

_FORMULAS = {
    "qk_circuit": "W<sub>Q</sub> W<sub>K</sub><sup>T</sup>",
    "ov_circuit": "W<sub>V</sub> W<sub>O</sub>",
    "project_query": "W<sub>Q</sub><sup>T</sup>",
    "project_key": "W<sub>K</sub><sup>T</sup>",
    "project_value": "W<sub>V</sub><sup>T</sup>",
    "project_output": "W<sub>O</sub><sup>T</sup>",
    "expand": "W<sub>1</sub><sup>T</sup>",
    "contract": "W<sub>2</sub><sup>T</sup>",
}
"""The letters of the paper, by what a circuit is called, or a layer of our own model.

torch keeps the matrix of a layer transposed: a row for each feature that comes out.
"""


_MOST_SORTED = 2**14  # numbers of a matrix that its scale is found from


def parameter_rows(found: ParameterList, kind: Kind) -> TapList:
    """The table of all parameters, or of all circuits."""
    listed = found.of(kind)
    return TapList(
        names=tuple(each.name for each in listed),
        shapes=tuple(each.badge for each in listed),
        sizes=tuple("×".join(map(str, each.shape)) or "1" for each in listed),
        compares=False,
        kind=kind,
    )


def default_parameter(found: ParameterList, kind: Kind, look: Look) -> Parameter | None:
    """What is shown until somebody chooses: the chosen attention's first circuit, or the first parameter; None without any."""
    listed = found.of(kind)
    attention = look.attention_tap().rpartition(".")[0]
    of_head = (each for each in listed if each.name.startswith(f"{attention}.") and each.name.endswith(CIRCUITS))
    return next(of_head, None) or next(iter(listed), None)


def parameter_map(read: ParameterNumbers, look: Look, words: Words) -> Heatmap:
    """One matrix of a parameter as a map; of a large one, each cell is the number of a block that is farthest from zero."""
    parameter, block = read.parameter, read.block
    rows, columns = parameter.matrix
    about = words(f"parameters.about.{_last(parameter)}") if parameter.kind == "circuits" else ""
    tied = _tied(parameter, words)
    pooled = words("parameters.pooled", block=block, count=block * block) if block > 1 else ""
    unpacked = words("parameters.dequantized", kind=parameter.dtype) if parameter.quantized else ""
    note = "  ".join(filter(None, (about, tied, unpacked, pooled)))
    return Heatmap(
        values=read.values,
        levels=read.levels,
        rows=_axis(parameter, 0, rows, block, read.labels, words),
        columns=_axis(parameter, 1, columns, block, (), words),
        scale=_scale(read, look.signed_colours),
        caption=_caption(read, words, note),
        recorded=read.values if block == 1 else None,
        head=read.number if parameter.n_matrices > 1 else None,
    )


def _tied(parameter: Parameter, words: Words) -> str:
    """That other parameters are the same tensor: their names, or of many the first and the last."""
    others = parameter.tied
    if len(others) > 1:
        return words("parameters.tied_layers", count=len(others), first=others[0], last=others[-1])
    return words("parameters.tied", names=others[0]) if others else ""


def parameter_histogram(read: ParameterNumbers, words: Words) -> Waves:
    """How many numbers of the matrix lie in each of many bins of one width."""
    about, counted = read.summary, read.histogram
    told = words(
        "parameters.figures",
        count=f"{read.parameter.matrix[0] * read.parameter.matrix[1]:,}",
        dtype=read.parameter.dtype,
        mean=rough(about.mean),
        deviation=rough(about.deviation),
    )
    outside = counted.below + counted.above
    if outside:
        told += " · " + words("parameters.outside", count=f"{outside:,}")
    centres = (counted.edges[:-1] + counted.edges[1:]) / 2  # [bin]
    return Waves(
        values=counted.counts[None].astype(np.float32),
        names=(words("parameters.in_bin"),),
        n_marked=0,
        caption=_caption(read, words, told, title=words("parameters.histogram"), name=f"{read.parameter.name}.histogram"),
        x_name=words("parameters.value"),
        x=centres,
        main=0,
    )


def _scale(read: ParameterNumbers, colours: str) -> Scale:
    """The scale of all numbers, from some of them and the one that is farthest from zero: millions take a tenth of a second."""
    numbers, most = read.values.ravel(), max(abs(read.summary.low), abs(read.summary.high))
    some = numbers[:: numbers.size // _MOST_SORTED | 1]  # An odd step meets all columns of most matrices.
    return robust_scale(np.append(some, np.float32(most)), colours)


def _caption(read: ParameterNumbers, words: Words, note: str, title: str = "", name: str = "") -> Caption:
    parameter = read.parameter
    is_circuit = parameter.kind == "circuits"
    return Caption(
        title=title or _title(read, words),
        tap=parameter.name,
        shape=parameter.badge,
        formula="" if title else _FORMULAS.get(_last(parameter), ""),
        note=note,
        origin="product" if is_circuit else "dequantized" if parameter.quantized else "parameter",
        name=name,
    )


def _last(parameter: Parameter) -> str:
    """What a circuit is called, or the layer of a matrix."""
    owner, _, last = parameter.name.rpartition(".")
    return last if parameter.kind == "circuits" else owner.rpartition(".")[2] if last == "weight" else ""


def _title(read: ParameterNumbers, words: Words) -> str:
    """The name of a parameter; a circuit by its name in the field, with layer and head."""
    parameter = read.parameter
    if parameter.kind == "circuits":
        where = words("picture.head", layer=place_of(parameter.name).layer, head=read.number)
        return f"{words(f'parameters.{_last(parameter)}')} · {where}"
    return parameter.name


def _axis(parameter: Parameter, place: int, size: int, block: int, labels: tuple[str, ...], words: Words) -> Axis:
    """Rows (0) or columns (1) of a map, with labels where each stands for a token or for several rows."""
    if parameter.kind == "circuits":
        name = words(f"parameters.axis.{_last(parameter)}.{('rows', 'columns')[place]}")
    else:
        axis = ("row", *parameter.axes)[-2:][place]
        name = words(f"axis.{axis}")
    if block == 1:
        return Axis(name, labels)
    return Axis(name, tuple(f"{first}–{min(size, first + block) - 1}" for first in range(0, size, block)), numbered=False)
