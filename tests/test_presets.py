"""Named starting points."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import explorer
from explorer import errors, presets
from explorer.config import Config
from explorer.errors import (
    BadPreset,
    KnobDoesNothing,
    NotAFile,
    NothingThere,
    NotOwnModel,
    PipeAsFile,
    UnknownKnob,
    UnknownPreset,
)
from explorer.lang import LANGUAGES, Words
from explorer.presets import (
    DEFAULT,
    FILE,
    first_preset,
    load_own_preset,
    load_preset,
    own_presets,
    preset_names,
    reader_of,
    recorded_preset,
    titles,
)
from explorer.state.intents import OpenFolder, SetPreset
from explorer.state.state import Settings, State


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
        0.1,
        "post",
        "sinusoidal",
        10000.0,
    )
    assert config.tied_embeddings
    assert config.activation == "relu"


@pytest.mark.parametrize("name", ["", "nothing", "lang/zh/tiny x", "tiny.toml"])
def test_an_unknown_preset_names_those_there_are(name: str) -> None:
    """A path is no name."""
    with pytest.raises(UnknownPreset) as caught:
        load_preset(name)

    assert caught.value.values["name"] == name
    assert "tutorial-a" in Words.load("en").error(caught.value)


@pytest.mark.parametrize("name", ["../lang/zh", "/nowhere/model", "~/gpt2", "small.gguf", "C:\\models\\gpt2"])
def test_a_path_with_nothing_there_is_told_as_a_path(name: str) -> None:
    """Whoever gives a path wants no list of presets."""
    with pytest.raises(NothingThere) as caught:
        load_preset(name)

    assert caught.value.values["path"] == name
    assert "does not exist" in Words.load("en").error(caught.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes in its folders")
@pytest.mark.parametrize("name", ["pipe", "pipe.npz", "pipe.toml", "pipe.gguf", "model/preset.toml"])
def test_a_pipe_is_called_what_it_is(name: str, tmp_path: Path) -> None:
    """As a preset, in the folder of one and as a recorded pass."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path)
    asked: list[Callable[[], object]] = [
        lambda: load_preset(str(path)),
        lambda: recorded_preset(str(path)),
        lambda: OpenFolder(str(path)).applied(State.from_preset("tiny"), None),
    ]
    if path.name == FILE:
        asked.append(lambda: load_preset(str(path.parent)))
    for ask in asked:
        with pytest.raises(PipeAsFile, match=name):
            ask()


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_a_name_that_no_file_can_have_is_unknown(name: str) -> None:
    """The system's own refusal does not come through."""
    with pytest.raises(UnknownPreset):
        load_preset(name)


def test_a_folder_of_ones_own_is_named_by_its_path(tmp_path: Path) -> None:
    """Its preset.toml says the text and the knobs; the folder is where weights are looked for."""
    (tmp_path / FILE).write_text('text = "你好"\n[knobs]\nn_layers = 3\n', encoding="utf-8")
    preset = load_preset(str(tmp_path))

    assert (preset.name, preset.text, preset.folder) == (str(tmp_path), "你好", tmp_path)
    assert preset.config == Config(n_layers=3)


@pytest.mark.parametrize(("look", "names"), [("", False), ("stage = 'scores'", False), ("layer = 0", True), ("head = 3", True)])
def test_a_preset_may_name_the_head_that_is_seen_first(tmp_path: Path, look: str, names: bool) -> None:
    """By attention, layer or head, also where it is the default; the bundled ones leave it to the measure."""
    (tmp_path / FILE).write_text(f'text = "你好"\n[knobs]\n[look]\n{look}\n', encoding="utf-8")

    assert load_preset(str(tmp_path)).names_head == names
    assert not any(load_preset(name).names_head for name in preset_names())


