"""Where a Config departs from the paper. Vaswani et al. 2017, section 3."""

from explorer.config import KNOBS, Config

PAPER = {
    "position": "sinusoidal",
    "position_base": 10000.0,
    "embedding_scale": 1.0,
    "score_scaling": True,
    "temperature": 1.0,
    "causal_mask": True,
    "causal_mask_encoder": False,
    "causal_mask_cross": False,
    "masking": "usual",
    "mask_value": "-inf",
    "residual": True,
    "norm_placement": "post",
    "norm_kind": "torch",
    "norm_shift": 0.0,
    "activation": "relu",
    "initialization": "independent",
    "vocabulary": "bundled",
}
"""What the paper says about knobs that are no sizes. Vaswani et al. 2017, section 3."""


def departures(config: Config) -> tuple[tuple[str, object, object], ...]:
    """Knob, its value here and the paper's, wherever they differ."""
    values = config.values()
    return tuple(
        (knob.name, values[knob.name], PAPER[knob.name])
        for knob in KNOBS
        if knob.name in PAPER and values[knob.name] != PAPER[knob.name]
    )


def as_paper(config: Config) -> Config:
    """The same sizes, and everything else as the paper has it."""
    return config.changed(**PAPER)
