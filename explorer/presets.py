"""Presets: named starting points, as data. This file needs no torch.

A file `assets/presets/<name>.toml` holds `order`, the sentence `text`, a table `knobs` of values that differ from the
defaults, and perhaps a table `look` with fields of the first Look. A trained model is a folder with such a file as
`preset.toml`, its weights and its vocabularies. The file says which language the model reads, and all that belongs to that
language lies in the folder: the first sentence, the examples, the heads that the tour shows, the pass of the first start.
A user's own folder or file of knobs is named by its path; those in the folder `presets` beside the preferences are offered
as the bundled ones are. Titles and notes of these stand in the language files under `preset.<name>`.
"""

import tomllib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import attrs

from explorer.config import Config
from explorer.errors import (
    BadField,
    BadKnob,
    BadPreset,
    CannotRead,
    KnobDoesNothing,
    NotATrace,
    NotOwnModel,
    OverLimit,
    UnknownMoment,
    UnknownPreset,
)
from explorer.files import check_file, read_whole
from explorer.lang import LANGUAGES, Words
from explorer.model_places import model_place, weights_folder
from explorer.model_stores import ollama_title
from explorer.resources import asset, config_folder
from explorer.runs.snapshots import WEIGHTS, moment_in, snapshot_file, steps_kept
from explorer.state.fields import read_fields
from explorer.state.look import Look
from explorer.toml_text import deep_line, too_deep

DEFAULT = "translator"
_MOST_BYTES = 2**18  # bytes; the bundled presets have some hundred
_T = TypeVar("_T")
FILE = "preset.toml"
FIRST_TEXT = "first_text.txt"
"""A file in the folder of a foreign model with the sentence to begin with, which a conversion writes."""
_MOST_TEXT_BYTES = 2**12
LENS = "lens.safetensors"
_VOCABULARY = ".txt"
_SUFFIX = ".toml"
_READS = {"jieba": "zh", "jieba-full": "zh", "jieba-search": "zh", "bpe": "en"}
"""The language that a model reads whose file does not say it, by how it cuts: Chinese in words, English in byte pairs."""
_FOREIGN_TEXT = "The capital of France is Paris."
_FOREIGN_KNOBS = ("temperature", "memory_budget", "device")
RECORDED_SUFFIXES = (".npz", ".safetensors")
_SEEN_FIRST = ("attention", "layer", "head")  # Every preset sets these fields, to the defaults if its file does not.
HEAD_FIELDS = frozenset(_SEEN_FIRST)
"""The fields of a Look that choose a head."""


@attrs.frozen
class Preset:
    """A preset: name, first sentence, Config, first Look, and if it is trained its folder and the file of its weights."""

    name: str
    text: str
    config: Config
    order: int = 0
    folder: Path | None = None
    weights: Path | None = None
    reads: str = ""  # the language that trained weights read: "zh", "en", or "" where it is not known
    heads: tuple[tuple[str, tuple[int, int]], ...] = ()  # by attention, layer and head that the tour shows, if not its own
    look: tuple[tuple[str, Any], ...] = ()  # fields of the Look that the preset sets
    names_head: bool = False  # whether its file chooses the attention, layer or head that is shown first
    foreign: Path | None = None  # the folder or GGUF file of a foreign model; the Config has the knobs that act on it
    recorded: Path | None = None  # the file of a pass that was recorded before, which no knob changes
    changed_ns: int = 0  # when the file was written, in ns; training again makes the folder another preset

    def files(self) -> dict[str, Path]:
        """The files of a trained preset by their names in a folder of its own, without those of its training.

        {} for a preset without a folder. A folder that cannot be read raises OSError.
        """
        if self.folder is None or self.weights is None:
            return {}
        taken = (each for each in self.folder.iterdir() if each.name in (FILE, LENS) or each.suffix == _VOCABULARY)
        return {each.name: each for each in sorted(taken) if each.is_file()} | {WEIGHTS: self.weights}

    @property
    def translates(self) -> bool:
        """Whether the preset's weights were trained to translate, and not as a language model."""
        return self.folder is not None and self.config.architecture == "encoder-decoder"

    @property
    def reads_english(self) -> bool:
        """Whether the preset's weights were trained to read English."""
        return self.reads == "en"

    @property
    def is_masked_lm(self) -> bool:
        """Whether the preset's weights were trained as a masked language model."""
        return self.folder is not None and self.config.architecture == "encoder-only"

    def changed(self, **knobs: object) -> Config:
        """The preset's Config with other values. Raises BadKnob, also for a knob that does not act on its model."""
        if knobs:
            known = self.config.values()
            for name in (each for each in knobs if each in known and not self.acts(each)):
                raise KnobDoesNothing(name=name)
        return self.config.changed(**knobs)

    def acts(self, knob: str) -> bool:
        """Whether a knob does anything to the model."""
        return self.recorded is None and (self.foreign is None or knob in _FOREIGN_KNOBS)


