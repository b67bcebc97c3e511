"""A user's own preset, made of what is set up: a file of knobs, or a folder if trained weights belong to it."""

import contextlib
import errno
import os
import shutil
from pathlib import Path

import tomli_w

from explorer.config import Config
from explorer.errors import NotOwnModel
from explorer.files import cannot_write, replacing
from explorer.presets import FILE, Preset, load_preset
from explorer.resources import config_folder
from explorer.state.fields import changed_fields
from explorer.state.state import State


def presets_folder() -> Path:
    """The folder whose presets are offered beside the bundled ones, made if possible."""
    folder = config_folder() / "presets"
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def save_preset(state: State, path: Path) -> Path:
    """Write knobs, sentence and Look as the preset `path`; with trained weights it is a folder of that name without ending.

    Returns the name under which the preset is opened. An older file is replaced, a folder is not.
    Raises NotOwnModel for a foreign model, CannotWrite, DiskFull, UnknownPreset, BadPreset.
    """
    preset, wish = load_preset(state.wish.preset), state.wish
    if wish.foreign:
        raise NotOwnModel(path=wish.preset)
    defaults = Config().values()
    knobs = {name: value for name, value in wish.config.values().items() if value != defaults[name]}
    table = {"text": wish.text, "knobs": knobs, "look": changed_fields(state.look)}
    content = tomli_w.dumps(table).encode("utf-8", errors="replace")
    if preset.folder is None or not wish.uses_trained:
        with replacing(path) as unfinished:
            unfinished.write_bytes(content)
        return path
    return _with_weights(preset, content, path.with_suffix(""))


def _with_weights(trained: Preset, content: bytes, folder: Path) -> Path:
    """A folder with this preset and a copy of the weights and vocabularies of `trained`, whole or not at all."""
    unfinished = folder.with_name(f".{folder.name}.{os.getpid()}.unfinished")
    try:
        if folder.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        for name, file in trained.files().items():
            shutil.copyfile(file, unfinished / name)
        (unfinished / FILE).write_bytes(content)
        unfinished.replace(folder)
    except OSError as error:
        raise cannot_write(folder, error) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder
