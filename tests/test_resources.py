"""Where the program's files lie, and where the user's may."""

from collections.abc import Callable
from pathlib import Path

import pytest

from explorer import resources
from explorer.errors import MissingAsset
from explorer.lang import Words

FOLDERS = (resources.cache_folder, resources.config_folder, resources.log_folder)


def test_assets_are_found() -> None:
    """Files and folders."""
    assert resources.asset("lang/zh.toml").is_file()
    assert resources.asset("presets").is_dir()
    assert "[knobs]" in resources.asset_text("presets/tiny.toml")


def test_an_installed_program_carries_its_assets_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those inside the package come before those beside it."""
    package = tmp_path / "explorer"
    for root, text in ((package, "inside"), (tmp_path, "beside")):
        (root / "assets").mkdir(parents=True)
        (root / "assets" / "x.txt").write_text(text)
    (tmp_path / "assets" / "y.txt").write_text("beside")
    monkeypatch.setattr(resources, "_PACKAGE", package)

    assert resources.asset_text("x.txt") == "inside"
    assert resources.asset_text("y.txt") == "beside"


def test_a_missing_asset_is_named() -> None:
    """The sentence tells to install again."""
    with pytest.raises(MissingAsset) as caught:
        resources.asset_text("fonts/none.otf")

    assert "assets/fonts/none.otf" in Words.load("en").error(caught.value)


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_users_folders_are_made(folder: Callable[[], Path]) -> None:
    """And bear the program's name."""
    assert folder().is_dir()
    assert "transformer-explorer" in str(folder())


@pytest.mark.parametrize("folder", FOLDERS)
def test_one_variable_moves_all_of_the_users_folders(
    folder: Callable[[], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On every system, for a process that must leave the user's own alone."""
    monkeypatch.setenv(resources.OWN_FOLDERS, str(tmp_path / "own"))

    assert folder().is_relative_to(tmp_path / "own") and folder().is_dir()
    assert len({each() for each in FOLDERS}) == len(FOLDERS)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_home_that_cannot_be_written_is_no_obstacle(
    folder: Callable[[], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It costs what would be kept there, and nothing else."""
    (tmp_path / "file").write_text("no folder")
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "file"))

    assert not folder().exists()
