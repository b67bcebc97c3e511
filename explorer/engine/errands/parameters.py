"""The parameters of the model that made a pass: which there are, and the rows of one of them.

Rows are read where the weights lie: in the model's own memory, in memory of half the width, or in the folder's files. No copy
of a whole parameter is made. Circuits are multiplied a few rows at a time.
"""

import difflib
import math
from collections import defaultdict
from collections.abc import Iterator

import attrs
import numpy as np
import torch
from torch import Tensor, nn

from explorer.errors import UnknownHead, UnknownParameter
from explorer.foreign import weights as foreign_weights
from explorer.foreign.model import Foreign
from explorer.foreign.stores import Store
from explorer.foreign.thin import lent_store, memory_of
from explorer.model.attention import Attention
from explorer.model.transformer import Stack, Transformer
from explorer.trace.arrays import Array
from explorer.trace.found.matrix_reader import Rows
from explorer.trace.found.parameters import Parameter, ParameterList, slabs
from explorer.trace.found.weights import Circuits, Matrix
from explorer.trace.model_card import ModelCard

AnyModel = Transformer | Foreign
_AXES = {"Linear": ("out", "in"), "Conv1D": ("in", "out"), "Embedding": ("row", "feature")}
"""What the axes of a module's matrix run along, by its class; GPT-2's layer stores its matrix transposed."""


def parameters_of(model: AnyModel, card: ModelCard) -> ParameterList:
    """All parameters in the model's own order, a shared one once, and behind them the circuits of all attentions."""
    root = _root(model)
    tables = _token_tables(model)
    made, names = [], defaultdict[object, list[str]](list)
    for name, _own in root.named_parameters(remove_duplicate=False):
        owner, _, leaf = name.rpartition(".")
        names[memory_of(root.get_submodule(owner), leaf)].append(name)
    for name, *tied in names.values():
        owner, _, leaf = name.rpartition(".")
        module, own = root.get_submodule(owner), root.get_parameter(name)
        store = lent_store(module, leaf)
        dtype = str(own.dtype).removeprefix("torch.") if store is None else store.dtype
        made.append(Parameter(name, tuple(own.shape), _axes(module, own, module in tables), dtype, tuple(tied)))
    circuits = tuple(_circuits(model, card))
    n_attentions = len(model.attentions) if isinstance(model, Foreign) else len(_attentions(model))
    whole = len(circuits) == 2 * n_attentions
    return ParameterList((*made, *circuits), "" if whole else "parameters.no_qk" if circuits else "parameters.no_circuits")


def named(parameters: ParameterList, name: str) -> Parameter:
    """The parameter or circuit of a name, which may be one of several. Raises UnknownParameter."""
    found = next((each for each in parameters.parameters if name in (each.name, *each.tied)), None)
    if found is None:
        nearest = difflib.get_close_matches(name[:200], [each.name for each in parameters.parameters], n=1, cutoff=0.0)
        raise UnknownParameter(name=name, nearest=nearest[0] if nearest else "")
    return found


def rows_of(model: AnyModel, card: ModelCard, parameter: Parameter, number: int = 0) -> Rows:
    """The rows of one matrix of a parameter, or of a head's circuit. Raises UnknownHead, BadWeights."""
    if not 0 <= number < parameter.n_matrices:
        raise UnknownHead(got=number, last=parameter.n_matrices - 1)
    if parameter.kind == "circuits":
        block, _, circuit = parameter.name.rpartition(".")
        weights = attention_circuits(model, card, block)
        return _Product(*(weights.qk_circuit(number) if circuit == "qk_circuit" else weights.ov_circuit(number)))
    root = _root(model)
    owner, _, leaf = parameter.name.rpartition(".")
    module = root.get_submodule(owner)
    found = lent_store(module, leaf) or module.get_parameter(leaf).detach()
    return _Stored(found, len(parameter.shape), math.prod(parameter.shape[1:-2]), number)


def numbers_of(model: AnyModel, card: ModelCard, parameter: Parameter, number: int | None = None) -> Array:
    """A copy of one matrix of a parameter, or of the whole of it in its own shape. Raises UnknownHead, BadWeights."""
    some = range(parameter.n_matrices) if number is None else (number,)
    n_rows, n_columns = parameter.matrix
    made = np.empty((len(some), n_rows, n_columns), np.float32)
    for place, each in enumerate(some):
        rows = rows_of(model, card, parameter, each)
        for first, end in slabs(parameter):
            made[place, first:end] = rows.span(first, end)
    made.setflags(write=False)
    return made.reshape(parameter.shape) if number is None else made[0]


