"""Every tap of the house's table, in every architecture and preset, by name, axes, shape and order."""

import numpy as np
import pytest
import torch

from explorer.config import Config
from explorer.model.tap import taps
from explorer.model.transformer import Transformer
from explorer.presets import load_preset, preset_names
from explorer.trace.stages import stage_of
from tests.trace.runs import SOURCE, TARGET, recorded, small

ARCHITECTURES = ("encoder-decoder", "encoder-only", "decoder-only")
Table = dict[str, tuple[str, ...]]


def embedding(side: str) -> Table:
    return {f"{side}.embedding.{name}": ("position", "feature") for name in ("tokens", "scaled", "positions", "output")}


def attention(path: str) -> Table:
    return (
        {f"{path}.{name}": ("head", "position", "feature") for name in ("query", "key", "value")}
        | {f"{path}.{name}": ("head", "query", "key") for name in ("scores", "scaled", "masked", "weights", "dropped")}
        | {f"{path}.mixed": ("head", "query", "feature"), f"{path}.output": ("query", "feature")}
    )


def around(layer: str, count: int, stem: str) -> Table:
    return {f"{layer}.{stem}{number + 1}": ("position", "feature") for number in range(count)}


def table(config: Config) -> Table:
    """What should be recorded, written down from the table and not from the model."""
    expected: Table = {}
    both = config.architecture == "encoder-decoder"
    sides = [side for side in ("encoder", "decoder") if both or config.architecture == f"{side}-only"]
    for side in sides:
        expected |= embedding(side) | {f"{side}.norm": ("position", "feature")}
        across = both and side == "decoder"
        for index in range(config.n_layers):
            layer = f"{side}.layers.{index}"
            expected |= attention(f"{layer}.self_attn")
            if across:
                expected |= attention(f"{layer}.cross_attn")
            expected |= {f"{layer}.feed_forward.{name}": ("position", "feature") for name in ("hidden", "activated", "output")}
            for stem in ("norm", "residual"):
                expected |= around(layer, 3 if across else 2, stem)
    return expected | {f"generator.{name}": ("position", "vocab") for name in ("logits", "probabilities")}


def sizes(name: str, config: Config) -> dict[str, int]:
    """How long each axis of a tap must be."""
    in_source = name.startswith("encoder.") or config.architecture == "encoder-only"
    own = len(SOURCE) if in_source else len(TARGET)
    memory = len(SOURCE) if ".cross_attn." in name else own
    in_head = name.endswith((".query", ".key", ".value", ".mixed"))
    wide = name.endswith((".hidden", ".activated"))
    feature = config.d_ff if wide else config.d_model // config.n_heads if in_head else config.d_model
    position = memory if name.endswith((".key", ".value")) else own
    return {
        "head": config.n_heads,
        "query": own,
        "key": memory,
        "position": position,
        "feature": feature,
        "vocab": config.vocab_size,
    }


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_exactly_the_taps_of_the_table_fire(architecture: str) -> None:
    """No name is missing, none is too much, and each has its axes."""
    config = small(architecture=architecture)

    assert recorded(config).axes == table(config)


@pytest.mark.parametrize("placement", ["pre", "post"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_shape_is_that_of_its_axes(architecture: str, placement: str) -> None:
    """Head, query, key, position, feature and vocab, each with the size that the Config gives it."""
    config = small(architecture=architecture, norm_placement=placement)
    recording = recorded(config)

    for name, array in recording.arrays.items():
        expected = tuple(sizes(name, config)[axis] for axis in table(config)[name])
        assert (name, array.shape) == (name, expected)


def shrunk(name: str) -> Config:
    """The preset; of tutorial-a only two of 64 layers, which are all alike: whole it takes 1.9 GB."""
    config = load_preset(name).config
    return config.changed(n_layers=2) if name == "tutorial-a" else config


@pytest.mark.parametrize("name", preset_names())
def test_every_tap_of_every_preset_fires(name: str) -> None:
    """Axes as in the table, float32, and all numbers finite but masked ones."""
    config = shrunk(name)
    recording = recorded(config)

    assert recording.axes == table(config)
    for tap, array in recording.arrays.items():
        assert array.dtype == np.float32
        assert np.isfinite(array).all() or tap.endswith(".masked"), tap


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_has_the_taps_of_all_its_layers(name: str) -> None:
    """All 64 layers of tutorial-a too: on torch's "meta" device a model has names and no memory."""
    config = load_preset(name).config
    with torch.device("meta"):
        found = taps(Transformer(config))

    assert {tap: each.axes for tap, each in found.items()} == {tap: ("batch", *axes) for tap, axes in table(config).items()}


def test_taps_are_recorded_in_the_order_of_the_flow() -> None:
    """Encoder before decoder before generator, and step by step inside a layer."""
    names = list(recorded(small(n_layers=1)).arrays)
    attended = ["query", "key", "value", "scores", "scaled", "masked", "weights", "dropped", "mixed", "output"]
    layer = ["norm1", *(f"self_attn.{name}" for name in attended), "residual1"]
    fed = ["feed_forward.hidden", "feed_forward.activated", "feed_forward.output"]
    across = ["norm2", *(f"cross_attn.{name}" for name in attended), "residual2"]
    start = ["embedding.tokens", "embedding.scaled", "embedding.positions", "embedding.output"]

    encoder = [*start, *(f"layers.0.{name}" for name in (*layer, "norm2", *fed, "residual2")), "norm"]
    decoder = [*start, *(f"layers.0.{name}" for name in (*layer, *across, "norm3", *fed, "residual3")), "norm"]
    end = ["generator.logits", "generator.probabilities"]
    assert names == [*(f"encoder.{name}" for name in encoder), *(f"decoder.{name}" for name in decoder), *end]


def test_post_norm_records_the_norm_after_the_addition() -> None:
    """The flow of the other placement: sublayer, residual, norm."""
    names = list(recorded(small(architecture="encoder-only", n_layers=1, norm_placement="post")).arrays)
    layer = [name.removeprefix("encoder.layers.0.") for name in names if ".layers." in name]

    assert layer[:1] == ["self_attn.query"]
    assert layer[9:12] == ["self_attn.output", "residual1", "norm1"]
    assert layer[-3:] == ["feed_forward.output", "residual2", "norm2"]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_tap_has_a_stage(architecture: str) -> None:
    """The catalogue knows all names, and the stage follows from the name's end."""
    for name in table(small(architecture=architecture)):
        assert name.rstrip("123").endswith(stage_of(name).key.removeprefix("attention."))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_stage_says_how_wide_its_tensors_are(architecture: str) -> None:
    """The memory of a pass is reckoned from it; all sizes differ here, so that none passes for another."""
    config = small(architecture=architecture)
    n_source, n_target = (5, 3)
    sizes = {"d_model": 24, "d_head": 6, "d_ff": 40, "vocab": 50}
    for name, array in recorded(config).arrays.items():
        width = stage_of(name).width
        if width == "keys":
            assert array.shape[-1] in (n_source, n_target) and array.ndim == 3, name
        else:
            assert array.shape[-1] == sizes[width], name