def test_a_language_has_its_models() -> None:
    """The first translator that reads it opens first; where none is bundled, the default preset does."""
    for language in LANGUAGES:
        preset = load_preset(first_preset(language))
        assert preset.translates and preset.reads == ("zh" if reader_of(language) is None else language)
        assert reader_of(language, "encoder-only") is None
    assert reader_of("zh", "decoder-only") == "language-model" and reader_of("") is None


def test_the_language_of_a_model_is_told_by_its_file_or_by_its_cuts(tmp_path: Path) -> None:
    """Without weights a preset reads nothing; digits are no language."""
    file = tmp_path / FILE
    for told, tokenizer, reads in (("", "bpe", "en"), ("", "jieba", "zh"), ("", "characters", ""), ("zh", "bpe", "zh")):
        line = f'reads = "{told}"\n' if told else ""
        file.write_text(f'{line}text = "x"\n[knobs]\ntokenizer = "{tokenizer}"\n', "utf-8")
        assert load_preset(str(tmp_path)).reads == reads
    assert load_preset("tiny").reads == load_preset("sort").reads == ""


@pytest.mark.parametrize("line", ['reads = "tlh"', "reads = 3", '[heads]\n"decoder.cross_attn" = [1]', "heads = 3"])
def test_a_wrong_language_or_head_is_a_bad_preset(tmp_path: Path, line: str) -> None:
    """Told with the file."""
    (tmp_path / FILE).write_text(f'text = "x"\nknobs = {{}}\n{line}\n', "utf-8")
    with pytest.raises(BadPreset) as caught:
        load_preset(str(tmp_path))
    assert str(tmp_path) in str(caught.value)


