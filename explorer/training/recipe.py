"""The Recipe: the hyperparameters of a training, besides the model's own knobs."""

from typing import Any, Literal

import attrs

from explorer.errors import UnknownKnob
from explorer.knobs import declared, knob

Precision = Literal["float32", "bfloat16"]


def _number(default: float, low: float, high: float, **slider: Any) -> Any:
    """Declare one field of the Recipe, checked as a knob is. Those with a `slider` can be turned in the window."""
    return knob(default, group="training", applies="weights", valid=(low, high), **slider)


@attrs.frozen(kw_only=True)
class Recipe:
    """How a training is made. Raises a BadKnob for a value out of range.

    `batch_tokens` counts the target tokens of different sentences in a batch. `examples` is how many training rows are
    used, the first ones; 0 uses all. `optimizer` is AdamW, or stochastic gradient descent with momentum. `split_words` is
    the share of known source words that are split into their characters, drawn anew in each epoch. `drop_stop` is the share
    of final full stops that are left out, because people type sentences without them. `agreement` is the R-Drop weight:
    that of the divergence between two passes with different dropout; 0 makes one pass only. `average` is the number of last
    epochs whose weights are averaged. Training stops early after `patience` epochs without a smaller validation loss.
    """

    epochs: int = _number(16, 1, 1000, offered=(1, 200))
    batch_tokens: int = _number(800, 16, 100_000, offered=(100, 5000), logarithmic=True)
    examples: int = _number(0, 0, 10_000_000, offered=(50, 20_000), logarithmic=True)
    optimizer: str = knob("adamw", group="training", applies="weights", choices=("adamw", "sgd"))
    learning_rate: float = _number(1e-3, 1e-6, 1.0, offered=(1e-4, 0.1), logarithmic=True)
    warmup_steps: int = _number(1000, 0, 1_000_000, offered=(0, 1000), step=10)
    weight_decay: float = _number(0.01, 0.0, 1.0)
    clip_norm: float = _number(1.0, 0.01, 100.0)
    label_smoothing: float = _number(0.1, 0.0, 0.9, offered=(0, 0.5), step=0.01)
    agreement: float = _number(5.0, 0.0, 100.0)
    split_words: float = _number(0.1, 0.0, 1.0)
    drop_stop: float = _number(0.05, 0.0, 1.0)
    average: int = _number(4, 1, 100)
    patience: int = _number(5, 1, 1000)
    training_seed: int = _number(0, 0, 2**31 - 1, offered=(0, 20))

    def changed(self, **values: object) -> "Recipe":
        """A Recipe with other values. Raises a BadKnob."""
        fields = attrs.fields_dict(Recipe)
        for name in values:
            if name not in fields:
                raise UnknownKnob(name=name)
        return attrs.evolve(self, **values)  # type: ignore[arg-type]  # Each field checks its value.


RECIPE_KNOBS = declared(Recipe)
TURNED = (
    "examples",
    "epochs",
    "learning_rate",
    "warmup_steps",
    "batch_tokens",
    "label_smoothing",
    "optimizer",
    "training_seed",
)
"""The numbers of a recipe that are turned in the window; the others belong to translators and language models."""
