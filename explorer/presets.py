"""Presets: named starting points, as data. Needs no torch.

A file `assets/presets/<name>.toml` holds `order`, the sentence `text`, a table `knobs` of what differs from the
defaults, and may hold a table `look`: the `attention`, `layer` and `head` that are seen first. A trained model is a
folder with such a file as `preset.toml`, its weights and its two vocabularies; one of the user's own is named by its
path. Titles and notes stand in the language files under `preset.<name>`.
"""

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import attrs

from explorer.config import Config
from explorer.errors import BadKnob, BadPreset, CannotRead, OverLimit, UnknownPreset
from explorer.files import read_whole
from explorer.resources import asset
from explorer.toml_text import deep_line, too_deep

DEFAULT = "translator"
_MOST_BYTES = 2**18  # ours have some hundred
_ATTENTIONS = ("encoder.self_attn", "decoder.self_attn", "decoder.cross_attn")
_T = TypeVar("_T")
FILE = "preset.toml"


@attrs.frozen
class Preset:
    """A name, the sentence it opens with, its Config, what is seen first, and the folder of its weights if it was
    trained."""

    name: str
    text: str
    config: Config
    order: int = 0
    folder: Path | None = None
    look: tuple[tuple[str, str | int], ...] = ()  # fields of a picture.look.Look
    changed_ns: int = 0  # when the file was written; training again makes another preset of a folder

    def changed(self, **knobs: object) -> Config:
        """Its Config with other values. Raises a BadKnob."""
        return self.config.changed(**knobs)


@lru_cache(maxsize=1)
def preset_names() -> tuple[str, ...]:
    """All bundled presets in the order in which they are offered."""
    return tuple(sorted(_bundled(), key=lambda name: load_preset(name).order))


def load_preset(name: str) -> Preset:
    """Read one preset, bundled or a folder of the user's own. Raises UnknownPreset, BadPreset."""
    bundled = _bundled()
    path = bundled.get(name) or _own(name)
    if path is None:
        raise UnknownPreset(name=name, known=", ".join(sorted(bundled)))
    try:
        return _read(name, path, path.stat().st_mtime_ns)
    except OSError as error:
        raise BadPreset(path=str(path), reason=error.strerror or str(error)) from error


@lru_cache(maxsize=32)  # the window asks at each keystroke
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
            look=_look(**_kept(table.get("look", {}), dict)),
            changed_ns=changed_ns,
        )
    except CannotRead as error:
        raise BadPreset(path=str(path), reason=error.values.get("reason", error)) from error
    except (BadKnob, OverLimit) as error:
        raise BadPreset(path=str(path), reason=error) from error
    except RecursionError as error:
        raise BadPreset(path=str(path), reason="[[[[…]]]]") from error
    except KeyError as error:
        raise BadPreset(path=str(path), reason=f"{error.args[0]} ?") from error
    except (ValueError, TypeError, OverflowError) as error:
        raise BadPreset(path=str(path), reason=str(error)) from error


def _kept(value: Any, kind: type[_T]) -> _T:
    """A value of the file, if it is of its kind. Raises TypeError."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise TypeError(f"{kind.__name__} ≠ {str(value)[:40]}")
    return value


def _own(name: str) -> Path | None:
    """The file in a folder of the user's own. An empty name is no folder."""
    try:
        return path if name and (path := Path(name) / FILE).is_file() else None
    except (OSError, ValueError):  # a name that no file can have
        return None


@lru_cache(maxsize=1)
def _bundled() -> dict[str, Path]:
    folder = asset("presets")
    single = {path.stem: path for path in folder.glob("*.toml")}
    return single | {path.parent.name: path for path in folder.glob(f"*/{FILE}")}


def _look(attention: str = "encoder.self_attn", layer: int = 0, head: int = 0) -> tuple[tuple[str, str | int], ...]:
    if attention not in _ATTENTIONS or min(_kept(layer, int), _kept(head, int)) < 0:
        raise ValueError(f"look: {attention}, {layer}, {head}")
    return ("attention", attention), ("layer", layer), ("head", head)