def test_an_empty_name_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where the program was started in a folder with a preset."""
    (tmp_path / FILE).write_text('text = "你好"\n[knobs]\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownPreset):
        load_preset("")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"text",
        b"\xff\xfe",
        b'text = "a"',
        b"[knobs]\n",
        b"text = 5\n[knobs]\n",
        b'text = "a"\n[knobs]\nn_layers = 0\n',
        b'text = "a"\n[knobs]\nlayers = 3\n',
        b'text = "a"\n[knobs]\nn_heads = 3\n',
        b'text = "a"\nknobs = 3\n',
        b'text = "a"\n[knobs]\n[look]\nlayer = inf\n',
        b'text = "a"\n[knobs]\n[look]\nhead = nan\n',
        b'text = "a"\n[knobs]\n[look]\nlayer = -1\n',
        b'text = "a"\n[knobs]\n[look]\nattention = "x"\n',
        b'text = "a"\n[knobs]\n[look]\nelsewhere = 1\n',
        b'text = "a"\norder = "x"\n[knobs]\n',
        b'text = "a"\n[knobs]\nn_layers = inf\n',
        b'text = "a"\n[knobs]\nseed = ' + b"9" * 5000 + b"\n",
        b'text = "a"\n[knobs]\nx = ' + b"[" * 100_000,
        b'text = "a"\nlook = 3\n[knobs]\n',
        b'text = "a"\n[knobs]\n' + b"a." * 60_000 + b"a = 1\n",
        b'text = "a"\n[knobs]\n[' + b"a." * 60_000 + b"a]\n",
        b'text = "' + b"a" * 300_000 + b'"\n[knobs]\n',
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_that_is_no_preset_is_told_by_its_path(tmp_path: Path, content: bytes, language: str) -> None:
    """Broken TOML, no UTF-8, something missing, a knob that is none or out of range."""
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(BadPreset) as caught:
        load_preset(str(tmp_path))

    assert str(tmp_path / FILE) in Words.load(language).error(caught.value)


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_only_a_regular_file_is_a_preset(kind: str, tmp_path: Path) -> None:
    """A pipe would be waited for; the error says what it is."""
    if kind == "pipe":
        os.mkfifo(tmp_path / FILE)
    elif kind == "device":
        (tmp_path / FILE).symlink_to("/dev/zero")
    else:
        (tmp_path / FILE).mkdir()
    with pytest.raises(NotAFile) as caught:
        load_preset(str(tmp_path))

    assert f"{FILE}: it is a" in Words.load("en").error(caught.value)
    assert kind in Words.load("en").error(caught.value)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_folder_with_a_model_of_others_is_a_preset(name: str, tmp_path: Path) -> None:
    """By the layout of its files. Only the knobs that act on it can be turned."""
    (tmp_path / name).touch()
    preset = load_preset(str(tmp_path))

    assert preset.foreign == tmp_path
    assert preset.folder is None
    assert preset.changed(temperature=2.0, memory_budget=512).values()["temperature"] == 2.0
    with pytest.raises(KnobDoesNothing) as caught:
        preset.changed(temperature=2.0, n_heads=2)
    assert caught.value.values == {"name": "n_heads"}
    with pytest.raises(UnknownKnob):
        preset.changed(n_wings=2)


def test_a_folder_that_is_our_own_preset_comes_first(tmp_path: Path) -> None:
    """Even with a config.json beside it."""
    (tmp_path / "config.json").touch()
    (tmp_path / FILE).write_text('text = "a"\n[knobs]\n')
    assert load_preset(str(tmp_path)).foreign is None


def test_what_needs_a_model_of_our_own_says_so(tmp_path: Path) -> None:
    """Training and translating; the window shows both kinds."""
    (tmp_path / "config.json").touch()
    name = str(tmp_path)
    with pytest.raises(NotOwnModel, match="show"):
        load_own_preset(name)
    assert State.from_preset(name).wish.foreign
    assert SetPreset(name).applied(State.from_preset("tiny"), None).wish.preset == name
    assert Settings.read({"compared_with": {"preset": name}})[0].compared_with is not None


def test_a_folder_that_was_known_stays_known(tmp_path: Path) -> None:
    """Its model is open, and goes on answering when somebody removes the folder."""
    (tmp_path / "config.json").touch()
    before = load_preset(str(tmp_path))
    (tmp_path / "config.json").unlink()
    assert load_preset(str(tmp_path)) == before
    with pytest.raises(UnknownPreset):
        load_preset(str(tmp_path / "other"))


def test_a_file_of_knobs_is_a_preset(tmp_path: Path) -> None:
    """Without weights and vocabularies: it has random weights, and its own first sentence."""
    path = tmp_path / "small.toml"
    path.write_text("text = '我爱书'\n[knobs]\nn_layers = 1\nn_heads = 2\nd_model = 8\nd_ff = 16\n", encoding="utf-8")
    preset = load_preset(str(path))

    assert (preset.folder, preset.foreign, preset.config.n_layers, titles((preset.name,))) == (None, None, 1, ("small",))
    assert preset.text == "我爱书"
    trace = explorer.explore("我爱北京", preset=path)
    assert not trace.trained
    assert trace.config == preset.config
    path.write_text("text = '我爱书'\n[knobs]\nn_layers = 1\nn_heads = 3\nd_model = 8\n", encoding="utf-8")
    with pytest.raises(BadPreset, match="small"):
        load_preset(str(path))


def test_presets_beside_the_preferences_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files and folders there; what is no preset is not, and where nothing is there is nothing."""
    monkeypatch.setattr(presets, "config_folder", lambda: tmp_path)
    assert own_presets() == ()
    folder = tmp_path / "presets" / "mine"
    folder.mkdir(parents=True)
    (folder / FILE).write_text("[knobs]\n", encoding="utf-8")
    (tmp_path / "presets" / "small.toml").write_text("[knobs]\n", encoding="utf-8")
    (tmp_path / "presets" / "notes.txt").write_text("…", encoding="utf-8")

    assert own_presets() == (str(folder), str(tmp_path / "presets" / "small.toml"))
    assert titles(own_presets()) == ("mine", "small")


