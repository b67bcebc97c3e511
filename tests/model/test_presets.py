"""Named starting points."""

import pytest

from explorer.errors import UnknownPreset
from explorer.lang import LANGUAGES, Words
from explorer.model.presets import DEFAULT, load_preset, preset_names


def test_every_preset_loads_in_its_order() -> None:
    """The default is among them, and no two have the same place."""
    presets = [load_preset(name) for name in preset_names()]

    assert {DEFAULT, "tiny", "paper-base", *(f"tutorial-{letter}" for letter in "abcde")} <= set(preset_names())
    assert [preset.order for preset in presets] == sorted({preset.order for preset in presets})
    assert all(preset.text.strip() for preset in presets)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_preset_has_a_title(language: str) -> None:
    """In both languages."""
    words = Words.load(language)

    assert [name for name in preset_names() if f"preset.{name}.title" not in words] == []


def test_the_base_model_is_the_papers() -> None:
    """Vaswani et al. 2017, table 3, row "base": N 6, d_model 512, d_ff 2048, h 8, P_drop 0.1, norm after."""
    config = load_preset("paper-base").config

    assert (config.n_layers, config.d_model, config.d_ff, config.n_heads) == (6, 512, 2048, 8)
    assert (config.dropout, config.norm_placement, config.position, config.position_base) == (
        0.1, "post", "sinusoidal", 10000.0
    )
    assert config.tied_embeddings
    assert config.activation == "relu"


@pytest.mark.parametrize("name", ["", "nothing", "../lang/zh", "tiny.toml"])
def test_an_unknown_preset_names_those_there_are(name: str) -> None:
    """A path is no name."""
    with pytest.raises(UnknownPreset) as caught:
        load_preset(name)

    assert caught.value.values["name"] == name
    assert "tutorial-a" in Words.load("en").error(caught.value)