def preset_names() -> tuple[str, ...]:
    """The names of all bundled presets, in the order in which they are offered."""
    return tuple(sorted(_bundled(), key=lambda name: load_preset(name).order))


def reader_of(language: str, architecture: str = "encoder-decoder") -> str | None:
    """The first bundled model of an architecture that reads a language: a translator, if no other one is asked for."""
    trained = (each for each in map(load_preset, preset_names()) if each.reads)
    return next((each.name for each in trained if (each.reads, each.config.architecture) == (language, architecture)), None)


def first_preset(language: str) -> str:
    """What opens first in a language: the translator that reads it; the default preset where none is bundled."""
    return reader_of(language) or DEFAULT


def training_names() -> tuple[str, ...]:
    """The names of the bundled trainings, which are opened like presets and are not offered among them."""
    return tuple(sorted(_trainings()))


def own_presets() -> tuple[str, ...]:
    """The names of a user's own presets, which are paths: files of knobs, and folders with weights."""
    folder = config_folder() / "presets"
    try:
        return tuple(sorted(map(str, (*folder.glob(f"*{_SUFFIX}"), *(path.parent for path in folder.glob(f"*/{FILE}"))))))
    except OSError:  # A folder that cannot be read offers nothing.
        return ()


@lru_cache(maxsize=64)  # This keeps a model usable whose folder was deleted while the window is open; it saves no time.
def _of_others(name: str) -> Preset:
    """The preset of a folder with a foreign model, or of a file with a recorded pass; once found, it is kept for good.

    Raises UnknownPreset, which may say what the name means instead.
    """
    if _is_recorded(name) and weights_folder(name) is None:
        return Preset(name=name, text="", config=Config(), recorded=Path(name))
    place = model_place(name)
    if place is None:
        raise UnknownPreset(name=name, known=", ".join(sorted(_bundled())))
    return Preset(name=name, text=_first_text(place), config=Config(), foreign=place)


def _first_text(place: Path) -> str:
    """The sentence that a foreign model begins with: that of its folder, if there is one."""
    try:
        return read_whole(place / FIRST_TEXT, _MOST_TEXT_BYTES).decode("utf-8").strip() or _FOREIGN_TEXT
    except (CannotRead, ValueError):
        return _FOREIGN_TEXT


def titles(folders: Sequence[str]) -> tuple[str, ...]:
    """The titles of the models in these folders: the last part of the path, or more parts if that is ambiguous."""
    names = [_title(Path(folder)) for folder in folders]
    return tuple(
        f"{Path(folder).parent.name}/{name}" if names.count(name) > 1 else name
        for folder, name in zip(folders, names, strict=True)
    )


def title_in(words: Words, name: str) -> str:
    """The title of a preset or model in a language; a user's own folder keeps its name, a moment names its step."""
    if name in preset_names():
        return words(f"preset.{name}.title")
    if name in _trainings():
        return words(f"training.life.{name}")
    preset, step = moment_in(name)
    if step is not None and (_known(preset) is not None or Path(preset).is_dir()):
        return words("header.moment", preset=title_in(words, preset), step=step)
    return titles((name,))[0]


def _title(folder: Path) -> str:
    """The name of one folder or file. Downloads of Hugging Face lie in "models--NAME--NAME/snapshots/NUMBER"."""
    if told := ollama_title(folder):
        return told
    if folder.name == "config.json":
        folder = folder.parent
    if folder.parent.name == "snapshots":
        return folder.parent.parent.name.removeprefix("models--").replace("--", "/")
    name = folder.name.removeprefix("models--").replace("--", "/") if folder.name.startswith("models--") else folder.name
    name = name.removesuffix(_SUFFIX)
    return f"{folder.parent.name}/{name}" if name == "model" else name or str(folder)


def load_own_preset(name: str) -> Preset:
    """A preset of one of our own models; only these can be trained and translate.

    Raises UnknownPreset, BadPreset, NotOwnModel.
    """
    preset = load_preset(name)
    others = preset.foreign or preset.recorded
    if others is not None:
        raise NotOwnModel(path=str(others))
    return preset


