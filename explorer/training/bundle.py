"""What a training leaves behind: a folder that is a preset, with weights, vocabularies and how they were made."""

import json
from collections.abc import Mapping
from pathlib import Path

from explorer import presets
from explorer.config import KNOBS, Config
from explorer.files import replacing
from explorer.knobs import Value
from explorer.model import weights_file as trained
from explorer.model.weights import Weights
from explorer.tokens.bilingual import Bilingual


def write_bundle(
    folder: Path, weights: Weights, config: Config, bilingual: Bilingual, text: str, about: Mapping[str, object]
) -> None:
    """Write a preset with trained weights. Raises CannotWrite, DiskFull."""
    trained.save_weights(folder / trained.FILE, weights, {key: json.dumps(value) for key, value in about.items()})
    bilingual.write(folder)
    lines = [
        f"text = {_toml(text)}",
        "",
        "[knobs]",
        *(f"{knob.name} = {_toml(config.values()[knob.name])}" for knob in KNOBS if config.values()[knob.name] != knob.default),
    ]
    with replacing(folder / presets.FILE) as unfinished:
        unfinished.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _toml(value: Value) -> str:
    return json.dumps(value, ensure_ascii=False)  # strings, numbers and truth are written alike
