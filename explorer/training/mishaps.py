"""What goes wrong on purpose: settings that break a training, each in a way that its curves show."""

from collections.abc import Mapping
from types import MappingProxyType

import attrs

from explorer.knobs import Value
from explorer.training.tasks import toy_recipe

_TIMES = 10


@attrs.frozen
class Mishap:
    """One way to break a training: the knobs and the numbers of the recipe that it sets, by name.

    With `anew` it needs weights of its own, so that a training that runs cannot be given it.
    """

    name: str
    settings: Mapping[str, Value]
    anew: bool = False


MISHAPS: Mapping[str, Mishap] = MappingProxyType(
    {
        mishap.name: mishap
        for mishap in (
            Mishap("no_warmup", {"warmup_steps": 0}),
            Mishap("fast", {"learning_rate": _TIMES * toy_recipe().learning_rate}),
            Mishap("no_positions", {"position": "none"}),
            Mishap("no_residual", {"residual": False}),
            Mishap("no_mask", {"causal_mask": False}),
            Mishap("deep_post_norm", {"n_layers": 8, "norm_placement": "post"}, anew=True),
            Mishap("few_examples", {"examples": 200, "epochs": 200}),
            Mishap("one_head", {"n_heads": 1}, anew=True),
        )
    }
)
"""All of them by name, in the order of the buttons."""
