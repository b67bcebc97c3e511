"""A session with its presets and weights in one file: what was taken along opens elsewhere, and nothing in it is believed."""

import shutil
import stat
import struct
import zipfile
from pathlib import Path

import attrs
import pytest

from explorer.errors import (
    BadState,
    BundleLinks,
    BundleStray,
    BundleTooLarge,
    BundleTooMany,
    CannotRead,
    ExplorerError,
    NewerState,
    NotTakenAlong,
)
from explorer.files import opened
from explorer.lang import Words
from explorer.presets import load_preset
from explorer.resources import asset, config_folder
from explorer.state.bundle import MOST_FILES, weights_sha256
from explorer.state.saved import read_saved
from explorer.state.state import State

SESSION = "session.explorer.toml"
GOOD = 'version = 1\npreset = "tiny"\ntext = "好"\n'


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A user's own trained preset: the bundled language model in another folder."""
    folder = tmp_path / "elsewhere" / "mine"
    shutil.copytree(asset("presets/language-model"), folder)
    return folder


def zipped(path: Path, files: dict[str, str | bytes], links: tuple[str, ...] = ()) -> Path:
    """A zip with these files; `links` are marked as symbolic links."""
    with zipfile.ZipFile(path, "w") as bundle:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            if name in links:
                entry.external_attr = (stat.S_IFLNK | 0o777) << 16
            bundle.writestr(entry, content)
    return path


def test_what_was_taken_along_opens_where_the_preset_is_gone(trained: Path, tmp_path: Path) -> None:
    """Text, knobs and the very bytes of the weights and the vocabulary."""
    path = tmp_path / "a.explorer"
    state = State.from_preset(str(trained), "我们", temperature=0.5)
    state.save(path)
    kept = {each.name: each.read_bytes() for each in trained.iterdir() if each.suffix != ".md"}
    sha256 = weights_sha256(str(trained))
    shutil.rmtree(trained.parent)

    back = State.load(path)
    folder = Path(back.wish.preset)
    assert folder.is_relative_to(config_folder()) and folder.name == "mine"
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == kept
    assert weights_sha256(str(folder)) == sha256
    assert attrs.evolve(back.wish, preset="") == attrs.evolve(state.wish, preset="")
    assert State.load(path) == back  # Opened again, it finds them there.
    assert [each.name for each in folder.parent.parent.iterdir()] == [folder.parent.name]


def test_both_presets_of_a_comparison_are_taken_along(trained: Path, tmp_path: Path) -> None:
    """A file of knobs is one of them."""
    knobs = tmp_path / "my knobs (2).toml"
    knobs.write_text('text = "a"\n[knobs]\nn_heads = 2\nd_model = 32\n')
    state = State.from_preset(str(trained))
    other = State.from_preset(str(knobs)).wish
    attrs.evolve(state, wish=attrs.evolve(state.wish, compared_with=other)).save(tmp_path / "a.explorer")
    shutil.rmtree(trained)
    knobs.unlink()

    back = State.load(tmp_path / "a.explorer")
    assert load_preset(back.wish.preset).folder is not None
    assert back.wish.compared_with is not None and back.wish.compared_with.config == other.config


def test_the_programs_own_weights_are_not_doubled(tmp_path: Path) -> None:
    """Where the program has these very weights, its own preset is opened."""
    State.from_preset("language-model", "我们").save(tmp_path / "a.explorer")
    assert State.load(tmp_path / "a.explorer").wish.preset == "language-model"
    assert not (config_folder() / "taken-along").exists()


def test_a_preset_without_weights_needs_none(tmp_path: Path) -> None:
    """A bundled file of knobs is in every program."""
    State.from_preset("tiny", "好").save(tmp_path / "a.explorer")
    with zipfile.ZipFile(tmp_path / "a.explorer") as bundle:
        assert bundle.namelist() == [SESSION]
    assert State.load(tmp_path / "a.explorer").wish.text == "好"


def test_other_weights_are_told(trained: Path, tmp_path: Path) -> None:
    """A preset that was trained again answers otherwise than the session that was saved."""
    path = tmp_path / "a.explorer.toml"
    State.from_preset(str(trained)).save(path)
    assert not read_saved(path).other_weights
    with (trained / "weights.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\x01")
    assert read_saved(path).other_weights


def test_models_of_others_are_not_taken_along(tmp_path: Path) -> None:
    """The file that is there stays."""
    (tmp_path / "gpt").mkdir()
    (tmp_path / "gpt" / "config.json").write_text("{}")
    path = tmp_path / "a.explorer"
    path.write_text("before")
    with pytest.raises(NotTakenAlong):
        State.from_preset(str(tmp_path / "gpt")).save(path)
    assert path.read_text() == "before"


def test_a_bundle_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    """Whoever renames a file can open it all the same."""
    State.from_preset("tiny", "好").save(tmp_path / "a.explorer")
    (tmp_path / "a.explorer").rename(tmp_path / "a.explorer.toml")
    assert State.load(tmp_path / "a.explorer.toml").wish.text == "好"