def load_preset(name: str) -> Preset:
    """Read a bundled preset, or one in a user's own file or folder, which may hold a foreign model.

    "FOLDER@120" is a trained preset with its weights after step 120 of the training. While the training goes on, the folder
    has no other weights than those of its snapshots, and FOLDER alone means the last of them.
    Raises UnknownPreset, UnknownMoment, BadPreset, NotAFile.
    """
    path, step = _known(name) or _own(name), None
    if path is None:
        preset, step = moment_in(name)
        path = None if step is None else _known(preset) or _own(preset)
    if path is None:
        return _of_others(name)
    weights = _weights(path.parent, step, name) if path.name == FILE else None
    try:
        return _read(name, path, weights, path.stat().st_mtime_ns)
    except OSError as error:
        raise BadPreset(path=str(path), reason=error.strerror or str(error)) from error


@lru_cache(maxsize=32)  # row "a key to everything painted": a key loads its preset some fifty times.
def _read(name: str, path: Path, weights: Path | None, changed_ns: int) -> Preset:
    try:
        text = read_whole(path, _MOST_BYTES).decode("utf-8")
        if deep_line(text):
            raise too_deep()
        table = tomllib.loads(text)
        config, trained = Config(**_kept(table["knobs"], dict)), path.name == FILE
        return Preset(
            name=name,
            text=_kept(table["text"], str),
            config=config,
            order=_kept(table.get("order", 0), int),
            folder=path.parent if trained else None,
            weights=weights,
            reads=_language(_kept(table.get("reads", _READS.get(config.tokenizer, "")), str)) if trained else "",
            heads=tuple((name, _head(pair)) for name, pair in _kept(table.get("heads", {}), dict).items()),
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


def _weights(folder: Path, step: int | None, name: str) -> Path:
    """The file of a trained preset's weights, or of those after a step. Raises UnknownMoment."""
    if step is None and (folder / WEIGHTS).exists():
        return folder / WEIGHTS
    kept = steps_kept(folder)
    if step is not None and step not in kept:
        raise UnknownMoment(name=name, known=", ".join(map(str, kept)) or "–")
    return snapshot_file(folder, kept[-1] if step is None else step) if kept else folder / WEIGHTS


def _kept(value: Any, kind: type[_T]) -> _T:
    """The value, if it has the type `kind`. Raises TypeError."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise TypeError(f"{kind.__name__} ≠ {str(value)[:40]}")
    return value


def _language(reads: str) -> str:
    """The language that a file names. Raises ValueError."""
    if reads not in ("", *LANGUAGES):
        raise ValueError(f"reads = {reads[:40]}")
    return reads


def _head(pair: object) -> tuple[int, int]:
    """Layer and head. Raises TypeError."""
    if not isinstance(pair, list) or [type(each) for each in pair] != [int, int] or min(pair) < 0:
        raise TypeError(f"[layer, head] ≠ {str(pair)[:40]}")
    return pair[0], pair[1]


def _own(name: str) -> Path | None:
    """The preset's file, if `name` is that file or the folder where it is. Raises NotAFile."""
    try:
        path = Path(name) if name.endswith(_SUFFIX) and not Path(name).is_dir() else Path(name) / FILE
        if not name or not path.exists():
            return None
    except (OSError, ValueError):  # No file can have this name.
        return None
    check_file(path)
    return path


def recorded_preset(path: str) -> str:
    """The name under which the recorded pass in a file can be opened. Raises CannotRead, NotAFile, NotATrace."""
    file = Path(path).absolute()
    check_file(file)
    if not _is_recorded(str(file)):
        raise NotATrace(path=str(file))
    return str(file)


def _is_recorded(name: str) -> bool:
    """Whether a name is that of a file with a recorded pass."""
    try:
        return name.endswith(RECORDED_SUFFIXES) and Path(name).is_file()
    except (OSError, ValueError):  # No file can have this name.
        return False


@lru_cache(maxsize=1)  # row "a key to everything painted": 70 µs, some fifty times a key.
def _bundled() -> dict[str, Path]:
    folder = asset("presets")
    single = {path.stem: path for path in folder.glob("*.toml")}
    return single | {path.parent.name: path for path in folder.glob(f"*/{FILE}")}


def _known(name: str) -> Path | None:
    """The file of a bundled preset or training."""
    return _bundled().get(name) or _trainings().get(name)


@lru_cache(maxsize=1)  # As `_bundled`.
def _trainings() -> dict[str, Path]:
    return {path.parent.name: path for path in asset("trainings").glob(f"*/{FILE}")}


def _look(table: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The checked fields of a Look that a preset sets. Raises BadField."""
    fields = read_fields(Look, table)
    look = Look(**fields)
    return tuple((name, getattr(look, name)) for name in dict.fromkeys((*_SEEN_FIRST, *fields)))