def snapshot(cache: Path, name: str, number: str, told: bool = True) -> Path:
    """A model in the download cache of Hugging Face, as its own library lays it out."""
    top = cache / f"models--{name.replace('/', '--')}"
    (top / "snapshots" / number).mkdir(parents=True)
    (top / "snapshots" / number / "config.json").touch()
    if told:
        (top / "refs").mkdir(exist_ok=True)
        (top / "refs" / "main").write_text(number)
    return top


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_file_of_a_model_stands_for_its_folder(name: str, tmp_path: Path) -> None:
    """Somebody drops config.json over the window, or the weights, which are no recorded pass then."""
    (tmp_path / "config.json").touch()
    (tmp_path / name).touch()

    assert load_preset(str(tmp_path / name)).foreign == tmp_path
    assert titles((str(tmp_path / "config.json"),)) == (tmp_path.name,)


def test_a_file_in_gguf_is_a_model(tmp_path: Path) -> None:
    """Also where several lie beside each other: one of them is named."""
    for name in ("a.gguf", "b.gguf"):
        (tmp_path / name).touch()

    assert load_preset(str(tmp_path / "b.gguf")).foreign == tmp_path / "b.gguf"


def test_the_download_cache_leads_to_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the folder of a model, by the whole cache where it holds one, and by the model's name on the Hub."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    top = snapshot(tmp_path, "openai-community/gpt2", "0123abcd")
    newest = top / "snapshots" / "0123abcd"
    (top / "snapshots" / "ffff0000").mkdir()  # Another revision, which nobody asked for.

    for name in (str(top), str(tmp_path), "openai-community/gpt2"):
        assert load_preset(name).foreign == newest
    assert titles((str(top),)) == titles((str(newest),)) == ("openai-community/gpt2",)


def adapter(folder: Path) -> str:
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "org/base"}')
    (folder / "adapter_model.safetensors").touch()
    return str(folder)


def adapter_beside_settings(folder: Path) -> str:
    (folder / "config.json").touch()
    return adapter(folder)


def whole_cache(folder: Path) -> str:
    for name in ("org/a", "org/b"):
        snapshot(folder, name, "0123abcd")
    return str(folder)


def unfinished(folder: Path) -> str:
    (folder / "models--org--a" / "snapshots").mkdir(parents=True)
    return str(folder / "models--org--a")


def something_else(folder: Path) -> str:
    (folder / "notes.txt").touch()
    return str(folder / "notes.txt")


REASONS = {
    "an adapter": (adapter, errors.AdapterAsPreset, "org/base"),
    "an adapter beside its settings": (adapter_beside_settings, errors.AdapterAsPreset, "org/base"),
    "a cache of several models": (whole_cache, errors.SeveralModels, "models--org--a"),
    "an unfinished download": (unfinished, errors.NothingDownloaded, "models--org--a"),
    "a name on the Hub": (lambda _folder: "org/name", errors.NameOnHub, "hf download org/name"),
    "an empty folder": (str, errors.NoModelInside, "config.json"),
    "a file of another kind": (something_else, errors.NoModelInside, "notes.txt"),
}


@pytest.mark.parametrize("name", REASONS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_holds_no_model_says_what_it_is(name: str, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of saying that there is no such preset."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    make, kind, told = REASONS[name]
    with pytest.raises(UnknownPreset) as caught:
        load_preset(make(tmp_path))

    assert type(caught.value) is kind
    assert told in Words.load(language).error(caught.value)


def test_a_checkpoint_is_sent_to_the_command_that_converts_it(tmp_path: Path) -> None:
    """The file, and a folder with nothing else in it; beside an adapter's settings it is an adapter's."""
    (tmp_path / "ckpt.pt").touch()
    for name in (tmp_path, tmp_path / "ckpt.pt"):
        with pytest.raises(errors.CheckpointAsModel, match="transformer-explorer convert") as caught:
            load_preset(str(name))
        assert caught.value.values == {"path": str(tmp_path / "ckpt.pt")}
    (tmp_path / "adapter_config.json").write_text("{}")
    assert load_preset(str(tmp_path)).foreign == tmp_path
