"""Presets: named starting points, as data. This file needs no torch.

A file `assets/presets/<name>.toml` holds `order`, the sentence `text`, a table `knobs` of values that differ from the
defaults, and perhaps a table `look` with fields of the first Look. A trained model is a folder with such a file as
`preset.toml`, its weights and its two vocabularies; a user's own folder is named by its path. Titles and notes stand in
the language files under `preset.<name>`.
"""

import tomllib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import attrs

from explorer.config import Config
from explorer.errors import BadField, BadKnob, BadPreset, CannotRead, KnobDoesNothing, NotOwnModel, OverLimit, UnknownPreset
from explorer.files import read_whole
from explorer.resources import asset
from explorer.state.fields import read_fields
from explorer.state.look import Look
from explorer.toml_text import deep_line, too_deep

DEFAULT = "translator"
_MOST_BYTES = 2**18  # bytes; the bundled presets have some hundred
_T = TypeVar("_T")
FILE = "preset.toml"
_FOREIGN_TEXT = "The capital of France is Paris."
_FOREIGN_KNOBS = ("temperature", "memory_budget")
_SEEN_FIRST = ("attention", "layer", "head")  # Every preset sets these fields, to the defaults where its file does not.
HEAD_FIELDS = frozenset(_SEEN_FIRST)
"""The fields of a Look that say which head is looked at."""


@attrs.frozen
class Preset:
    """A preset: name, first sentence, Config, first Look, and the folder of its weights if it is trained."""

    name: str
    text: str
    config: Config
    order: int = 0
    folder: Path | None = None
    look: tuple[tuple[str, Any], ...] = ()  # fields of the Look that the preset sets
    names_head: bool = False  # whether its file says which attention, layer or head is seen first
    foreign: Path | None = None  # the folder of somebody's model, if it is one; its Config has the knobs that act on it
    changed_ns: int = 0  # when the file was written, in ns; training again makes the folder another preset

    @property
    def translates(self) -> bool:
        """Whether the preset has weights that were trained to translate. Others say what comes next in a text."""
        return self.folder is not None and self.config.architecture != "decoder-only"

    def changed(self, **knobs: object) -> Config:
        """The preset's Config with other values. Raises BadKnob, also for a knob that does not act on its model."""
        known = self.config.values()
        for name in (each for each in knobs if each in known and not self.acts(each)):
            raise KnobDoesNothing(name=name)
        return self.config.changed(**knobs)

    def acts(self, knob: str) -> bool:
        """Whether a knob does anything to the model."""
        return self.foreign is None or knob in _FOREIGN_KNOBS


@lru_cache(maxsize=1)
def preset_names() -> tuple[str, ...]:
    """The names of all bundled presets, in the order in which they are offered."""
    return tuple(sorted(_bundled(), key=lambda name: load_preset(name).order))


@lru_cache(maxsize=64)
def _of_others(name: str) -> Preset:
    """The preset of a folder with somebody's model. One that was found is known until the end, also when its folder is gone.

    Raises UnknownPreset.
    """
    if not _is_foreign(name):
        raise UnknownPreset(name=name, known=", ".join(sorted(_bundled())))
    return Preset(name=name, text=_FOREIGN_TEXT, config=Config(), foreign=Path(name))


def titles(folders: Sequence[str]) -> tuple[str, ...]:
    """What to call the models in these folders: by the last part of the path, or more parts where that says too little."""
    names = [_title(Path(folder)) for folder in folders]
    return tuple(
        f"{Path(folder).parent.name}/{name}" if names.count(name) > 1 else name
        for folder, name in zip(folders, names, strict=True)
    )


def _title(folder: Path) -> str:
    """The name of one folder. Downloads of Hugging Face lie in "models--NAME--NAME/snapshots/NUMBER"."""
    if folder.parent.name == "snapshots":
        return folder.parent.parent.name.removeprefix("models--").replace("--", "/")
    return f"{folder.parent.name}/{folder.name}" if folder.name == "model" else folder.name or str(folder)


def load_own_preset(name: str) -> Preset:
    """A preset of our own models, which alone can be trained and translate.

    Raises UnknownPreset, BadPreset, NotOwnModel.
    """
    preset = load_preset(name)
    if preset.foreign is not None:
        raise NotOwnModel(path=str(preset.foreign))
    return preset


def load_preset(name: str) -> Preset:
    """Read a bundled preset, or one in a user's own folder, which may hold somebody's model.

    Raises UnknownPreset, BadPreset.
    """
    bundled = _bundled()
    path = bundled.get(name) or _own(name)
    if path is None:
        return _of_others(name)
    try:
        return _read(name, path, path.stat().st_mtime_ns)
    except OSError as error:
        raise BadPreset(path=str(path), reason=error.strerror or str(error)) from error


@lru_cache(maxsize=32)  # The window loads the preset at each keystroke.
def _read(name: str, path: Path, changed_ns: int) -> Preset:
    try:
        text = read_whole(path, _MOST_BYTES).decode("utf-8")
        if deep_line(text):
            raise too_deep()
        table = tomllib.loads(text)
        return Preset(
            name=name,
            text=_kept(table["text"], str),
            config=Config(**_kept(table["knobs"], dict)),
            order=_kept(table.get("order", 0), int),
            folder=path.parent if path.name == FILE else None,
            look=_look(_kept(table.get("look", {}), dict)),
            names_head=not HEAD_FIELDS.isdisjoint(table.get("look", {})),
            changed_ns=changed_ns,
        )
    except CannotRead as error:
        raise BadPreset(path=str(path), reason=error.values.get("reason", error)) from error
    except (BadKnob, BadField, OverLimit) as error:
        raise BadPreset(path=str(path), reason=error) from error
    except RecursionError as error:
        raise BadPreset(path=str(path), reason="[[[[…]]]]") from error
    except KeyError as error:
        raise BadPreset(path=str(path), reason=f"{error.args[0]} ?") from error
    except (ValueError, TypeError, OverflowError) as error:
        raise BadPreset(path=str(path), reason=str(error)) from error


def _kept(value: Any, kind: type[_T]) -> _T:
    """The value, if it has the type `kind`. Raises TypeError."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise TypeError(f"{kind.__name__} ≠ {str(value)[:40]}")
    return value


def _own(name: str) -> Path | None:
    """The preset's file in the folder `name`, if there is one."""
    try:
        return path if name and (path := Path(name) / FILE).is_file() else None
    except (OSError, ValueError):  # No file can have this name.
        return None


def _is_foreign(name: str) -> bool:
    """Whether a name is that of a folder with somebody's model, in the layout of Hugging Face."""
    try:
        folder = Path(name)
        return bool(name) and ((folder / "config.json").is_file() or next(folder.glob("*.safetensors"), None) is not None)
    except (OSError, ValueError):  # No file can have this name.
        return False


@lru_cache(maxsize=1)
def _bundled() -> dict[str, Path]:
    folder = asset("presets")
    single = {path.stem: path for path in folder.glob("*.toml")}
    return single | {path.parent.name: path for path in folder.glob(f"*/{FILE}")}


def _look(table: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The checked fields of a Look that a preset sets. Raises BadField."""
    fields = read_fields(Look, table)
    look = Look(**fields)
    return tuple((name, getattr(look, name)) for name in dict.fromkeys((*_SEEN_FIRST, *fields)))
