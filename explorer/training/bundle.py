"""The result of a training: the folder of a preset, with weights, vocabularies and a record of how they were made."""

import json
from collections.abc import Mapping
from pathlib import Path

import tomli_w

from explorer import presets
from explorer.config import KNOBS, Config
from explorer.files import replacing
from explorer.model import weights_file as trained
from explorer.model.weights import Weights
from explorer.tokens.bilingual import Bilingual


def write_bundle(
    folder: Path, weights: Weights, config: Config, bilingual: Bilingual, text: str, about: Mapping[str, object]
) -> None:
    """Write a preset with trained weights. Raises CannotWrite, DiskFull."""
    trained.save_weights(folder / trained.FILE, weights, {key: json.dumps(value) for key, value in about.items()})
    bilingual.write(folder)
    write_knobs(folder, config, text)


def write_knobs(folder: Path, config: Config, text: str) -> None:
    """Write the preset's file: its sentence, and the knobs that differ from the defaults. Raises CannotWrite, DiskFull."""
    knobs = {knob.name: config.values()[knob.name] for knob in KNOBS if config.values()[knob.name] != knob.default}
    content = tomli_w.dumps({"text": text, "knobs": knobs})
    with replacing(folder / presets.FILE) as unfinished:
        unfinished.write_text(content, encoding="utf-8")
