"""The parameters of a model, and the circuits of its heads, as NumPy arrays."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.api.passes import load_model
from explorer.errors import UnknownParameter
from explorer.presets import DEFAULT

if TYPE_CHECKING:
    from typing import Any, Unpack

    from torch import nn

    from explorer.config import KnobValues
    from explorer.trace.arrays import Array
    from explorer.trace.found.parameters import ParameterList


class Parameters(Mapping[str, "Array"]):
    """The parameters of a live model by name, as read-only float32 arrays, which are read when they are asked for.

    `circuits` are the names of further arrays [head, …, …], products of two weights of each head, such as
    "encoder.layers.0.self_attn.qk_circuit"; `circuit` multiplies that of one head alone. Raises UnknownParameter.
    """

    def __init__(self, model: "nn.Module") -> None:
        """Raises NotLoaded for a module that `load_model` did not make."""
        from explorer.api.live import live_card

        self._model, self._card = model, live_card(model)

    def __getitem__(self, name: str) -> "Array":
        return self._read(name, None)

    def get(self, name: str, default: "Any" = None) -> "Any":
        """The parameter of a name, or `default` if there is none."""
        try:
            return self[name]
        except UnknownParameter:
            return default

    def __iter__(self) -> Iterator[str]:
        return (each.name for each in self._list().of("parameters"))

    def __len__(self) -> int:
        return len(self._list().of("parameters"))

    def __contains__(self, name: object) -> bool:
        return any(name in (each.name, *each.tied) for each in self._list().parameters)

    @property
    def circuits(self) -> tuple[str, ...]:
        """The names of all circuits; none of an attention whose weights the program does not know."""
        return tuple(each.name for each in self._list().of("circuits"))

    def circuit(self, name: str, head: int) -> "Array":
        """[feature, feature] the circuit of one head. Raises UnknownParameter, UnknownHead."""
        return self._read(name, head)

    def _list(self) -> "ParameterList":
        from explorer.engine.errands.parameters import parameters_of

        return parameters_of(self._model, self._card)  # type: ignore[arg-type]  # `live_card` has looked.

    def _read(self, name: str, number: int | None) -> "Array":
        from explorer.engine.errands.parameters import named, numbers_of

        return numbers_of(self._model, self._card, named(self._list(), name), number)  # type: ignore[arg-type]


def parameters(
    preset: str | Path = DEFAULT,
    *,
    model: "nn.Module | None" = None,
    trained: bool = True,
    adapter: str | Path | None = None,
    **knobs: "Unpack[KnobValues]",
) -> Parameters:
    """The parameters of a preset or folder as NumPy arrays by name, and the QK and OV circuits of its heads.

    The arguments are those of `load_model`. `model` is a module that it has loaded: then the weights are those that the module
    has when they are asked for, edits included. Raises explorer.errors.ExplorerError.
    """
    return Parameters(load_model(preset, trained=trained, adapter=adapter, **knobs) if model is None else model)