def attention_circuits(model: AnyModel, card: ModelCard, block: str) -> Circuits:
    """W_Q, W_K, W_V and W_O of an attention with circuits, such as "decoder.layers.0.self_attn". Raises BadWeights.

    Those of our own model are seen in its own memory, and are not to be kept.
    """
    n_heads = card.side(block).n_heads
    if isinstance(model, Foreign):
        return foreign_weights.attention_circuits(model, block, n_heads)
    module = _attentions(model)[block]
    linear = module.project_query, module.project_key, module.project_value, module.project_output
    query, key, value, output = (Matrix(_array(each.weight)) for each in linear)
    return Circuits(query, key, value, output, n_heads)


@attrs.frozen(eq=False)
class _Stored:
    """A tensor of `n_axes` axes, in memory or lent. Of more than two axes, the first one counts `n_inner` matrices each."""

    found: Tensor | Store
    n_axes: int
    n_inner: int
    number: int

    def span(self, first: int, end: int) -> Array:
        """See Rows."""
        if self.n_axes == 2:
            return self._some(first, end)
        if self.n_axes < 2:
            return self._some(0, math.prod(self.found.shape)).reshape(1, -1)[first:end]
        outer, inner = divmod(self.number, self.n_inner)
        one = self._some(outer, outer + 1)
        return one.reshape(self.n_inner, *one.shape[-2:])[inner, first:end]

    def _some(self, first: int, end: int) -> Array:
        if not isinstance(self.found, Tensor):
            return self.found.span(first, end).numpy()
        return _array((self.found if self.n_axes else self.found[None])[first:end])


@attrs.frozen(eq=False)
class _Product:
    """leftᵀ·right of two factors [feature, …]."""

    left: Array
    right: Array

    def span(self, first: int, end: int) -> Array:
        """See Rows."""
        product: Array = self.left[:, first:end].T @ self.right
        return product


def _root(model: AnyModel) -> nn.Module:
    """The module whose parameters are the model's; of a foreign one, transformers' own."""
    root: nn.Module = model.model if isinstance(model, Foreign) else model
    return root


def _axes(module: nn.Module, own: Tensor, is_table: bool) -> tuple[str, ...]:
    """What the axes of a parameter run along."""
    kinds = (each.__name__ for each in type(module).__mro__)
    known = next((_AXES[kind] for kind in kinds if kind in _AXES), ("row", "column"))
    if own.dim() < 2:
        return ("feature",) * own.dim()
    last = ("vocab", "feature") if is_table else known
    return (*("matrix",) * (own.dim() - 2), *last)


def token_table(model: AnyModel, name: str) -> str:
    """The side whose vocabulary the rows of a parameter have: "encoder" for what is read first, else "decoder"."""
    return _token_tables(model).get(_root(model).get_submodule(name.rpartition(".")[0]), "decoder")


def _token_tables(model: AnyModel) -> dict[nn.Module, str]:
    """The modules whose matrix has a row for each token of a vocabulary, with the side whose vocabulary it is."""
    if isinstance(model, Foreign):
        sides = tuple(model.sides) or ("decoder",)
        tables = {model.model.get_output_embeddings(): "decoder"} | {model.embedding(side): sides[0] for side in sides}
        return {module: side for module, side in tables.items() if module is not None}
    stacks = {"encoder": model.encoder, "decoder": model.decoder}
    read: dict[nn.Module, str] = {stack.embedding.look_up: side for side, stack in stacks.items() if isinstance(stack, Stack)}
    return {model.generator.project: "decoder" if model.decoder is not None else "encoder", **read}


def _attentions(model: Transformer) -> dict[str, Attention]:
    return {name: module for name, module in model.named_modules() if isinstance(module, Attention)}


def _circuits(model: AnyModel, card: ModelCard) -> Iterator[Parameter]:
    """The circuits of the heads of all attentions whose weights are known."""
    if isinstance(model, Foreign):
        shapes = foreign_weights.circuit_shapes(model)
    else:
        square = (card.d_model, card.d_model)
        shapes = {block: {"qk_circuit": square, "ov_circuit": square} for block in _attentions(model)}
    for block, circuits in shapes.items():
        n_heads = card.side(block).n_heads
        for circuit, shape in circuits.items():
            yield Parameter(f"{block}.{circuit}", (n_heads, *shape), ("head", "feature", "feature"), "float32")


def _array(tensor: object) -> Array:
    """The numbers of a tensor as float32; of a float32 one on the processor, its own memory."""
    assert isinstance(tensor, Tensor)  # torch's types call parameters Tensor or Module.
    with torch.inference_mode():
        array: Array = tensor.detach().float().cpu().numpy()
    view: Array = array.view()
    view.setflags(write=False)
    return np.asarray(view)