@pytest.mark.parametrize(
    ("files", "kind", "said"),
    [
        ({"a.txt": "a"}, BundleStray, "a.txt"),
        ({SESSION: GOOD, "../evil.toml": "a"}, BundleStray, "../evil.toml"),
        ({SESSION: GOOD, "/etc/evil.toml": "a"}, BundleStray, "/etc/evil.toml"),
        ({SESSION: GOOD, "presets/0/../../evil.toml": "a"}, BundleStray, "evil.toml"),
        ({SESSION: GOOD, "presets/0/..\\evil.toml": "a"}, BundleStray, "evil.toml"),
        ({SESSION: GOOD, "presets/0/C:evil.toml": "a"}, BundleStray, "C:evil.toml"),
        ({SESSION: GOOD, "presets/0/weights.pt": "a"}, BundleStray, "weights.pt"),
        ({SESSION: GOOD, "presets/0/weights.pkl": "a"}, BundleStray, "weights.pkl"),
        ({SESSION: GOOD, "presets/0/evil.py": "a"}, BundleStray, "evil.py"),
        ({SESSION: GOOD, "presets/0/.hidden.toml": "a"}, BundleStray, ".hidden.toml"),
        ({SESSION: GOOD, "presets/0/a/b.toml": "a"}, BundleStray, "b.toml"),
        ({SESSION: GOOD, "presets/0/": ""}, BundleStray, "presets/0/"),
        ({SESSION: GOOD, "presets/0/a.txt": "a", "presets/0/A.txt": "b"}, BundleStray, "A.txt"),
        ({SESSION: GOOD, **{f"presets/0/{number}.txt": "" for number in range(MOST_FILES)}}, BundleTooMany, str(MOST_FILES)),
        ({SESSION: GOOD, "presets/0/a.txt": bytes(2**24 + 1)}, BundleTooLarge, "17 MB"),
        ({"presets/0/preset.toml": "a"}, BadState, SESSION),
        ({SESSION: "version = 2"}, NewerState, "2"),
        ({SESSION: f'{GOOD}[taken]\nnames = ["a"]\nfolders = ["presets/0"]'}, BadState, "presets/0"),
        ({SESSION: f'{GOOD}[taken]\nnames = ["a"]\nfolders = [""]', "presets/0/preset.toml": ""}, BadState, "?"),
        ({SESSION: f'{GOOD}[taken]\nnames = ["a"]\nfolders = []'}, BadState, "taken ?"),
        ({SESSION: f"taken = 3\n{GOOD}"}, BadState, "taken ?"),
        ({SESSION: f"{GOOD}kept = 3"}, BadState, "kept ?"),
    ],
)
def test_what_is_no_session_is_refused(files: dict[str, str | bytes], kind: type[BadState], said: str, tmp_path: Path) -> None:
    """With one sentence that names the file, in both languages; nothing is written."""
    path = zipped(tmp_path / "a.explorer", files)
    with pytest.raises(BadState) as refused:
        read_saved(path)
    assert type(refused.value) is kind
    for language in ("zh", "en"):
        sentence = Words.load(language).error(refused.value)
        assert str(path) in sentence and said in sentence and "\n" not in sentence
    assert not list(tmp_path.rglob("*evil*"))
    assert not list(config_folder().rglob("*.toml"))


def test_a_link_is_refused(tmp_path: Path) -> None:
    """It would lead out of the folder."""
    path = zipped(tmp_path / "a.explorer", {SESSION: GOOD, "presets/0/a.txt": "/etc/passwd"}, links=("presets/0/a.txt",))
    with pytest.raises(BundleLinks, match=r"presets/0/a\.txt"):
        State.load(path)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    """Each text is limited, and so is what tensors claim to hold beyond the file's own bytes, packed or shared."""
    path = tmp_path / "a.explorer"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr(SESSION, GOOD)
        bundle.writestr("presets/0/weights.safetensors", bytes(2**24))
    assert path.stat().st_size < 2**15
    with pytest.raises(BundleTooLarge, match=r"weights\.safetensors"):
        State.load(path)


def test_a_directory_of_millions_is_refused_unread(tmp_path: Path) -> None:
    """Python's reader would make an object of each entry first."""
    path = tmp_path / "a.explorer"
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 65535, 65535, 2**30, 0, 0)
    path.write_bytes(b"PK" + end)
    with pytest.raises(BundleTooMany):
        State.load(path)
    path.write_bytes(b"PK" + b"PK\6\7" + bytes(16) + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, 46, 0, 0))
    with pytest.raises(BundleTooMany):
        State.load(path)


def test_a_damaged_bundle_is_refused_wherever_it_is_cut_or_changed(trained: Path, tmp_path: Path) -> None:
    """By an error that a user can read, and never with half a preset on the disk."""
    (trained / "weights.safetensors").write_bytes(bytes(range(256)) * 8)
    whole = tmp_path / "whole.explorer"
    State.from_preset(str(trained)).save(whole)
    content, path = whole.read_bytes(), tmp_path / "a.explorer"
    outcomes = []
    for place in range(0, len(content), len(content) // 150):
        for damaged in (content[:place], content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]):
            path.write_bytes(damaged)
            try:
                State.load(path)
                outcomes.append("opened")
            except ExplorerError as error:
                assert isinstance(error, (BadState, CannotRead))
                outcomes.append("refused")
    assert outcomes.count("refused") > 200
    home = config_folder() / "taken-along"
    assert not [each for each in home.glob("*") if "unfinished" in each.name]


def test_what_a_killed_process_left_unfinished_is_removed(trained: Path, tmp_path: Path) -> None:
    """By the next one that takes something out; that of a living process stays."""
    home = config_folder() / "taken-along"
    for name in (".999999999-00000000.unfinished", ".1-00000000.unfinished"):
        (home / name).mkdir(parents=True)
    State.from_preset(str(trained)).save(tmp_path / "a.explorer")
    State.load(tmp_path / "a.explorer")
    assert [each.name for each in home.iterdir() if "unfinished" in each.name] == [".1-00000000.unfinished"]


def test_a_file_that_goes_while_it_is_hashed_has_no_weights(trained: Path) -> None:
    """A preset without its weights file has no fingerprint."""
    with opened(trained / "weights.safetensors"):
        pass
    (trained / "weights.safetensors").unlink()
    assert weights_sha256(str(trained)) == ""
