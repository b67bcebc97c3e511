"""A preset of one's own, made of what is set up."""

from pathlib import Path

import attrs
import pytest

from explorer.errors import CannotWrite, NotOwnModel
from explorer.presets import load_preset, own_presets
from explorer.resources import asset
from explorer.state.preset_file import presets_folder, save_preset
from explorer.state.state import State


def test_what_is_set_up_becomes_a_preset() -> None:
    """One file: knobs, sentence and Look; it is offered, and what is opened from it is the same."""
    state = State.from_preset("tutorial-c", "我们\n“你们”", temperature=0.5, n_heads=2)
    state = attrs.evolve(state, look=attrs.evolve(state.look, layer=1, head=1))
    path = save_preset(state, presets_folder() / "我的 预设.toml")
    assert own_presets() == (str(path),)
    back = State.from_preset(str(path))
    assert (back.wish.text, back.wish.config, back.look) == (state.wish.text, state.wish.config, state.look)
    assert load_preset(str(path)).folder is None


def test_an_older_one_is_replaced() -> None:
    """The dialog has asked."""
    path = presets_folder() / "a.toml"
    for text in ("一", "二"):
        save_preset(State.from_preset("tiny", text), path)
    assert State.from_preset(str(path)).wish.text == "二"


def test_trained_weights_go_with_it() -> None:
    """A folder with the very bytes; with fresh weights, the knobs alone. A folder that is there is not replaced."""
    state = State.from_preset("language-model", "我们", temperature=0.5)
    path = save_preset(state, presets_folder() / "mine.toml")
    assert path.name == "mine" and own_presets() == (str(path),)
    preset = load_preset(str(path))
    assert preset.folder == path and (preset.text, preset.config.temperature) == ("我们", 0.5)
    theirs = asset("presets/language-model")
    for name in ("weights.safetensors", "source.txt"):
        assert (path / name).read_bytes() == (theirs / name).read_bytes()
    with pytest.raises(CannotWrite):
        save_preset(state, presets_folder() / "mine.toml")
    assert [each.name for each in presets_folder().iterdir()] == ["mine"]
    fresh = attrs.evolve(state, wish=attrs.evolve(state.wish, trained=False))
    assert save_preset(fresh, presets_folder() / "fresh.toml").is_file()


def test_a_model_of_others_is_refused(tmp_path: Path) -> None:
    """It has no knobs of ours."""
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(NotOwnModel):
        save_preset(State.from_preset(str(tmp_path)), presets_folder() / "a.toml")
    assert own_presets() == ()
