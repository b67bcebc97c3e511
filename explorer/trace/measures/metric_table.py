"""The metrics of all heads of one attention, of one text or of many, as a mapping that is also a table."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from explorer.trace.tabular import Columns, Tables, Tabular, cells

Values = NDArray[np.float64]


class HeadMetrics(Mapping[str, Values], Tabular):
    """What each head of an `attention` does, by metric: [layer, head] of one text, [prompt, layer, head] of many `prompts`."""

    def __init__(self, values: Mapping[str, Values], attention: str, prompts: tuple[str, ...] = ()) -> None:
        self._values, self.attention, self.prompts = dict(values), attention, prompts

    def __getitem__(self, metric: str) -> Values:
        return self._values[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        """The attention, the metrics and their shape."""
        shape = next(iter(self._values.values())).shape
        axes = ("prompt", "layer", "head")[-len(shape) :]
        sizes = ", ".join(f"{axis} {size}" for axis, size in zip(axes, shape, strict=True))
        return f"<HeadMetrics of {self.attention} [{sizes}]: {', '.join(self._values)}>"

    def tables(self) -> Tables:
        """`heads`: a row for each head, and of many prompts for each prompt and head, with a column for each metric."""
        return {"heads": self._heads}

    def _heads(self) -> Columns:
        of_many: dict[str, None] = {"prompt": None} if self.prompts else {}
        made = dict(cells(self._values, **of_many, layer=None, head=None))
        n_rows = len(made["head"])
        told = {"text": [self.prompts[each] for each in made["prompt"]]} if self.prompts else {}
        first = {"prompt": made.pop("prompt")} if self.prompts else {}
        return {**first, **told, "attention": [self.attention] * n_rows, **made}
